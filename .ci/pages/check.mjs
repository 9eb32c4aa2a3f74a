// Checks every type of page of a running Inkfeed, in light and dark, signed in and out:
//
//   node check.mjs ../../bin/inkfeed
//
// axe-core finds no violation (WCAG 2.2 AA and its best practices), the Nu HTML checker
// no error, the browser nothing that the Content Security Policy forbids; Lighthouse is
// content with the pages that most readers come by; a post weighs no more than it may.
// Nothing on a page is cut or wider than its window, also with long words and long translations: see long.mjs.
// With a word at the end, only pages that have it in their name are checked, and nothing is weighed.
//
// In dark, axe-core checks contrasts only, since nothing else differs, and only one visitor looks at each page. Each
// page is also opened in one of the other languages, in turn, without axe-core. With INKFEED_EXHAUSTIVE=1, all visitors
// look in dark, all rules apply there and in all languages, and Lighthouse rates more pages, and pages in all languages.
import { resolve } from "node:path";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import { startServer } from "./server.mjs";
import { checkHTML } from "./html.mjs";
import { audit, bars } from "./lighthouse.mjs";
import { weigh, watchShifts, limits } from "./weight.mjs";
import { tell } from "./story.mjs";
import { addCovers } from "./covers.mjs";
import { pages } from "./pages.mjs";
import { lookAtConfirmations } from "./unconfirmed.mjs";
import { checkLongTexts, decorate, lookAtWidths } from "./long.mjs";
import { open } from "./open.mjs";

const binary = resolve(process.argv[2] ?? "../../bin/inkfeed");
const only = process.argv[3] ?? "";
const everything = Boolean(process.env.INKFEED_EXHAUSTIVE);
const executable = process.env.CHROMIUM ?? "/usr/bin/chromium";
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"];
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const translations = readdirSync(new URL("../../domain/locale/catalogues", import.meta.url))
  .map((file) => file.replace(".json", "")).filter((language) => language !== "en");
const axeRules = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
const colourRules = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

// expected are the messages of the console about error pages, and about watchShifts in the frame with a mail, where no
// script runs.
const expected = /status of (4|5)\d\d|^Blocked script execution in '[^']+\/mail-preview\/html'/;

const problems = [];
const complain = (where, what) => {
  problems.push(`${where}: ${what}`);
  console.log(`  ✗ ${where}: ${what}`);
};

async function axe(page, where, rules) {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate((rules) => globalThis.axe.run(document, { runOnly: rules }), rules);
  for (const { id, help, nodes } of violations) {
    complain(where, `${id}: ${help}\n      ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html}\n      ${failureSummary}`).join("\n      ")}`);
  }
}

// reflow checks that a page fits into windows of three widths, and does not scroll sideways in a window of 1280 x 800
// pixels at 400 % zoom. The narrowest width is the one that WCAG 2.2 requires (1.4.10).
async function reflow(page, where) {
  await lookAtWidths(page, where, complain);
  await page.setViewportSize({ width: 320, height: 200 });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  if (width > 320) complain(where, `${width} px wide in a window of 320 x 200`);
}

async function look(browser, address, list, state, who, { colorSchemes = ["light", "dark"], language = "en" } = {}) {
  const sent = [];
  for (const colorScheme of colorSchemes) {
    const context = await browser.newContext({ colorScheme, locale: language, storageState: state, bypassCSP: false });
    const page = await context.newPage();
    await page.addInitScript(watchShifts);
    let where = "";
    page.on("console", (message) => {
      if (message.type() === "error" && !expected.test(message.text())) complain(where, `the console says: ${message.text()}`);
    });
    for (const { name, status = 200, ...rest } of list.filter((entry) => entry.name.includes(only))) {
      where = `${name}, ${who}, ${colorScheme}, ${language}`;
      const { response, shift } = await open(page, address, rest);
      if (response.status() !== status) complain(where, `status ${response.status()}, not ${status}`);
      const shown = await page.evaluate(() => document.documentElement.lang);
      if (shown !== language) complain(where, `the page is in ${shown}`);
      if (colorScheme === "light") sent.push({ name: `${name}, ${who}, ${language}`, html: await response.text() });
      if (shift >= 0.001) complain(where, `the layout shifts by ${shift}`);
      if (everything || language === "en" && colorScheme === "light") await axe(page, where, axeRules);
      else if (colorScheme === "dark") await axe(page, where, colourRules);
      if (colorScheme === "light") await reflow(page, where);
    }
    await context.close();
  }
  return sent;
}

// lookAtLooks checks a page with each typeface, each kind of front page and header, and the other scheme by the reader's switch.
async function lookAtLooks(browser, address, { keeper, post }) {
  const darken = (page) => page.locator(".scheme-switch").click();
  const sent = [];
  for (const [typeface, form] of [["sans", { "front-look": "magazine", "accent-use": "band", accent: "#b3431c", corners: "round", density: "compact" }],
    ["book", { "front-look": "list", "accent-use": "", corners: "square", density: "airy", menu: "" }], ["slab", { "front-look": "titles", scheme: "dark" }],
    ["", { "front-look": "magazine" }], ["serif", { accent: "", corners: "", density: "", menu: "header", scheme: "" }]]) {
    await decorate(keeper, address, { name: "Inkfeed", typeface, ...form });
    const list = [{ name: `home page with typeface ${typeface}`, path: "/" },
      { name: `post with typeface ${typeface}, in the other scheme`, path: `/posts/${post}`, then: darken }];
    sent.push(...(await look(browser, address, list, undefined, "signed out", { colorSchemes: ["light"] })));
  }
  return sent;
}

// lookInOtherLanguages checks the pages that need no steps by a person, whose labels would be those of the language.
async function lookInOtherLanguages(browser, address, lists, looks) {
  const sent = [];
  for (const [list, who, as] of looks) {
    const still = lists[list].filter(({ then }) => !then);
    for (const [i, language] of translations.entries()) {
      const chosen = everything ? still : still.filter((_, page) => page % translations.length === i);
      sent.push(...(await look(browser, address, chosen, await who?.storageState(), as, { colorSchemes: ["light"], language })));
    }
  }
  return sent;
}

async function measure(browser, address, story) {
  console.log("Weight");
  for (const [name, path, most] of [["post", `/posts/${story.post}`, limits.post], ["home page with covers", "/", limits.front]]) {
    const weight = await weigh(browser, address + path);
    console.log(`  ${name}: ${weight.total} bytes, formulas ${weight.formulas}, pictures of ${weight.pictures}, script ${weight.script}, layout shift ${weight.shift}`);
    console.log(`    ${weight.parts.join("\n    ")}`);
    for (const [part, limit] of Object.entries(most)) {
      if (weight[part] > limit) complain(name, `${part}: ${weight[part]}, more than ${limit}`);
    }
    if (weight.foreign.length > 0) complain(name, `from other hosts: ${weight.foreign}`);
  }
}

async function rate(address, story) {
  console.log("Lighthouse");
  const cookies = (await story.writer.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  const unlisted = new Set(["/signup", "/notifications"]); // which ask search engines not to list them
  const post = `/posts/${story.post}`;
  const most = [["home page", "/"], ["post", post], ["author", "/@checker"]]; // that most readers come by
  const others = [["series", "/@checker/series/all-of-it"], ["static page", "/about"], ["sign-up", "/signup"],
    ["notifications", "/notifications", { headers: { Cookie: cookies } }]];
  const translated = translations.flatMap((language) => most.map(([name, path]) =>
    [`${name} in ${language}`, path, { headers: { "Accept-Language": language } }]));
  for (const [name, path, { headers } = {}] of [...most, ...(everything ? [...others, ...translated] : [])]) {
    const { scores, failed } = await audit(executable, flags, address + path, { headers });
    console.log(`  ${name}: ${Object.entries(scores).map(([category, score]) => `${category} ${score}`).join(", ")}`);
    for (const [category, score] of Object.entries(scores)) {
      if (category === "seo" && unlisted.has(path)) continue;
      if (score < bars[category]) complain(name, `${category} is ${score}, less than ${bars[category]}:\n      ${failed.join("\n      ")}`);
    }
  }
}

const server = await startServer(binary);
try {
  const browser = await chromium.launch({ executablePath: executable, args: flags });
  const story = await tell(browser, server);
  const lists = pages(story);
  // The log-in that is half-way in comes first and the new recovery codes, which end it, next: both need a password that
  // was typed minutes ago.
  const looks = [["halfway", story.halfway, "half-way in"], ["careful", story.careful, "with codes"],
    ["everybody", undefined, "signed out"], ["everybody", story.writer, "signed in"], ["members", story.writer, "signed in"],
    ["staff", story.keeper, "administrator"], ["subscriber", undefined, "subscriber"], ["newcomer", story.newcomer, "newcomer"], ["demoted", story.demoted, "reader"]];

  console.log("axe-core, console");
  const sent = [];
  for (const [list, who, as] of looks) {
    const colorSchemes = everything || list !== "everybody" || who ? ["light", "dark"] : ["light"];
    sent.push(...(await look(browser, server.address, lists[list], await who?.storageState(), as, { colorSchemes })));
  }
  sent.push(...(await lookAtConfirmations(binary, browser, (address, list, state) => look(browser, address, list, state, "after half an hour"))));
  sent.push(...(await lookInOtherLanguages(browser, server.address, lists, looks.slice(2, 7))));
  sent.push(...(await lookAtLooks(browser, server.address, story)));
  console.log(`  ${sent.length} pages, those in English in light and dark`);

  console.log("Long texts");
  await checkLongTexts(binary, browser, ["en", ...translations], complain, only);

  console.log("The Nu HTML checker");
  checkHTML(sent).forEach((line) => complain("HTML", line));

  if (!only) {
    await addCovers(browser, story.writer, server.address);
    await measure(browser, server.address, story);
    await rate(server.address, story);
  }
  await browser.close();
} finally {
  await server.stop();
}
if (problems.length > 0) {
  console.log(`${problems.length} problems`);
  process.exit(1);
}
console.log("no problem");
