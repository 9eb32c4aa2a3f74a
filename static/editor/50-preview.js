// preview shows the post as readers will see it.

const reading = $("reading");
const preview = {
  at: "", // the form data of the current preview
  timer: 0,
  asking: null,
  opening: false, // the author has just asked for the preview
  soon(ms = 300) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), ms);
  },
  async now() {
    if (reading.hidden) return;
    const sent = new URLSearchParams(text());
    for (const unseen of ["tags", "status"]) sent.delete(unseen);
    if (this.at === `${sent}`) return this.opened();
    this.asking?.abort();
    this.asking = new AbortController();
    let problem = "";
    try {
      const headers = { "HX-Request": "true" };
      const answer = await fetch("/preview", { method: "POST", body: sent, headers, signal: this.asking.signal });
      if (answer.ok) {
        const pane = $("rendering");
        const top = reading.scrollTop;
        pane.innerHTML = await answer.text();
        reading.scrollTop = top;
        $("count").textContent = pane.querySelector(".meta").textContent;
        this.at = `${sent}`;
        this.opened();
      } else {
        problem = { 401: "previewSession", 413: "previewLong" }[answer.status] ?? "previewAgain";
        if (answer.status !== 413) this.soon(firstRetry);
      }
    } catch ({ name }) {
      if (name === "AbortError") return; // a newer preview
      problem = "previewOffline";
      this.soon(firstRetry);
    }
    $("preview-problem").textContent = problem && say(problem);
  },
  opened() {
    if (this.opening && placed) showCaret();
    this.opening = false;
  },
};

// showCaret scrolls the preview to the paragraph of the caret. It looks for the letters of the caret's line, near the
// place that the number of letters before them suggests. Code does not count: prose leaves it out.

const letters = (text) => text.replace(/\P{L}/gu, "");
function showCaret() {
  const { value, selectionEnd: caret } = content;
  const line = letters(prose(value.slice(lineStart(caret), lineEnd(caret))));
  const walker = document.createTreeWalker($("rendering").querySelector(".prose"), NodeFilter.SHOW_TEXT);
  const parts = [];
  let shown = "";
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (!letters(data) || parentElement.closest("code")) continue;
    parts.push({ from: shown.length, parentElement });
    shown += letters(data);
  }
  const before = letters(prose(value.slice(0, lineStart(caret)))).length;
  const near = Math.round(before / Math.max(1, letters(prose(value)).length) * shown.length);
  const [at = near] = [shown.lastIndexOf(line, near), shown.indexOf(line, near)].filter((i) => i >= 0)
    .sort((a, b) => Math.abs(a - near) - Math.abs(b - near));
  const place = parts.findLast(({ from }) => from <= at)?.parentElement;
  const pane = wide.matches ? reading : document.scrollingElement;
  const top = wide.matches ? reading.getBoundingClientRect().top : 0;
  if (!at || !place) return;
  pane.scrollBy({ top: place.getBoundingClientRect().top - top - pane.clientHeight / 3, behavior: "instant" });
}

// The preview is beside the text in a wide window, otherwise in its place.

const editor = form.closest(".editor");
const wide = matchMedia("(min-width: 64rem)");
let textTop = 0; // how far the page was scrolled when the preview replaced the text

function arrange() {
  $("writing").hidden = !reading.hidden && !wide.matches;
  editor.classList.toggle("wide", !reading.hidden);
  preview.soon(0);
}
function showPreview(shown) {
  if (shown) textTop = scrollY;
  reading.hidden = !shown;
  preview.opening = shown;
  $("toggle-preview").ariaPressed = shown;
  arrange();
  reading.scrollTop = 0;
  if (!wide.matches) scrollTo({ top: shown ? 0 : textTop, behavior: "instant" });
}
wide.addEventListener("change", arrange);

// focusMode hides everything except the text and a reduced bar.

function focusMode(on) {
  document.documentElement.classList.toggle("focused", on);
  $("focus-mode").ariaPressed = on;
  if (on && !reading.hidden) showPreview(false);
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector(":modal, :popover-open")) {
    focusMode(false);
  }
});

for (const [id, toggle] of [["toggle-preview", showPreview], ["focus-mode", focusMode]]) {
  const button = $(id);
  button.addEventListener("mousedown", (event) => event.preventDefault()); // the text keeps the focus
  button.addEventListener("click", () => toggle(button.ariaPressed !== "true"));
}

// The texts grow with their content.

const lines = form.querySelectorAll("textarea[rows='1']");
const growing = [...lines, content];
const grow = CSS.supports("field-sizing", "content") ? () => {} : () => {
  const top = scrollY;
  for (const field of growing) {
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight}px`;
  }
  scrollTo({ top, behavior: "instant" });
};
addEventListener("resize", grow);

// A line break in the title or a detail becomes a space: the field wraps, but its text is one line.
for (const line of lines) line.addEventListener("input", () => {
  if (!line.value.includes("\n")) return;
  const behind = line.value.length - line.selectionEnd;
  line.value = line.value.replace(/\s*\n\s*/g, " ");
  line.selectionEnd = line.value.length - behind; // the caret, which is at the end, moves
});

// prose is a text without what is no prose on the page of the post either: code, formulas, addresses, HTML, pictures,
// the numbers of lists and notes, and marks. A subscript or superscript stays, and may count as a word more.
const prose = (text) => [
  [/^([ \t>]*)(`{3,}|~{3,})[^]*?(?:^\1\2[`~]*[ \t]*$|$(?![^]))/gm, ""], // fenced code
  [/^[ \t>]*\$\$[^]*?\$\$[ \t]*$/gm, ""],
  [/(`+)(?!`)(?:(?!\n[ \t]*\n)[^])*?(?<!`)\1(?!`)/g, " "],
  [/(?<![\p{L}\p{N}])(\$\$?)(?![\s$])(?!\d[^$\\^_=\n]*[ \t][^$\\^_=\n]*\$)[^$\n]*?(?<![\s$])\1(?!\d)/gu, " "],
  [/!\[[^\]]*\]\((?:[^()\n]|\([^()\n]*\))*\)/g, " "],
  [/^ {0,3}\[(?!\^)[^\]\n]+\]:.*$/gm, ""], // definitions of addresses
  [/\[\^[^\]\n]+\]:?/g, ""], // notes
  [/\[([^[\]]*)\](?:\((?:[^()\n]|\([^()\n]*\))*\)|\[[^[\]\n]*\])/g, "$1"], // links
  [/<?(?:https?:\/\/|www\.)[^\s<>\u3000-\u3002（）！，：；？「」]+>?|<?[\w.+-]+@[\w-]+(?:\.[\w-]+)+>?/gi, " "],
  [/<!--[^]*?-->|<\/?[a-z][^<>]*>/gi, " "],
  [/^((?:[ \t]*>)*[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ x]\][ \t])?/gim, ""],
  [/(\*{1,3}|~~)(?!\s)([^*~\n]+)(?<!\s)\1/g, "$2"],
  [/&(?:#\d+|#x[\da-f]+|[a-z]\w+);/gi, " "],
  [/\\([!-/:-@[-`{-~])/g, "$1"],
].reduce((text, [mark, words]) => text.replace(mark, words), text);

// orient gives a field the direction of its first letter outside code, links and quotations, as on the post's page.
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\u200F]/u;
const foreign = new RegExp(String.raw`\[[^\]]*\]\([^)]*\)|[“”„‟][^“”„‟]*[“”„‟]|[«»][^«»]*[«»]|[‹›][^‹›]*[‹›]` +
  String.raw`|「[^「」]*」|『[^『』]*』|(?<![\p{L}\p{M}\p{N}])"(?:[^"]|"\p{L})*"`, "gu");
function orient(field) {
  const [first = ""] = prose(field.value.slice(0, 2000).replace(foreign, " ")).match(/[\p{L}\u200E\u200F]/u) ?? [];
  field.dir = rightToLeft.test(first) ? "rtl" : "auto";
}

// measure counts words by the rules of the server: see plaintext.LengthOf.
const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/gu;
const unspaced = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
function measure() {
  const written = prose(content.value);
  const ideographs = written.match(ideograph)?.length ?? 0;
  const letters = (written.match(unspaced) ?? []).filter((letter) => /\p{L}/u.test(letter)).length;
  let words = Math.ceil(letters / 5);
  // Some browsers split words at points and colons between letters, which Unicode does not.
  const spaced = written.replace(ideograph, " ").replace(unspaced, " ")
    .replace(/(?<=\p{L}\p{M}*)[.:．](?=\p{L})/gu, "’");
  for (const { segment } of segmenter.segment(spaced)) {
    if (/[\p{L}\p{N}]/u.test(segment)) words++;
  }
  let length = say(ideographs ? "characters" : "words", { n: ideographs || words });
  if (words && ideographs) length = say("both", { words: say("words", { n: words }), characters: length });
  const seconds = Math.floor(words * 60 / 238) + Math.floor(ideographs * 60 / 400);
  const n = Math.max(1, Math.floor((seconds + 30) / 60));
  $("count").textContent = words || ideographs ? say("reading", { length, n }) : length;
}

// changed updates the page after the script has changed the text.
function changed() {
  growing.forEach(orient);
  grow();
  if (reading.hidden) measure();
  preview.soon();
}
form.addEventListener("input", () => changed());
