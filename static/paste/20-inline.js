// The formats of text within a paragraph, and their marks.
const formatMarks = { strike: "~~", bold: "**", italic: "*", sub: "~", sup: "^", code: "`", href: "" };
const word = /[\p{L}\p{N}]/u;
const longest = (text) => (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);

// inline returns the Markdown of a paragraph.
function inline(runs, found) {
  const blank = ({ raw, text }) => !raw && !text.trim();
  while (runs.length && blank(runs.at(-1))) runs.pop();
  while (runs.length && blank(runs[0])) runs.shift();
  const whole = runs.map(({ text, raw }) => text ?? raw).join("");
  if (!found.escaped) return whole.replace(/ {2,}/g, " ").replace(/ ?\n ?/g, "\n").trim();
  const formula = /(?<!\s)\$(?!\d)/.test(whole.slice(whole.indexOf("$") + 1)); // a dollar sign could end one
  const { text, formatted } = nested(runs, Object.keys(formatMarks), { formula });
  found.formatted ||= formatted;
  return text.replace(/ {2,}/g, " ").replace(/ ?\n ?/g, "\n").trim().split("\n").map(escapeStart).join("\\\n");
}

// nested returns the Markdown of texts with some of the formats, the one that reaches furthest outside the others.
function nested(runs, formats, about) {
  const parts = [];
  let formatted = false;
  for (let i = 0, to; i < runs.length; i = to) {
    let format = "";
    to = i + 1;
    for (const f of formats) {
      let end = i;
      while (end < runs.length && runs[end][f] && runs[end][f] === runs[i][f]) end++;
      if (end > i && (!format || end > to)) [format, to] = [f, end];
    }
    const before = parts.at(-1)?.at(-1) ?? "";
    if (runs[i].raw) {
      parts.push(runs[i].raw);
      continue;
    }
    if (!format) {
      while (to < runs.length && !runs[to].raw && !formats.some((f) => runs[to][f])) to++;
      parts.push(escapeText(textOf(runs.slice(i, to)), before, about));
      continue;
    }
    const inside = runs.slice(i, to), rest = formats.filter((f) => f !== format);
    const linked = about.linked || format === "href";
    const inner = format === "code" ? { text: textOf(inside) } : nested(inside, rest, { ...about, linked });
    const bare = format === "href" && isBare(runs[i].href, inner.text);
    const marked = bare ? `<${unescape(inner.text.trim())}>` : withMarks(format, runs[i].href, inner.text, before,
      runs[to]?.text ?? "");
    formatted ||= inner.formatted || !bare && marked !== inner.text;
    if (marked.startsWith("[") && before === "!") parts.push(`${parts.pop().slice(0, -1)}\\!`);
    if (marked) parts.push(marked);
  }
  return { text: parts.join(""), formatted };
}

const textOf = (runs) => runs.map(({ text = "" }) => text).join("");
const unescape = (text) => text.replace(/\\([!-/:-@[-`{-~])/g, "$1");

// isBare reports whether the text of a link is its address.
function isBare(href, text) {
  const plain = (address) => address.replace(/^mailto:|\/$/g, "");
  return plain(href) === plain(unescape(text.trim()));
}

// withMarks puts the marks of a format around a text, but not around spaces, nor around punctuation between the marks
// and a word outside, where Markdown would not read them as marks.
function withMarks(format, href, inner, before, after) {
  let text = inner.trim();
  if (!text) return inner;
  let start = inner.slice(0, inner.indexOf(text)), end = inner.slice(start.length + text.length);
  const next = after[0] ?? "";
  const between = (marked) => start + marked + end;
  if (format === "href") return between(`[${text.replace(/\s*\n\s*/g, " ")}](${href})`);
  if (format === "code") return between(codeSpan(text));
  if (format === "sub" || format === "sup") {
    const simple = /^[\p{L}\p{M}\p{N}+\-−=,]{1,30}$/u.test(text) && !start && !word.test(next);
    const opens = format === "sub" ? /\p{L}|[)\]]/u : /[\p{L}\p{N})\]]/u;
    return simple && opens.test(before) ? between(formatMarks[format] + text + formatMarks[format]) : inner;
  }
  if (!start && word.test(before)) {
    [start] = /^(?:\\.|["'“”‘’„«»(),.;:!?…–—-])*/.exec(text);
    text = text.slice(start.length);
  }
  if (!end && word.test(next)) {
    [end] = /["'“”‘’„«»),.;:!?…–—-]*$/.exec(text.slice(-20));
    text = text.slice(0, text.length - end.length);
  }
  return text ? between(formatMarks[format] + text + formatMarks[format]) : inner;
}

function codeSpan(text) {
  const sign = "`".repeat(longest(text) + 1), space = /^`|`$/.test(text) ? " " : "";
  return sign + space + text.replace(/\s+/g, " ") + space + sign;
}

// escapeText writes a backslash before each character that Markdown would read as a mark. It leaves an address alone,
// which Markdown links.
function escapeText(text, previous, { formula, linked }) {
  return text.split(/((?:https?:\/\/|www\.)[^\s<>]+)/i).map((part, i, parts) => {
    if (i % 2 && !linked) return part;
    return part.replace(/[\\`*_[\]<~^$&]/g, (c, at) => {
      const before = part[at - 1] ?? parts[i - 1]?.at(-1) ?? previous, after = part[at + 1] ?? parts[i + 1]?.[0] ?? "";
      return isMark(c, before, after, { formula, linked }) ? `\\${c}` : c;
    });
  }).join("");
}

// isMark reports whether a character between two others may be a mark. At an end of the text the other is "".
function isMark(c, before, after, { formula, linked }) {
  const spaced = !before.trim() && after !== "" && !after.trim();
  switch (c) {
    case "\\": return !word.test(after);
    case "*": return !spaced;
    case "_": return !spaced && !(word.test(before) && word.test(after));
    case "]": return Boolean(linked);
    case "<": return !after || /[a-z/!?]/i.test(after);
    case "&": return !after || /[#a-z]/i.test(after);
    case "~": return after === "~" || before === "~" || /[\p{L})\]]/u.test(before) && after.trim() !== "";
    case "^": return /[\p{L}\p{N})\]]/u.test(before) && after.trim() !== "";
    case "$": return formula && !word.test(before) && after.trim() !== "";
  }
  return true;
}

// escapeStart keeps a line of text from being read as the beginning of a heading, list or other block.
const escapeStart = (line) => line
  .replace(/^(?=#{1,6}(?:\s|$)|>|[-+](?:\s|$)|(?:--|=)[-=\s|:]*$|:\s|\|)/, "\\")
  .replace(/^(\d{1,9})(?=[.)](?:\s|$))/, "$1\\");
