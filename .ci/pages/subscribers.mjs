// Subscribers by mail, who take the links from their mails.
import { fetchText, lengthenText, mailbox, send } from "./forms.mjs";

// subscribe lets people subscribe to the writer, and returns the paths of their links: of one who manages a subscription,
// with the path that ends it, and of one who has not confirmed. The writer gets a verified address.
export async function subscribe(browser, address, writer, author, mailTo) {
  const link = async (name, path) => path.exec(await mailTo(mailbox(name)))[0];
  const file = `email,name\n${mailbox("ada")},Ada\nbob@example.org,Bob\nnobody,Nobody\n`;
  await post(writer, `${address}/settings/newsletter/import`, { multipart: { source: lengthenText("My letter at the market"), asked: "yes",
    file: { name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(file) } } });
  await send(writer, `${address}/settings/newsletter`, { email: mailbox("replies"), text: "whole" });

  const visitor = await browser.newContext();
  for (const name of ["subscriber", "undecided"]) {
    await post(visitor, `${address}${author}/subscribe`, { form: { email: mailbox(name), homepage: "", stamp: "", next: author } });
  }
  const confirmation = /\/mail\/[^\s"/]+\/confirm\?list=[^\s"&]+/;
  const undecided = await link("undecided", confirmation), confirm = await link("subscriber", confirmation);
  const manage = (await send(visitor, address + confirm, { frequency: "each" })).replace(/\?.*/, "");
  await visitor.close();

  await send(writer, `${address}/settings/email`, { email: mailbox("checker") });
  await post(writer, address + await link("checker", /\/verify-email\/[^\s"]+/), { form: {} });
  await waitFor(writer, `${address}/settings/newsletter`, "bob@example.org");
  return { manage, end: confirm.replace("/confirm", "/unsubscribe"), undecided };
}

async function post(context, url, body) {
  const answer = await context.request.post(url, body);
  if (answer.status() !== 200) throw new Error(`${url} answered ${answer.status()}: ${await answer.text()}`);
}

// waitFor waits until a page has a text, which comes there in the background.
async function waitFor(context, url, text) {
  for (let waited = 0; waited < 100; waited++) {
    if ((await fetchText(context, url)).includes(text)) return;
    await new Promise((next) => setTimeout(next, 200));
  }
  throw new Error(`${url} has no ${text} after 20 s`);
}
