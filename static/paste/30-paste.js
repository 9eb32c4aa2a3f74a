const content = document.getElementById("content");

// place returns the selection of the text and what is around it.
function place() {
  const { selectionStart: from, selectionEnd: to, value } = content;
  const before = value.slice(0, from), line = before.slice(before.lastIndexOf("\n") + 1);
  const fences = before.match(/^[ \t>]*(?:```|~~~)/gm)?.length ?? 0;
  const ticks = line.match(/(?<!\\)`/g)?.length ?? 0;
  const inCode = fences % 2 === 1 || ticks % 2 === 1;
  return { from, to, before, line, inCode, selected: value.slice(from, to), after: value.slice(to) };
}

// insert replaces a part of the text like typing, so that the author can undo it in one step.
function insert(text, from, to) {
  content.setSelectionRange(from, to);
  if (!document.execCommand("insertText", false, text)) {
    content.setRangeText(text, from, to, "end");
    content.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

// insertBlocks inserts blocks between paragraphs, and into the quote or item that the cursor is in.
function insertBlocks(text, { from, to, before, line, after }) {
  const [begun, quote, item = ""] = /^((?:[ \t]*>)*[ \t]*)((?:[-*+]|\d{1,9}[.)])[ \t]+)?/.exec(line);
  const indent = quote + " ".repeat(item.length);
  const lines = text.split("\n").map((line, i) => (i === 0 ? line : line ? indent + line : indent.trimEnd()));
  const gap = `\n${indent.trimEnd()}\n`;
  let above = "", below = "";
  if (line.length > begun.length) above = gap + indent;
  else if (!line && before && !before.endsWith("\n\n")) above = "\n";
  if (after && !after.startsWith("\n\n")) below = after.startsWith("\n") ? "\n" : gap + indent;
  insert(above + lines.join("\n") + below, from, to);
}

// link makes the selection a link to an address, or changes the address of the link whose text is selected. It returns
// false if the address should replace the selection.
function link(address, { from, to, line, selected, after }) {
  const text = selected.trim();
  if (!text || /\n\s*\n/.test(text) || /^(?:https?:|mailto:|www\.)\S*$/i.test(text)) return false;
  if (/\]\([^)]*$|<[^>\s]*$/.test(line) || /(?<!!)\[[^\]]*\]\(/.test(text)) return false;
  const [old] = /^\]\([^)\s]*\)/.exec(after) ?? [];
  if (old && line.endsWith("[")) insert(`[${selected}](${address})`, from - 1, to + old.length);
  else insert(selected.replace(text, () => `[${text}](${address})`), from, to);
  return true;
}

// upload hands pictures to editor.js, as if the author had pasted them after the text.
async function upload(pictures) {
  const files = new DataTransfer();
  for (const { src, alt } of pictures) {
    const [, type, data] = /^data:(image\/\w+);base64,([^]*)$/.exec(src);
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt());
    const name = alt.replace(/[\\/:*?"<>|]/g, " ").slice(0, 100).trim() || "image";
    files.items.add(new File([bytes], `${name}.${type.slice(6)}`, { type }));
  }
  content.dispatchEvent(new ClipboardEvent("paste", { clipboardData: files, bubbles: true, cancelable: true }));
}

// tellLost says where failed uploads are listed that pictures are missing.
function tellLost() {
  const entry = document.getElementById("upload").content.firstElementChild.cloneNode(true);
  const text = entry.querySelector("p"), [retry, dismiss] = entry.querySelectorAll("button");
  entry.file = { name: "", size: -1 }; // no upload
  retry.hidden = true;
  dismiss.addEventListener("click", () => {
    entry.remove();
    content.focus();
  });
  document.querySelector(".uploads").append(entry);
  text.className = "field-error";
  text.role = "alert";
  text.textContent = globalThis.editorTexts["picturesLost"];
}

let unformatted = false; // the author pastes as plain text
content.addEventListener("keydown", ({ shiftKey, key }) => { unformatted = shiftKey && key !== "Insert"; });
content.addEventListener("keyup", () => { unformatted = false; });

// read returns the rich text of a paste as Markdown, or nothing if the browser should paste its plain text.
function read(html, plain) {
  try {
    const found = convert(html);
    if (found.formatted || found.pictures.length || found.lost) return found;
    // In the plain text of some programs, nothing separates paragraphs.
    if (found.paragraphs > 1 && !/\n\s*\n/.test(plain)) return convert(html, { escaped: false });
  } catch (problem) {
    if (!(problem instanceof TooMuch)) throw problem;
  }
}

content.addEventListener("paste", (event) => {
  const at = place();
  if (event.defaultPrevented || unformatted || at.inCode) return;
  const plain = event.clipboardData.getData("text/plain").trim();
  const address = /^(?:https?:\/\/|mailto:)\S{1,5000}$/i.test(plain) && safe(plain);
  if (address && link(address, at)) return event.preventDefault();
  const html = event.clipboardData.getData("text/html");
  const found = html && read(html, plain);
  if (!found) return;
  event.preventDefault();
  if (/\n|^(?:[-#>|]|```|\d+\. )/.test(found.text)) insertBlocks(found.text, at);
  else if (found.text) insert(found.text, at.from, at.to);
  if (found.lost) tellLost();
  if (found.pictures.length) upload(found.pictures).catch(tellLost);
});
