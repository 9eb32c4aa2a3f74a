// A server of its own with sample data, on a free port, that ends with the checks.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { remove } from "./remove.mjs";

export async function startServer(binary) {
  const data = mkdtempSync(join(tmpdir(), "inkfeed-pages-"));
  const seeded = spawnSync(binary, ["seed", "--users", "20", "--data", data], { encoding: "utf8" });
  if (seeded.status !== 0) throw new Error(`seed failed: ${seeded.stderr}`);
  const server = spawn(binary, ["serve", "--addr", "127.0.0.1:0", "--rate-limits", "off", "--signup-time", "0s", "--data", data], { stdio: ["ignore", "pipe", "pipe"] });
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
