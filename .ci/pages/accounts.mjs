// What there is to see of accounts and their moderation, made as its users would.
import { createHmac } from "node:crypto";
import { fetchText, named, newPost, password, send, signUp } from "./forms.mjs";

// moderate lets readers report, and the administrator decide.
export async function moderate(browser, address, { keeper, reader, writer, post, older, comment }) {
  const hidden = await newPost(writer, address), kept = await newPost(keeper, address);
  await send(writer, `${address}/posts`, { post: hidden, title: "Buy now", content: "Cheap and good.", do: "publish" });
  await send(keeper, `${address}/posts`, { post: kept, title: "How this place is kept", content: "With care.", do: "publish" });
  await send(reader, `${address}/posts/${hidden}/report`, { reason: "spam", text: "The same text as everywhere." });
  await send(reader, `${address}/posts/${post}/report`, { reason: "abuse" });
  await send(reader, `${address}/posts/${post}/comments/${comment}/report`, { reason: "other", text: "It is *not* kind." });
  await send(keeper, `${address}/posts/${hidden}/moderate`, { do: "hide", why: "spam", words: "It advertises.", version: await version(keeper, `${address}/posts/${hidden}/moderate`) });
  await send(writer, `${address}/posts/${older}/comments/close`, {});

  await signUp(browser, address, "shouter");
  const shouter = await userID(keeper, address, "shouter");
  await send(writer, `${address}/settings/blocks`, { user: shouter });
  await send(keeper, `${address}/admin/users/${shouter}/suspend`, { reason: "Shouted at everybody." });
  await send(keeper, `${address}/admin/users/${await userID(keeper, address, "reader")}/role`, { role: "moderator" });
  await send(keeper, `${address}/admin/invitations`, { uses: "3", days: "14", note: "For the reading circle" });

  const demoted = await signUp(browser, address, "demoted"), unfinished = await newPost(demoted, address);
  await send(demoted, `${address}/posts`, { post: unfinished, title: "Never finished", content: "With *love*.\n\n## And more", do: "save" });
  await send(keeper, `${address}/admin/users/${await userID(keeper, address, "demoted")}/role`, { role: "reader" });

  await settle(keeper, address, "3");
  const newcomer = await signUp(browser, address, "newcomer"), waiting = await newPost(newcomer, address);
  await send(newcomer, `${address}/posts`, { post: waiting, title: "Look here", content: "[This](https://example.com/) is good.", do: "publish" });
  await send(newcomer, `${address}/posts/${post}/comments`, { content: "See https://example.com/.", attempt: "abcdefghijkmnpqrstuvwxyz23" });
  return { hidden, kept, newcomer, waiting, demoted, unfinished };
}

// settle says for how many days an account is new.
export async function settle(keeper, address, days) {
  const url = `${address}/admin/settings`;
  await send(keeper, url, { registration: "open", role: "author", days, invited: "trusted", version: await version(keeper, url) });
}

async function version(context, url) {
  return /name="version" value="(\d+)"/.exec(await fetchText(context, url))[1];
}

async function userID(keeper, address, username) {
  return /action="\/admin\/users\/([^/]+)\//.exec(await fetchText(keeper, `${address}/admin/users?name=${named(username)}`))[1];
}

// protect makes a user who logs in with codes of an app, and one who is half-way in.
export async function protect(browser, address) {
  const careful = await signUp(browser, address, "careful");
  const page = await fetchText(careful, `${address}/settings/security/totp`);
  const form = { secret: /name="secret" value="([^"]+)"/.exec(page)[1], code: code(/secret=([A-Z2-7]+)/.exec(page)[1]) };
  const answer = await careful.request.post(`${address}/settings/security/totp`, { form });
  if (answer.status() !== 200) throw new Error(`codes were answered ${answer.status()}: ${await answer.text()}`);
  const halfway = await browser.newContext();
  const next = await send(halfway, `${address}/login`, { username: "careful", password });
  if (!next.startsWith("/login/second")) throw new Error(`logging in led to ${next}`);
  return { careful, halfway };
}

// code is what an authenticator app shows now (RFC 6238 with its defaults).
function code(secret) {
  const bits = [...secret].map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const sum = createHmac("sha1", key).update(step).digest();
  const number = sum.readUInt32BE(sum.at(-1) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}
