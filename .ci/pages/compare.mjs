// Draws the pictures of docs/design.md: pages of an older and of this Inkfeed side by side, each with its own sample
// data, light and dark, on a desktop and a phone. Pages that only this one has are shown alone:
//
//   node compare.mjs OLDER-BINARY ../../bin/inkfeed ../../docs/design
//
// With a regular expression at the end, only pictures whose name matches are drawn.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { startServer } from "./server.mjs";
import { fetchText, newPost, send, signUp } from "./forms.mjs";
import { decorate } from "./long.mjs";
import { settle } from "./open.mjs";

const [older, newer, folder] = process.argv.slice(2, 5).map((path) => resolve(path));
const chosen = new RegExp(process.argv[5] ?? "");
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const screens = [["desktop", { width: 1280, height: 900 }], ["phone", { width: 390, height: 850 }]];
const colorSchemes = ["light", "dark"];
const sampleText = new URL("../../domain/sample/posts/en/5-to-the-sea.txt", import.meta.url);

const formulas = `A kettle does not cool at an even pace. The hotter it is, the faster it loses heat, and this is why the first
five minutes matter more than the next twenty. Newton wrote it down in 1701:

$$
T(t) = T_r + (T_0 - T_r)\\, e^{-kt}
$$

Here $T_r$ is the temperature of the room, and $k$ says how good the kettle is.

> [!TIP]
> Warm the pot first. A cold one takes ten degrees from the tea before you have found a cup.

\`\`\`go
// Temperature returns that of the tea after some minutes.
func Temperature(start, room, k, minutes float64) float64 {
	return room + (start-room)*math.Exp(-k*minutes)
}
\`\`\`

> The tea is ready when you have stopped thinking about it.
>
> — An old sailor
`;

const embeds = `They filmed the whole crossing, from the last houses to the lighthouse. It takes eleven minutes, and nothing
happens in it, which is what I like about it.

https://www.youtube.com/watch?v=dQw4w9WgXcQ

The music is by the same two people, and was recorded in a church with a wooden roof.

https://open.spotify.com/album/1DFixLWuPkv3KT3TnV35m3
`;

// begin starts a server with sample data and an administrator, and finds an author of its front page.
async function begin(browser, binary) {
  const server = await startServer(binary);
  const { address } = server;
  const keeper = await signUp(browser, address, "ada");
  await send(keeper, `${address}/settings/profile`, { displayName: "Ada Moreau", bio: "" });
  const current = (await keeper.request.get(`${address}/authors`)).ok();
  const dress = (look) => decorate(keeper, address, { name: "The Quiet Page",
    ...(current && { "front-look": look, typeface: "serif", menu: "header", "logo-size": "tall", "scheme-switch": "footer" }) });
  await dress("magazine");
  const author = /href="(\/@[^"/]+)"/.exec(await fetchText(await browser.newContext(), `${address}/`))[1];
  return { server, address, keeper, dress, author };
}

// drawCover returns the picture of a sample post, which the newer server draws.
async function drawCover({ address, keeper }) {
  await send(keeper, `${address}/admin/samples`, {});
  const post = /href="(\/posts\/[^"]+to-the-sea)"/.exec(await fetchText(keeper, `${address}/@ada`))[1];
  const picture = /property="og:image" content="[^"]*(\/media\/[^"]+)"/.exec(await fetchText(keeper, address + post))[1];
  return (await keeper.request.get(address + picture)).body();
}

// publish publishes the same posts on each server, and returns their paths.
async function publish({ address, keeper }, cover) {
  const answer = await keeper.request.post(`${address}/images`, { headers: { Accept: "application/json" },
    multipart: { alt: "A calm sea with a low sun", file: { name: "sea.png", mimeType: "image/png", buffer: cover } } });
  const [head, text] = readFileSync(sampleText, "utf8").split(/\n\n(.*)/s);
  const sample = Object.fromEntries(head.split("\n").map((line) => line.split(/: (.*)/s)));
  const paths = {};
  for (const [name, form] of [["formulas", { title: "Why the kettle cools so fast", subtitle: "A law for the kitchen", tags: "tea", content: formulas }],
    ["embeds", { title: "The ferry to the islands", subtitle: "A film and an album for a grey day", tags: "sea", content: embeds }],
    ["cover", { ...sample, content: text.replaceAll("{picture}", (await answer.json()).url) }]]) {
    const post = await newPost(keeper, address);
    await send(keeper, `${address}/posts`, { ...form, post, do: "publish" });
    paths[name] = `/posts/${post}`;
  }
  return paths;
}

// shoot returns a screenshot of a page for each color scheme and screen.
async function shoot(browser, { address, keeper }, path, signedIn) {
  const shots = {};
  for (const colorScheme of colorSchemes) {
    const context = await browser.newContext({ colorScheme, locale: "en", reducedMotion: "reduce", storageState: signedIn ? await keeper.storageState() : undefined });
    const page = await context.newPage();
    await page.goto(address + path, { waitUntil: "networkidle" }); // for the typefaces, which a first visit may not wait for
    for (const [screen, viewport] of screens) {
      await page.setViewportSize(viewport);
      await page.goto(address + path, { waitUntil: "networkidle" });
      await settle(page);
      shots[`${colorScheme} ${screen}`] = (await page.screenshot()).toString("base64");
    }
    await context.close();
  }
  return shots;
}

// compose writes a picture with a row for each version, or one row if there is one version only.
async function compose(browser, name, versions) {
  const page = await browser.newPage({ viewport: { width: 1720, height: 900 } });
  const cells = (shots) => screens.flatMap(([screen]) => colorSchemes.map((scheme) => `<img class=${screen} src="data:image/png;base64,${shots[`${scheme} ${screen}`]}">`)).join("");
  await page.setContent(`<!doctype html><style>
    body { background: #8a8a88; font: 600 18px sans-serif; margin: 0; padding: 10px 14px 14px }
    p { margin: 4px 0 6px } div { align-items: start; display: flex; gap: 10px } div + p { margin-top: 10px } img { border-radius: 4px } .desktop { width: 629px } .phone { width: 203px }
  </style>${versions.map(([label, shots]) => `<p>${label}<div>${cells(shots)}</div>`).join("")}`, { waitUntil: "load" });
  const session = await page.context().newCDPSession(page);
  const { height } = await page.locator("body").boundingBox();
  await page.setViewportSize({ width: 1720, height: Math.ceil(height) });
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 72 });
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, "base64"));
  console.log(`${name}.webp: ${Buffer.byteLength(data, "base64")} bytes`);
  await page.close();
}

const browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"] });
const servers = [];
try {
  mkdirSync(folder, { recursive: true });
  const after = await begin(browser, newer);
  servers.push(after.server);
  const before = await begin(browser, older);
  servers.push(before.server);
  const draw = async (name, path, { pair = true, signedIn = false } = {}) =>
    chosen.test(name) && compose(browser, name, [...(pair ? [["before", await shoot(browser, before, path.before ?? path, signedIn)]] : []),
      ["after", await shoot(browser, after, path.after ?? path, signedIn)]]);
  await draw("front-magazine", "/");
  for (const look of ["list", "titles"]) {
    await after.dress(look);
    await draw(`front-${look}`, "/", { pair: false });
  }
  await after.dress("magazine");
  await draw("author", { before: before.author, after: after.author });
  await draw("tag", "/tags/programming");
  await draw("tags", "/tags", { pair: false });
  await draw("authors", "/authors", { pair: false });
  await draw("feed", "/feed", { pair: false });
  await draw("settings", { before: "/admin/settings#logo-and-icon", after: "/admin/settings#looks" }, { signedIn: true });
  const cover = await drawCover(after);
  const posts = { before: await publish(before, cover), after: await publish(after, cover) };
  for (const name of ["cover", "formulas", "embeds"]) {
    await draw(`post-${name}`, { before: posts.before[name], after: posts.after[name] });
  }
} finally {
  await browser.close();
  await Promise.all(servers.map((server) => server.stop()));
}
