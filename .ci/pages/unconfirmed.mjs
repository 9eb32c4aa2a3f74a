// The pages that ask users to confirm their identity. They appear fifteen minutes after the log-in. So the server of
// this check stores its data in an engine, where the check makes the sessions older.
import { createHmac } from "node:crypto";
import { request } from "node:https";
import { signUp } from "./forms.mjs";
import { startEngine, startServerOn, wellKnownKey } from "./server.mjs";

const sessions = "dbs/inkfeed/colls/sessions";

// post sends a request about the sessions to the engine, which speaks the protocol of Azure Cosmos DB.
function post(engine, body, headers) {
  const date = new Date().toUTCString();
  const text = `post\ndocs\n${sessions}\n${date.toLowerCase()}\n\n`;
  const signature = createHmac("sha256", Buffer.from(wellKnownKey, "base64")).update(text).digest("base64");
  const authorization = encodeURIComponent(`type=master&ver=1.0&sig=${signature}`);
  return new Promise((done, failed) => {
    const sent = request(`${engine}/${sessions}/docs`, { method: "POST", rejectUnauthorized: false,
      headers: { "x-ms-date": date, "x-ms-version": "2018-12-31", authorization, ...headers } }, async (answer) => {
      const parts = await answer.toArray();
      const whole = Buffer.concat(parts).toString();
      if (answer.statusCode < 300) done(JSON.parse(whole));
      else failed(new Error(`the engine answered ${answer.statusCode}: ${whole}`));
    });
    sent.on("error", failed);
    sent.end(JSON.stringify(body));
  });
}

// age makes all sessions as old as if their users had logged in half an hour ago.
async function age(engine) {
  const { Documents } = await post(engine, { query: "SELECT * FROM c WHERE c.type = 'session'", parameters: [] },
    { "content-type": "application/query+json", "x-ms-documentdb-isquery": "true", "x-ms-documentdb-query-enablecrosspartition": "true" });
  for (const session of Documents) {
    session.confirmationDate = new Date(Date.now() - 30 * 60_000).toISOString();
    await post(engine, session, { "content-type": "application/json", "x-ms-documentdb-is-upsert": "true",
      "x-ms-documentdb-partitionkey": JSON.stringify([session.userId]) });
  }
  await new Promise((wait) => setTimeout(wait, 4000)); // the server caches sessions for three seconds
}

const pages = [
  { name: "confirm who you are", path: "/confirm?next=/settings/email" },
  { name: "confirm a form", path: "/settings/email", form: { email: "checker@example.org" }, status: 403 },
  { name: "confirm a form, narrow", path: "/settings/email/remove", form: {}, status: 403, narrow: true },
  { name: "confirm a form, with a wrong password", path: "/confirm", form: { password: "guess", next: "/settings" }, status: 422 },
];

// lookAtConfirmations calls look with these pages, as look(address, pages, state).
export async function lookAtConfirmations(binary, browser, look) {
  const engine = await startEngine(binary);
  try {
    const server = await startServerOn(binary, engine.address);
    try {
      const checker = await signUp(browser, server.address, "checker");
      await age(engine.address);
      return await look(server.address, pages, await checker.storageState());
    } finally {
      await server.stop();
    }
  } finally {
    await engine.stop();
  }
}
