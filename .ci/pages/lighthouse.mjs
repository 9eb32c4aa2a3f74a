// Lighthouse with its default: a slow phone. Performance is measured, and machines are
// noisy, so the best of a few runs counts; the rest must be perfect each time.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import lighthouse from "lighthouse";

import { remove } from "./remove.mjs";

export const bars = { performance: 0.98, accessibility: 1, "best-practices": 1, seo: 1 };
const runs = 10;

const freePort = () => new Promise((found) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => found(port));
  });
});

// audit opens a page ten times at most, with further request headers such as a cookie.
export async function audit(chromium, flags, url, { headers = {} } = {}) {
  const onlyCategories = Object.keys(bars);
  const port = await freePort();
  const profile = mkdtempSync(join(tmpdir(), "inkfeed-lighthouse-"));
  const chrome = spawn(chromium, [...flags, `--user-data-dir=${profile}`, `--remote-debugging-port=${port}`, "about:blank"], { stdio: "ignore" });
  const ended = new Promise((done) => chrome.on("exit", done));
  try {
    await listening(port);
    let best;
    for (let i = 0; i < runs; i++) {
      const { lhr } = await lighthouse(url, { port, onlyCategories, logLevel: "error", extraHeaders: headers });
      const found = { scores: {}, failed: [] };
      for (const [name, { score, auditRefs }] of Object.entries(lhr.categories)) {
        found.scores[name] = score;
        for (const { id, weight } of auditRefs) {
          const { score, title, displayValue } = lhr.audits[id];
          if (weight > 0 && score !== null && score < 0.9) found.failed.push(`${id}: ${title} ${displayValue ?? ""}`);
        }
      }
      if (!best || found.scores.performance > best.scores.performance) best = found;
      if (best.scores.performance >= bars.performance) break;
    }
    return best;
  } finally {
    chrome.kill();
    await ended;
    await remove(profile);
  }
}

async function listening(port) {
  for (let i = 0; i < 100; i++) {
    try {
      await fetch(`http://127.0.0.1:${port}/json/version`);
      return;
    } catch {
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  throw new Error("Chromium does not answer");
}
