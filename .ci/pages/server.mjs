// Servers with sample data, on free ports, that end with the checks.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startMailbox } from "./mailbox.mjs";
import { remove } from "./remove.mjs";

// wellKnownKey is the key of an engine that is started without another key.
export const wellKnownKey = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

// startServer starts a server that sends mails. Its mailTo waits for the newest mail to an address.
export async function startServer(binary) {
  const mailbox = await startMailbox(), port = await freePort();
  const server = await start(binary, "20", ["serve", "--addr", `127.0.0.1:${port}`, "--url", `http://127.0.0.1:${port}`, "--rate-limits", "off", "--signup-time", "0s"],
    undefined, { INKFEED_SMTP_URL: mailbox.url, INKFEED_MAIL_FROM: "Notes <notes@example.org>" });
  const stop = () => server.stop().finally(mailbox.stop);
  return { ...server, mailTo: mailbox.mailTo, stop };
}

async function freePort() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

// startEngine starts an engine. At its address it speaks the protocol of Azure Cosmos DB.
export const startEngine = (binary) => start(binary, "1", ["engine", "--addr", "127.0.0.1:0"], /https:\/\/[\d.:]+/);

// startServerOn starts a server that stores its data in an engine.
export function startServerOn(binary, engine) {
  const data = mkdtempSync(join(tmpdir(), "inkfeed-pages-"));
  return run(binary, ["serve", "--addr", "127.0.0.1:0", "--rate-limits", "off", "--signup-time", "0s"], { COSMOS_ENDPOINT: engine, COSMOS_KEY: wellKnownKey,
    COSMOS_INSECURE_TLS: "true", INKFEED_SESSION_KEYS: "5a".repeat(32), INKFEED_DATA: data }, data);
}

// start seeds a data folder with a number of users and starts a command on it.
async function start(binary, users, command, shown, env = {}) {
  const data = mkdtempSync(join(tmpdir(), "inkfeed-pages-"));
  const seeded = spawnSync(binary, ["seed", "--users", users, "--data", data], { encoding: "utf8" });
  if (seeded.status !== 0) throw new Error(`seed failed: ${seeded.stderr}`);
  return run(binary, [...command, "--data", data], env, data, shown);
}

// run starts a command and waits until it prints an address that matches shown. Stopping it removes its data folder.
async function run(binary, command, env, data, shown = /http:\/\/[\d.:]+/) {
  const server = spawn(binary, command, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  server.stderr.on("data", (chunk) => (log += chunk));
  const address = await new Promise((found, failed) => {
    server.on("exit", (code) => failed(new Error(`the server ended with ${code}:\n${log}`)));
    server.stdout.on("data", (chunk) => {
      const match = shown.exec(chunk);
      if (match) found(match[0]);
    });
  });
  const stop = () => {
    server.removeAllListeners("exit");
    const ended = new Promise((done) => server.on("exit", done));
    server.kill("SIGTERM");
    return ended.then(() => remove(data));
  };
  return { address, stop, log: () => log };
}
