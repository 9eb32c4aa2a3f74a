// Two users who between them have done everything once, so that every type of page has
// something to show. They send forms as a browser without JavaScript does.
import { deflateSync } from "node:zlib";
import { moderate, protect, settle } from "./accounts.mjs";
import { fetchText, lengthenText, named, newPost, send, signUp } from "./forms.mjs";
import { subscribe } from "./subscribers.mjs";

const markdown = `A paragraph with **bold**, *italic* and [a link](https://example.com/), then a quote.[^1]

[^1]: With a footnote.

## A heading

> Quoted, with \`code\`.

> [!NOTE]
> A callout.

$$
\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}
$$

https://www.youtube.com/watch?v=dQw4w9WgXcQ

- one
- [x] two

1. first
2. second

| left | right |
| --- | ---: |
| a | 1 |

Term
: Its definition, with $e^{i\\pi} = -1$.

\`\`\`go
func main() { println("hello") } // a comment
\`\`\`

### Another heading

Some more text.

## Überschrift zwei

### 三つ目

${"A long post has a table of contents. ".repeat(80)}

The end.
`;

const attempt = "abcdefghijkmnpqrstuvwxyz23";

// tell fills an empty site and returns the addresses of what it made. mailTo waits for the newest mail to an address.
export async function tell(browser, { address, mailTo }) {
  const keeper = await signUp(browser, address, "keeper"); // the first, and so the administrator
  await settle(keeper, address, "0"); // so that no link waits for a moderator
  const reader = await signUp(browser, address, "reader");
  const writer = await signUp(browser, address, "checker");
  const links = await subscribe(browser, address, writer, `/@${named("checker")}`, mailTo);
  const ids = [];
  for (let i = 0; i < 6; i++) ids.push(await newPost(writer, address));
  const [post, older, draft, scheduled, unlisted, withdrawn] = ids;

  const page = `p.${"n".repeat(26)}`;
  await send(keeper, `${address}/admin/pages`, { attempt: page.slice(2), path: "/about", label: "", navigation: "yes", footer: "yes" });
  await send(keeper, `${address}/posts`, { post: page, title: "About this site", content: markdown, do: "publish" });
  await send(keeper, `${address}/admin/pages/outline`, { kind: "privacy" });
  const image = await upload(writer, address);
  const text = { title: "Everything that a post can hold", content: markdown, tags: "Go, 日本語, plain words", series: "All of it", seriesPart: "1" };
  await send(writer, `${address}/posts`, { post: older, title: "An older one", content: `${image.markdown}\n\nOld.`, tags: "Go", series: "All of it", do: "publish" });
  await send(writer, `${address}/posts`, { post, ...text, do: "publish" });
  await send(writer, `${address}/posts/${post}`, { ...text, content: `${markdown}\nEdited.`, revision: "1", do: "publish" });
  await send(writer, `${address}/posts`, { post: draft, title: "A draft", content: "Not yet.", tags: "", do: "save" });
  await send(writer, `${address}/posts`, { post: scheduled, title: "At its time", content: "Later.", publishDate: "2030-01-01T08:00", do: "schedule" });
  await send(writer, `${address}/posts`, { post: unlisted, title: "Between us", content: "Unlisted.", status: "unlisted", do: "publish" });
  await send(writer, `${address}/posts`, { post: withdrawn, title: "Taken back", content: "Gone.", do: "publish" });
  await send(writer, `${address}/posts/${withdrawn}/unpublish`, {});
  await send(writer, `${address}/posts`, { post: draft, title: "A draft", content: "Not yet.", tags: "", revision: "0", version: "1", do: "share" });
  await send(writer, `${address}/settings/profile`, {
    displayName: "", bio: "Writes about *everything*.", blogTitle: "Notes of a checker", writingLanguage: "en",
    link1: "Mastodon", "link1-address": "https://social.example/@checker", link2: "Mail", "link2-address": "mailto:checker@example.org",
  });
  const header = await writer.request.post(`${address}/settings/header`, {
    multipart: { picture: image.url.split("/").pop(), alt: lengthenText("A grey field") }, maxRedirects: 0,
  });
  if (header.status() !== 303) throw new Error(`the header was answered ${header.status()}: ${await header.text()}`);
  await send(writer, `${address}/posts/${older}/pin`, {});

  await send(writer, `${address}/posts/${post}/comments`, { content: "A comment with `code`.", attempt });
  const comment = await firstComment(writer, `${address}/posts/${post}`);
  await send(reader, `${address}/posts/${post}/comments`, { content: "A reply.", parent: comment, attempt });
  await send(reader, `${address}/posts/${post}/like`, {});
  await send(writer, `${address}/posts/${post}/bookmark`, {});
  const shared = await privateLink(writer, `${address}/posts/${draft}/edit`);
  const made = { post, older, draft, scheduled, unlisted, withdrawn, page, shared, comment, image: image.url.split("/").pop(), links };
  const moderated = await moderate(browser, address, { keeper, reader, writer, ...made });
  return { writer, keeper, reader, ...made, ...moderated, ...(await protect(browser, address)) };
}

async function firstComment(context, url) {
  const page = await fetchText(context, url);
  return /id="comment-([a-z0-9]{26})"/.exec(page)[1];
}

async function privateLink(context, url) {
  const page = await fetchText(context, url);
  return new URL(/id="preview-link"[^>]* value="([^"]+)"/.exec(page)[1]).pathname;
}

async function upload(context, address) {
  const answer = await context.request.post(`${address}/images`, {
    headers: { Accept: "application/json" },
    multipart: { alt: lengthenText("A grey field"), file: { name: "grey.png", mimeType: "image/png", buffer: png(1200, 800) } },
  });
  if (answer.status() !== 201) throw new Error(`the image was answered ${answer.status()}: ${await answer.text()}`);
  return answer.json();
}

// png is a grey image.
export function png(width, height) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(body.length + 8);
    frame.writeUInt32BE(data.length, 0);
    body.copy(frame, 4);
    frame.writeUInt32BE(crc(body), body.length + 4);
    return frame;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8; // bits a sample, of one grey
  const rows = Buffer.alloc((width + 1) * height, 0x99);
  for (let y = 0; y < height; y++) rows[y * (width + 1)] = 0; // the row's filter
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

function crc(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}
