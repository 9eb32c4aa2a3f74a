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

// marked returns the range of the text between marks that contains the selection, and whether it has this mark. If
// there are no such marks, the range is the selection without the spaces around it.
const marks = { "*": /(\*{1,3})(?!\s)([^*\n]+)(?<!\s)\1/g, "`": /(`)([^`\n]+)`/g };
function marked(mark) {
  let { selectionStart: from, selectionEnd: to, value } = content;
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

// wrap adds marks around the selection, or removes them. At the end of marked text it moves the cursor behind the
// marks, so that a shortcut before and after typing turns the format on and off.
function wrap(mark) {
  const { from, to, has } = marked(mark);
  const { selectionStart, selectionEnd, value } = content;
  const inner = value.slice(from, to), n = mark.length;
  if (has && selectionStart === to) return content.setSelectionRange(to + n, to + n);
  if (has) insert(content, inner, from - n, to + n);
  else insert(content, mark + inner + mark, from, to);
  const moved = (at) => Math.min(Math.max(at, from), to) + (has ? -n : n);
  content.setSelectionRange(moved(selectionStart), moved(selectionEnd));
}

function link() {
  const { from, to } = marked("*");
  const inner = content.value.slice(from, to);
  const address = /^https?:\/\/\S+$/.test(inner);
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
  insert(content, `\`\`\`\n${value.slice(start, end)}\n\`\`\``, start, end);
}

const formats = {
  bold: () => wrap("**"), italic: () => wrap("*"), link, code, picture: () => $("image-file").click(),
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
    button.ariaPressed = String(mark ? marked(mark).has : lineFormats[name][1].test(line));
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
