// Servers with sample data, on free ports, that end with the checks.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { remove } from "./remove.mjs";

export const startServer = (binary) => start(binary, "20", ["serve", "--addr", "127.0.0.1:0", "--rate-limits", "off", "--signup-time", "0s"]);

// startExplorer starts an engine; its address is that of the data explorer.
export const startExplorer = (binary) => start(binary, "1", ["engine", "--addr", "127.0.0.1:0", "--explorer", "--explorer-addr", "127.0.0.1:0", "--explorer-write"]);

// start seeds a data folder with a number of users and starts a command, which prints an address.
async function start(binary, users, command) {
  const data = mkdtempSync(join(tmpdir(), "inkfeed-pages-"));
  const seeded = spawnSync(binary, ["seed", "--users", users, "--data", data], { encoding: "utf8" });
  if (seeded.status !== 0) throw new Error(`seed failed: ${seeded.stderr}`);
  const server = spawn(binary, [...command, "--data", data], { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  server.stderr.on("data", (chunk) => (log += chunk));
  const address = await new Promise((found, failed) => {
    server.on("exit", (code) => failed(new Error(`the server ended with ${code}:\n${log}`)));
    server.stdout.on("data", (chunk) => {
      const match = /http:\/\/[\d.:]+/.exec(chunk);
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
