// preview shows the post as readers will see it.

const preview = {
  at: "", // the form data of the current preview
  timer: 0,
  asking: null,
  soon(ms = 300) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), ms);
  },
  async now() {
    if ($("reading").hidden) return;
    const what = new URLSearchParams(text());
    for (const unseen of ["tags", "status"]) what.delete(unseen);
    if (this.at === `${what}`) return;
    this.asking?.abort();
    this.asking = new AbortController();
    try {
      const headers = { "HX-Request": "true" };
      const answer = await fetch("/preview", { method: "POST", body: what, headers, signal: this.asking.signal });
      if (!answer.ok) return;
      const pane = $("rendering");
      const top = $("reading").scrollTop;
      pane.innerHTML = await answer.text();
      $("reading").scrollTop = top;
      $("count").textContent = pane.querySelector(".meta").textContent;
      this.at = `${what}`;
    } catch { /* the next key press tries again */ }
  },
};

// The form and the preview are side by side on a wide screen, otherwise in two tabs.

const wide = matchMedia("(min-width: 64rem)");
const panes = { "tab-writing": "writing", "tab-reading": "reading" };
let current = "tab-writing";
const tabs = document.querySelector(".tabs");
tabs.role = "tablist";
tabs.ariaLabel = "The post";

function arrange() {
  tabs.hidden = wide.matches;
  for (const [tab, pane] of Object.entries(panes)) {
    const chosen = tab === current;
    $(tab).role = "tab";
    $(tab).ariaSelected = chosen;
    $(tab).tabIndex = chosen ? 0 : -1;
    $(pane).hidden = !wide.matches && !chosen;
    if (wide.matches) {
      $(pane).removeAttribute("role");
      if (pane === "writing") $(pane).removeAttribute("aria-labelledby");
    } else {
      $(pane).role = "tabpanel";
      $(pane).setAttribute("aria-labelledby", tab);
    }
  }
  preview.soon(0);
}
for (const tab of Object.keys(panes)) {
  $(tab).addEventListener("click", () => { current = tab; arrange(); });
  $(tab).addEventListener("keydown", (event) => {
    if (!["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    const other = current === "tab-writing" ? "tab-reading" : "tab-writing";
    current = event.key === "Home" ? "tab-writing" : event.key === "End" ? "tab-reading" : other;
    arrange();
    $(current).focus();
  });
}
wide.addEventListener("change", arrange);

// measure estimates the length of the text. The preview contains the server's own count.

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const plural = (n, one) => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
function measure() {
  const prose = content.value.replace(/^(```|~~~)[^]*?^\1/gm, "").replace(/`[^`\n]*`/g, "")
    .replace(/\]\([^)]*\)/g, "]").replace(/^\s*\d+[.)]\s/gm, "");
  const ideographs = prose.match(ideograph)?.length ?? 0;
  let words = 0;
  for (const { isWordLike } of segmenter.segment(prose.replace(ideograph, " "))) if (isWordLike) words++;
  const parts = [];
  if (words || !ideographs) parts.push(plural(words, "word"));
  if (ideographs) parts.push(plural(ideographs, "character"));
  const minutes = Math.max(1, Math.round(words / 238 + ideographs / 400));
  $("count").textContent = parts.join(" and ") + (words || ideographs ? `, ${minutes} min read` : "");
}

// changed updates the page after the script has changed the text.
function changed() {
  if ($("reading").hidden) measure();
  preview.soon();
}
form.addEventListener("input", () => changed());
