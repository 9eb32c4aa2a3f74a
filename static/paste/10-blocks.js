// convert returns the Markdown of an HTML text, whether it has formatting, the number of its paragraphs, the pictures
// whose data is in it, and the number of pictures that only its program can open. Without escaped, it returns the
// paragraphs as they were typed. It throws TooMuch beyond the limits.
function convert(html, { escaped = true } = {}) {
  const found = { escaped, formatted: false, paragraphs: 0, pictures: [], lost: 0, nodes: 0 };
  const body = parse(html);
  if (isProgram(body)) return { ...found, text: "" };
  const text = new Blocks(found).of(body).join();
  if (text.length > mostMarkdown) throw new TooMuch();
  return { ...found, text };
}

// Blocks collects the paragraphs, headings, items and other blocks of an element. Each has a text of one or more lines,
// the number of lists that it is in, and the mark and number of the item that it begins.
class Blocks {
  constructor(found, depth = 0) {
    this.found = found;
    this.depth = depth;
    this.all = [];
    this.runs = []; // of the paragraph: texts with their formats
    this.level = 0; // of the list
    this.item = null; // which the next block begins
    this.numbers = []; // of the next items in the lists
  }

  of(element, format = {}) {
    this.children(element, format);
    this.flush();
    return this;
  }

  // within returns the blocks of an element in this one.
  within(element, format) { return new Blocks(this.found, this.depth).of(element, format); }

  // line returns the text of an element in this one as a single line.
  line(element, format) {
    const texts = this.within(element, format).all.map(({ text }) => text);
    return texts.join(" ").replace(/\\?\n/g, " ");
  }

  children(element, format) {
    for (const child of element.childNodes) this.node(child, format);
  }

  node(node, outer) {
    if (++this.found.nodes > mostNodes || this.depth > deepest) throw new TooMuch();
    if (node.nodeType === Node.TEXT_NODE) return this.write(node.data, outer);
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    const name = node.nodeName.toUpperCase(), style = styleOf(node);
    if (skipped.has(name) || node.hasAttribute("hidden") || node.getAttribute("aria-hidden") === "true") return;
    if (style.display === "none" || style["mso-hide"] === "all" || /^ignore/i.test(style["mso-list"])) return;
    this.depth++;
    this.element(node, name, style, formatIn(node, name, style, outer));
    this.depth--;
  }

  element(node, name, style, format) {
    const isHeading = /^H[1-6]$/.test(name) || node.getAttribute("role") === "heading";
    const level = isHeading && +(node.getAttribute("aria-level") ?? name[1]);
    const [, wordLevel] = /\blevel(\d)/i.exec(style["mso-list"]) ?? [];
    if (name === "BR") this.runs.push({ ...format, text: "\n" });
    else if (name === "IMG") this.picture(node, format);
    else if (name === "INPUT") this.box(node);
    else if (level >= 1 && level <= 6) this.heading(node, level, format);
    else if (name === "UL" || name === "OL") this.list(node, format);
    else if (name === "LI") this.listed(node, format);
    else if (name === "HR") this.block("---");
    else if (name === "PRE") this.code(node);
    else if (name === "BLOCKQUOTE" || /^Mso(?:Intense)?Quote/.test(node.className)) this.quote(node, format);
    else if (name === "TABLE" && isSimple(node)) this.table(node, format);
    else if (wordLevel) this.wordItem(node, +wordLevel, format);
    else if (blockNames.has(name)) this.paragraph(node, name, format);
    else this.children(node, format);
  }

  write(data, format) { this.runs.push({ ...format, text: data.replace(/[\s\u00a0]+/g, " ") }); }

  // flush ends a paragraph. Two line breaks end one, too.
  flush() {
    const { runs } = this;
    this.runs = [];
    for (let from = 0, to = 0; to <= runs.length; to++) {
      if (to < runs.length && !(runs[to].text === "\n" && beforeBreak(runs, to))) continue;
      const text = inline(runs.slice(from, to), this.found);
      if (text) this.push(text);
      from = to + 1;
    }
  }

  push(text) {
    this.all.push({ text, level: this.level, mark: "", ...this.item });
    this.item = null;
  }

  block(text) {
    this.flush();
    this.found.formatted = true;
    this.push(text);
  }

  paragraph(node, name, format) {
    this.flush();
    const before = this.all.length;
    this.children(node, format);
    this.flush();
    if (name === "P") this.found.paragraphs += this.all.length - before;
  }

  heading(node, level, format) {
    const text = this.line(node, { ...format, bold: false, unbold: true });
    if (text) this.block(`${"#".repeat(level)} ${text.replace(/#$/, "\\#")}`);
  }

  quote(node, format) {
    const text = this.within(node, format).join();
    if (text) this.block(text.split("\n").map((line) => (line ? `> ${line}` : ">")).join("\n"));
  }

  code(node) {
    for (const line of node.querySelectorAll("br")) line.replaceWith("\n");
    const text = node.textContent.replace(/\u00a0/g, " ").replace(/^\n/, "").trimEnd();
    const names = [node, node.firstElementChild, node.parentElement].map((e) => e?.className).join(" ");
    const [, language = ""] = /\b(?:lang|language|highlight-source)-([\w+#-]+)/.exec(names) ?? [];
    const fence = "`".repeat(Math.max(3, longest(text) + 1));
    if (text) this.block(`${fence}${language}\n${text}\n${fence}`);
  }

  list(node, format) {
    this.flush();
    const { level } = this;
    this.level = Math.min(level + 1, deepestList);
    this.numbers[this.level] = node.start; // undefined in a list without numbers
    this.children(node, format);
    this.flush();
    this.level = level;
    this.item = null;
  }

  // listed writes an item. Word in the browser has a list for each item and says how deep it is.
  listed(node, format) {
    this.flush();
    const { level } = this;
    const number = this.numbers[level]++;
    this.begin(number, Math.min(+node.dataset.ariaLevel || Math.max(1, level), deepestList));
    this.children(node, format);
    this.flush();
    this.level = level;
    this.item = null;
  }

  // wordItem writes a paragraph that Word means as an item, without the sign in it.
  wordItem(node, level, format) {
    this.flush();
    const sign = [...node.querySelectorAll("[data-style*='ignore' i]")].map((element) => element.textContent).join("");
    const [numbered, number] = /^[\s\u00a0]*\(?(?:(\d{1,9})|[a-z]{1,7})[.)]/i.exec(sign) ?? [];
    const last = this.all.findLast((block) => block.level <= level);
    const next = last?.level === level && last.number >= 0 ? last.number + 1 : 1;
    this.begin(numbered ? +(number ?? next) : NaN, level);
    this.children(node, format);
    this.flush();
    this.level = 0;
    this.item = null;
  }

  // begin begins an item of a list, with a number or without.
  begin(number, level) {
    this.found.formatted = true;
    const mark = number >= 0 && number < 1e9 ? `${number}. ` : "- ";
    this.level = level;
    this.item = { mark, number: mark === "- " ? -1 : number };
  }

  box(node) {
    if (node.type === "checkbox") this.runs.push({ raw: `[${node.hasAttribute("checked") ? "x" : " "}] ` });
  }

  table(node, format) {
    const rows = [...node.rows].map((row, i) => [...row.cells].map((cell) => {
      return this.line(cell, { ...format, unbold: i === 0 || cell.nodeName === "TH" }).replace(/\|/g, "\\|");
    }));
    const width = widest(node);
    if (rows.length * width > mostNodes) throw new TooMuch();
    const lines = rows.map((cells) => `| ${Array.from({ length: width }, (_, i) => cells[i] ?? "").join(" | ")} |`);
    lines.splice(1, 0, `|${" --- |".repeat(width)}`);
    this.block(lines.join("\n"));
  }

  // picture writes a picture of this site as one, and links to one of another site.
  picture(node, format) {
    const src = node.getAttribute("src")?.trim() ?? "", address = safe(src);
    const alt = (node.alt || node.title).trim();
    if (/\bemoji\b/i.test(node.className)) return this.write(alt, format);
    if (node.getAttribute("width") === "1") return; // it counts readers
    if (address) {
      const { origin, pathname } = new URL(address);
      this.found.formatted = true;
      if (origin !== location.origin || !pathname.startsWith("/media/") || format.href) {
        this.write(alt || pathname.split("/").at(-1) || address, { ...format, href: format.href ?? address });
      } else {
        this.runs.push({ raw: `![${alt.replace(/\s+/g, " ").replace(/[\\[\]]/g, "\\$&")}](${pathname})` });
      }
    } else if (src.startsWith("data:image/") && this.found.pictures.length < mostPictures) {
      this.found.pictures.push({ src, alt });
    } else if (src) {
      this.found.lost++;
    }
  }

  // join writes the blocks, each indented by the marks of the items that it is in.
  join() {
    const items = []; // the last one of each list that the block is in
    let text = "", last = null;
    for (const { text: lines, mark, number, level: wanted } of this.all) {
      const level = Math.min(wanted, items.length + (mark ? 1 : 0)); // a list may begin with an inner one
      const other = mark && items[level - 1] && items[level - 1].number < 0 !== number < 0; // another list
      items.length = mark ? level - 1 : level;
      const indent = " ".repeat(items.reduce((sum, { width }) => sum + width, 0));
      if (mark) items.push({ width: mark.length, number });
      if (last) {
        const apart = level > last.level && number >= 0 && number !== 1; // it would not end a paragraph
        text += mark && last.level && !other && !apart ? "\n" : "\n\n";
      }
      text += indent + mark + lines.replace(/\n(?=[^\n])/g, `\n${indent}${" ".repeat(mark.length)}`);
      if (text.length > mostMarkdown) throw new TooMuch();
      last = { level };
    }
    return text;
  }
}

// isProgram reports whether the text is from an editor of code, such as Visual Studio Code. Its colours are no format.
function isProgram({ children }) {
  const style = children.length === 1 ? styleOf(children[0]) : {};
  return children[0]?.nodeName !== "PRE" && /^pre/.test(style["white-space"]) && /mono/i.test(style["font-family"]);
}

// beforeBreak reports whether another line break follows one, or the end.
function beforeBreak(runs, i) {
  while (++i < runs.length && runs[i].text?.trim() === "") {
    if (runs[i].text === "\n") return true;
  }
  return i >= runs.length;
}

const widest = (table) => [...table.rows].reduce((most, { cells }) => Math.max(most, cells.length), 0);

// isSimple reports whether Markdown can have a table: one with several columns whose cells have only text.
function isSimple(table) {
  const spans = [...table.querySelectorAll("[colspan], [rowspan]")];
  const width = widest(table);
  return width > 1 && width <= 50 && !table.querySelector("table, ul, ol, pre, blockquote, hr") &&
    !spans.some(({ colSpan, rowSpan }) => colSpan > 1 || rowSpan > 1);
}
