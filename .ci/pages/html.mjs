// The Nu HTML checker on what the server sent, before any script changed it.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const jar = createRequire(import.meta.url)("vnu-jar");

// checkHTML takes pages as {name, html} and returns a line for each error.
export function checkHTML(pages) {
  const folder = mkdtempSync(join(tmpdir(), "inkfeed-html-"));
  try {
    const files = pages.map(({ name, html }, i) => {
      const file = join(folder, `${i}.html`);
      writeFileSync(file, html);
      return [file, name];
    });
    const run = spawnSync("java", ["-jar", jar, "--format", "json", ...files.map(([file]) => file)],
      { encoding: "utf8", maxBuffer: 1 << 26 });
    if (run.error) throw run.error;
    const names = new Map(files);
    return JSON.parse(run.stderr).messages
      .filter(({ type }) => type === "error" || type === "non-document-error")
      .map(({ url, message, extract, lastLine }) =>
        `${names.get(url?.replace("file:", ""))}, line ${lastLine}: ${message}\n      ${extract ?? ""}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
