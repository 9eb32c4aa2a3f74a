// Reads the mails of a folder (.eml, with what they must contain beside them) as mail programs do: npm mailparser must
// find the same text and HTML, npm mailauth must verify the signature, which includes the headers of the list, and caniemail must find nothing that Gmail, Outlook or Apple Mail lack, except what
// changes looks only. If Debian's rspamd runs, it must find nothing that a sender can avoid.
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { caniemail } from "caniemail";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { simpleParser } from "mailparser";

const folder = process.argv[2];
const clients = ["gmail.*", "outlook.*", "apple-mail.*"];
// Without these a mail has square corners, or its own colours in the dark scheme.
const looksOnly = new Set(["@media", "<style> element", "<body> element", "border-radius", "overflow",
  "role attribute", "table-layout", "white-space",
  "word-break"]);
// The first are about the test, whose host has no DNS and whose server has no connection. A sender cannot avoid the
// others: a number of addresses that happens to be odd, accents in words, and addresses in a short plain text.
const unavoidable = /^(HFILTER_HOSTNAME_UNKNOWN|R_DKIM_|R_SPF_|DMARC_|URI_COUNT_ODD|R_MIXED_CHARSET|R_PARTS_DIFFER)/;
const problems = [];
const plain = (text) => text.replace(/\r\n/g, "\n").trimEnd();

const record = readFileSync(join(folder, "dkim.txt"), "utf8");
const names = readdirSync(folder).filter((file) => file.endsWith(".eml")).map((file) => file.slice(0, -4));
if (names.length === 0) problems.push("There are no mails.");
for (const name of names) {
  const read = (ext) => readFileSync(join(folder, name + ext), "utf8");
  const html = read(".html");
  const mail = await simpleParser(read(".eml"), { skipHtmlToText: true, skipTextToHtml: true });
  if (plain(mail.text ?? "") !== plain(read(".txt"))) problems.push(`${name}: the text is another`);
  if (plain(mail.html || "") !== plain(html)) problems.push(`${name}: the HTML is another`);
  if (!mail.subject || /[\r\n]/.test(mail.subject)) problems.push(`${name}: the subject is ${mail.subject}`);
  if (/^(post|right|digest|notice)/.test(name)) {
    const list = mail.headers.get("list");
    if (!list?.unsubscribe?.url?.startsWith("https://blog.example/mail/") || !list?.id) {
      problems.push(`${name}: the headers of the list are ${JSON.stringify(list)}`);
    }
  }
  const { results: [signature] } = await dkimVerify(read(".eml"), { resolver: async () => [[record]] });
  if (signature?.status?.result !== "pass") problems.push(`${name}: DKIM says ${JSON.stringify(signature?.status)}`);
  for (const header of ["from", "subject", ...(mail.headers.has("list") ? ["list-unsubscribe-post"] : [])]) {
    if (!signature?.signingHeaders?.keys?.toLowerCase().split(/[:,]\s*/).includes(header)) {
      problems.push(`${name}: DKIM does not sign ${header}: ${JSON.stringify(signature?.signingHeaders)}`);
    }
  }
  for (const [client, issues] of caniemail({ clients, html }).issues.errors) {
    for (const { title } of [issues].flat()) {
      if (!looksOnly.has(title)) problems.push(`${name}: ${client} lacks ${title}`);
    }
  }
  const spam = spawnSync("rspamc", ["--json", "symbols", join(folder, name + ".eml")], { encoding: "utf8" });
  if (!spam.error && spam.status === 0) {
    for (const { name: symbol, score } of Object.values(JSON.parse(spam.stdout).symbols)) {
      if (score > 0 && !unavoidable.test(symbol)) problems.push(`${name}: rspamd finds ${symbol} (${score})`);
    }
  }
}
console.log([...new Set(problems)].join("\n") || `${names.length} mails are read as they were written`);
process.exit(problems.length ? 1 : 0);
