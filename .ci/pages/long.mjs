// Pages with long words in every field, and with the longest texts of all catalogues, in windows of three widths.
import { readFileSync, readdirSync } from "node:fs";
import { misfits } from "./fits.mjs";
import { lengthen, named, word } from "./forms.mjs";
import { open } from "./open.mjs";
import { pages } from "./pages.mjs";
import { startServer } from "./server.mjs";
import { png, tell } from "./story.mjs";

export const widths = [1280, 390, 320];

// longest maps the English texts without slots to their longest translations. Texts of sentences wrap; those of labels,
// buttons and links need room.
const catalogues = new URL("../../domain/locale/catalogues/", import.meta.url);
const longest = new Map();
for (const file of readdirSync(catalogues).filter((name) => name !== "en.json")) {
  for (const [key, text] of Object.entries(JSON.parse(readFileSync(new URL(file, catalogues), "utf8")))) {
    const english = key.split("|")[0];
    if (typeof text === "string" && !/[{<]/.test(text) && text.length > (longest.get(english) ?? "").length) longest.set(english, text);
  }
}

// translate runs in a page and puts the longest translations in place of its texts.
function translate(texts) {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = texts[node.data.trim()];
    if (text && !node.parentElement.closest("script, style")) node.data = node.data.replace(node.data.trim(), () => text);
  }
}

// lengthenAddress leads to the same page of the longer story.
const lengthenAddress = (path) => path.replace("/series/all-of-it", `/series/all-of-it-${word.slice(0, 70)}`)
  .replace(/(?<=@|%40|name=)(checker|reader|shouter|newcomer)/, (name) => named(name));

// decorate gives the site long texts, or the brand of its name or logo.
export async function decorate(keeper, address, form, logo) {
  const url = `${address}/admin/settings`;
  const version = /name="version" value="(\d+)"/.exec(await (await keeper.request.get(url)).text())[1];
  const fields = { version, registration: "open", role: "author", days: "3", invited: "trusted", ...form };
  const answer = await keeper.request.post(url, { maxRedirects: 0, multipart: logo ? { ...fields, logo: { name: "logo.png", mimeType: "image/png", buffer: logo } } : fields });
  if (answer.status() !== 303) throw new Error(`the settings were answered ${answer.status()}: ${await answer.text()}`);
}

const longSite = {
  name: word.slice(0, 60), tagline: word.slice(0, 120), description: word, footer: word, contact: `mailto:${word.slice(0, 60)}@example.org`,
  link1: word.slice(0, 40), "link1-address": "/about", link2: word.slice(0, 40), "link2-address": "https://example.org/",
};
const brands = [["a short name", { name: "Inkfeed" }], ["a long name", { name: "Notizen vom stillen Meer an der Küste" }],
  ["a logo", { name: "Inkfeed" }, png(128, 128)], ["a wide logo", { name: "Inkfeed" }, png(400, 100)]];

// checkLongTexts calls complain(where, what) for each text that does not fit.
export async function checkLongTexts(binary, browser, languages, complain, only) {
  lengthen();
  const server = await startServer(binary);
  try {
    const story = await tell(browser, server);
    await decorate(story.keeper, server.address, longSite);
    const lists = pages(story);
    const looks = [["everybody", undefined, "signed out"], ["members", story.writer, "signed in"], ["staff", story.keeper, "administrator"],
      ["subscriber", undefined, "subscriber"], ["newcomer", story.newcomer, "newcomer"], ["demoted", story.demoted, "reader"], ["careful", story.careful, "with codes"]];
    let count = 0;
    for (const [list, who, as] of looks) count += await sweep(browser, server.address, lists[list], await who?.storageState(), as, complain, only);
    console.log(`  ${count} pages with long words and the longest texts`);
    if (!only) await checkBrands(browser, server.address, story, languages, complain);
  } finally {
    await server.stop();
  }
}

async function sweep(browser, address, list, storageState, who, complain, only) {
  const context = await browser.newContext({ locale: "en", storageState });
  const page = await context.newPage();
  await page.addInitScript(() => (globalThis.shifts = 0));
  const seen = new Set();
  for (const { narrow, media, ...entry } of list.filter(({ name }) => name.includes(only))) {
    const key = [entry.path, entry.then, entry.script, JSON.stringify(entry.form)].join();
    if (seen.has(key) || media) continue; // the same page in another window
    seen.add(key);
    try {
      await open(page, address, { ...entry, path: lengthenAddress(entry.path) });
    } catch (error) {
      complain(`${entry.name}, ${who}, long words`, error.message);
      continue;
    }
    await lookAtWidths(page, `${entry.name}, ${who}, long words`, complain);
    await page.evaluate(translate, Object.fromEntries(longest));
    await lookAtWidths(page, `${entry.name}, ${who}, longest texts`, complain);
  }
  await context.close();
  return seen.size;
}

export async function lookAtWidths(page, where, complain) {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    for (const line of await page.evaluate(misfits)) complain(`${where}, ${width} px`, line);
  }
}

// checkBrands looks at the header with each kind of brand, in each language, for each kind of viewer.
async function checkBrands(browser, address, { keeper, reader, writer }, languages, complain) {
  for (const [brand, form, logo] of brands) {
    await decorate(keeper, address, form, logo);
    for (const [who, context] of [["signed out"], ["author", writer], ["moderator", reader], ["administrator", keeper]]) {
      for (const language of languages) {
        const viewer = await browser.newContext({ locale: language, storageState: await context?.storageState() });
        const page = await viewer.newPage();
        await page.goto(`${address}/search`);
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 });
          const where = `header with ${brand}, ${who}, ${language}, ${width} px`;
          for (const line of await page.evaluate(misfits)) complain(where, line);
          const { shown, whole } = await page.evaluate(brandWidth);
          if (shown < Math.min(whole, 76)) complain(where, `${shown} px are left for the brand`);
        }
        await viewer.close();
      }
    }
  }
}

// brandWidth runs in a page. It returns how much of the brand is shown, and how much there is to show.
function brandWidth() {
  const brand = document.querySelector(".brand :is(span, .logo)");
  const { left, right, height } = brand.getBoundingClientRect();
  const end = Math.min(right, document.querySelector(".search-link").getBoundingClientRect().left);
  const whole = brand.matches("img") ? Math.min(height * brand.width / brand.height, brand.naturalWidth) : brand.scrollWidth;
  return { shown: Math.round(end - left), whole: Math.round(whole) };
}
