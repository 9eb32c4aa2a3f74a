// The toolbar formats the text at the cursor. Its buttons name their formats and shortcuts.

const toolbar = $("toolbar");
const buttons = [...toolbar.querySelectorAll("button")];

let placed = false; // the author has placed the cursor in the text
for (const type of ["pointerdown", "keydown", "input"]) {
  content.addEventListener(type, ({ key }) => { placed ||= key !== "Tab"; });
}

const lineStart = (at) => at && content.value.lastIndexOf("\n", at - 1) + 1;
const lineEnd = (at) => {
  const end = content.value.indexOf("\n", at);
  return end < 0 ? content.value.length : end;
};

// marked returns the range of the text between marks that contains a range of one line, and whether it has this mark.
// If there are no such marks, it is the given range without the spaces around it.
const marks = { "*": /(\*{1,3})(?!\s)([^*\n]+)(?<!\s)\1/g, "`": /(`)([^`\n]+)`/g };
function marked(mark, from, to) {
  const { value } = content;
  const start = lineStart(from);
  for (const m of value.slice(start, lineEnd(to)).matchAll(marks[mark[0]])) {
    const begin = start + m.index, n = m[1].length, end = begin + m[0].length;
    if (begin > from || to > end) continue;
    return { from: begin + n, to: end - n, has: Boolean(mark === "*" ? n % 2 : n >= mark.length) };
  }
  while (from < to && /\s/.test(value[to - 1])) to--;
  while (from < to && /\s/.test(value[from])) from++;
  return { from, to, has: false };
}

// words returns the position of the first word at or after a position: behind what its line begins with in a heading,
// quote or list.
const blockMark = /^[ \t>]*(?:#{1,6} +|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/;
const words = (at) => {
  const start = lineStart(at);
  return Math.max(at, start + blockMark.exec(content.value.slice(start, lineEnd(at)))[0].length);
};

// selected returns what marked returns for each line of the selection that has words, because marks do not reach from
// one paragraph or item into the next.
function selected(mark) {
  const { selectionStart, selectionEnd, value } = content;
  if (selectionStart === selectionEnd) return [marked(mark, selectionStart, selectionEnd)];
  const lines = value.slice(selectionStart, selectionEnd).split("\n"), ranges = [];
  let at = selectionStart;
  for (const line of lines) {
    const to = at + line.length, from = Math.min(words(at), to);
    if (lines.length === 1 || /[\p{L}\p{N}]/u.test(value.slice(from, to))) ranges.push(marked(mark, from, to));
    at = to + 1;
  }
  return ranges;
}
const haveMark = (ranges) => ranges.length > 0 && ranges.every(({ has }) => has);

// wrap adds marks around the selection, or removes them. At the end of marked text it moves the cursor behind the
// marks, so that a shortcut before and after typing turns the format on and off.
function wrap(mark) {
  const { selectionStart, selectionEnd, value } = content, n = mark.length;
  const ranges = selected(mark), has = haveMark(ranges);
  if (!ranges.length) return;
  if (ranges.length > 1) return wrapLines(mark, ranges, has);
  const [{ from, to }] = ranges;
  const inner = value.slice(from, to);
  if (has && selectionStart === to) return content.setSelectionRange(to + n, to + n);
  if (has) insert(content, inner, from - n, to + n);
  else insert(content, mark + inner + mark, from, to);
  const moved = (at) => Math.min(Math.max(at, from), to) + (has ? -n : n);
  content.setSelectionRange(moved(selectionStart), moved(selectionEnd));
}

// wrapLines adds marks to the lines that lack them, or removes them from all.
function wrapLines(mark, ranges, has) {
  const { selectionStart, selectionEnd, value } = content, n = has ? mark.length : 0;
  const start = Math.min(selectionStart, ranges[0].from - n), end = Math.max(selectionEnd, ranges.at(-1).to + n);
  let changed = "", done = start;
  for (const { from, to, has: marked } of ranges) {
    const around = marked && !has ? "" : mark;
    changed += value.slice(done, from - n) + (has ? value.slice(from, to) : around + value.slice(from, to) + around);
    done = to + n;
  }
  changed += value.slice(done, end);
  insert(content, changed, start, end);
  content.setSelectionRange(start, start + changed.length);
}

// link makes the selection a link, or its first paragraph or item, because links do not reach further.
function link() {
  const { selectionStart, selectionEnd, value } = content;
  const first = selectionEnd - value.slice(selectionStart, selectionEnd).trimStart().length;
  const start = Math.min(words(first), selectionEnd);
  const further = value.slice(start, selectionEnd).search(/\n[ \t]*(?:\n|>|(?:#{1,6}|[-*+]|\d{1,9}[.)])[ \t])/);
  const { from, to } = marked("*", start, further < 0 ? selectionEnd : start + further);
  const inner = value.slice(from, to);
  const address = /^https?:\/\/\S+$/i.test(inner);
  insert(content, address ? `[](${inner})` : `[${inner}](https://)`, from, to);
  if (address) content.setSelectionRange(from + 1, from + 1);
  else content.setSelectionRange(to + 3, to + 11);
}

// The formats of lines: what a line begins with, and how to recognise it.
const lineFormats = { heading: ["## ", /^#{1,6} /], quote: ["> ", /^> ?/], list: ["- ", /^[-*+] /] };

// toggleLines makes the selected lines begin with a mark, or removes it from all of them.
function toggleLines(mark, pattern) {
  const { selectionStart: first, selectionEnd: last, value } = content;
  const from = lineStart(first), to = lineEnd(first < last ? last - 1 : last);
  const lines = value.slice(from, to).split("\n");
  const has = lines.some((line) => pattern.test(line)) && lines.every((line) => !line || pattern.test(line));
  const changed = lines.map((line) => {
    if (has) return line.replace(pattern, "");
    if (!line && lines.length > 1) return mark === "> " ? ">" : "";
    return mark + line.replace(pattern, "");
  }).join("\n");
  insert(content, changed, from, to);
  const end = from + changed.length, caret = Math.max(from, first + end - to);
  content.setSelectionRange(first < last ? from : caret, first < last ? end : caret);
}

function code() {
  const { selectionStart: from, selectionEnd: to, value } = content;
  if (!value.slice(from, to).trim().includes("\n")) return wrap("`");
  const start = lineStart(from), end = lineEnd(to - 1);
  const lines = value.slice(start, end);
  let fence = "```";
  while (lines.includes(fence)) fence += "`";
  insert(content, `${fence}\n${lines}\n${fence}`, start, end);
}

const formats = {
  bold: () => wrap("**"), italic: () => wrap("*"), link, code,
  picture: () => { if (!describeAgain()) $("image-file").click(); },
};
for (const [name, how] of Object.entries(lineFormats)) formats[name] = () => toggleLines(...how);

function format(name) {
  if (!placed) content.setSelectionRange(content.value.length, content.value.length);
  formats[name]();
  showPressed();
}

// showPressed shows which formats the text at the cursor has.
function showPressed() {
  const from = content.selectionStart;
  const line = content.value.slice(lineStart(from), lineEnd(from));
  for (const button of buttons) {
    if (!button.ariaPressed) continue;
    const name = button.dataset.format;
    const mark = { bold: "**", italic: "*", code: "`" }[name];
    button.ariaPressed = String(mark ? haveMark(selected(mark)) : lineFormats[name][1].test(line));
  }
}
document.addEventListener("selectionchange", () => {
  if (document.activeElement === content) showPressed();
});

// The toolbar is one stop of the Tab key; arrow keys move between its buttons.
toolbar.addEventListener("keydown", (event) => {
  const at = buttons.indexOf(document.activeElement), last = buttons.length - 1;
  const to = { ArrowLeft: at ? at - 1 : last, ArrowRight: at < last ? at + 1 : 0, Home: 0, End: last }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  buttons[to].focus();
});
toolbar.addEventListener("focusin", ({ target }) => {
  for (const button of buttons) button.tabIndex = button === target ? 0 : -1;
});
toolbar.addEventListener("mousedown", (event) => event.preventDefault()); // the text keeps the focus
toolbar.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button) format(button.dataset.format);
});

if (mac) {
  for (const button of buttons) {
    button.title = button.title.replace(`${control}+`, "⌘");
    button.setAttribute("aria-keyshortcuts", button.getAttribute("aria-keyshortcuts").replace("Control", "Meta"));
  }
}
content.addEventListener("keydown", (event) => {
  if (event.isComposing || event.altKey || !(mac ? event.metaKey : event.ctrlKey)) return;
  const key = /^[a-z]$/i.test(event.key) ? event.key.toUpperCase() : event.code.replace(/^Key|^Digit/, "");
  const keys = `${mac ? "Meta" : "Control"}+${event.shiftKey ? "Shift+" : ""}${key}`;
  const button = buttons.find((b) => b.getAttribute("aria-keyshortcuts") === keys);
  if (!button) return;
  event.preventDefault();
  format(button.dataset.format);
});
