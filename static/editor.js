// What the form of a post does besides what forms do: it saves as one types, keeps in the
// browser what the server cannot take, shows the post as readers will see it, and takes
// images. Without this file everything else still works.

const $ = (id) => document.getElementById(id);
const form = $("editor");
const { title, content, tags, language } = form.elements;

const idle = 2000; // ms after the last key until it is saved
const longest = 10_000; // ms that anything typed waits to be saved
const firstRetry = 3000; // ms after a failure, doubled each time
const lastRetry = 15_000;
const tooLong = 20_000; // ms that an answer may take

const post = () => form.elements.post.value;
const text = () => ({ title: title.value, content: content.value, tags: tags.value, language: language.value, status: form.elements.status.value });
const same = (a, b) => a.title === b.title && a.content === b.content && a.tags === b.tags && (a.language ?? "") === (b.language ?? "") && a.status === b.status;
const put = (t) => {
  title.value = t.title;
  content.value = t.content;
  tags.value = t.tags;
  language.value = t.language ?? "";
  if (t.status) form.elements.status.value = t.status;
};
const template = (id) => $(id).content.firstElementChild.cloneNode(true);

// What is kept here while the server does not take it: one entry for each post, which
// says whose it is, for the next who uses this browser may be somebody else.

const shelf = {
  key: (id) => `inkfeed.draft.${id}`,
  keep(entry) {
    try {
      localStorage.setItem(this.key(entry.post), JSON.stringify(entry));
      return true;
    } catch {
      return false; // full, or forbidden
    }
  },
  drop(id) {
    try {
      localStorage.removeItem(this.key(id));
    } catch { /* nothing is kept where it is forbidden */ }
  },
  get(id) {
    try {
      const entry = JSON.parse(localStorage.getItem(this.key(id)));
      return entry?.user === form.dataset.user ? entry : null;
    } catch {
      return null;
    }
  },
  // The newest text of a post that the server knows nothing of.
  async orphan() {
    const entries = [];
    try {
      for (const key of Object.keys(localStorage)) {
        if (key.startsWith(this.key(""))) entries.push(this.get(key.slice(this.key("").length)));
      }
    } catch { /* as above */ }
    for (const entry of entries.filter((e) => e?.version === 0 && e.revision === 0).sort((a, b) => b.at - a.at)) {
      const answer = await fetch(`/posts/${entry.post}/edit`, { method: "HEAD" }).catch(() => null);
      if (answer?.status === 404) return entry;
    }
    return null;
  },
};

// Times are told as what they are now, and told again as they change.

const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });
function ago(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 3) return "just now";
  if (s < 60) return relative.format(-s, "second");
  if (s < 3600) return relative.format(-Math.floor(s / 60), "minute");
  if (s < 86400) return relative.format(-Math.floor(s / 3600), "hour");
  return relative.format(-Math.floor(s / 86400), "day");
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";

// The draft on the server, as far as it is known here.

const saver = {
  saved: "unsaved" in form.dataset ? {} : text(), // what the server has; {}: not what is in the form
  at: null, // when it took it, by performance.now(), which no clock change moves
  sending: null, // the promise of a saving under way
  unanswered: [], // what was sent since the last answer
  failure: "",
  reason: "", // of the failure, where it matters to whoever comes back
  stopped: false, // for good: two versions are to be chosen from, or the form is sent
  wait: firstRetry,
  timer: 0,
  since: 0, // when the first unsaved key was pressed

  get dirty() {
    const is = text();
    if (same(this.saved, is)) return false;
    // Nothing is no draft yet.
    return +form.elements.version.value > 0 || +form.elements.revision.value > 0 || Boolean((is.title + is.content + is.tags).trim());
  },

  // soon saves when the author pauses, or has typed for long enough.
  soon() {
    if (this.dirty && this.failure) this.keep();
    if (this.stopped || !this.dirty) return tell();
    this.since ||= performance.now();
    clearTimeout(this.timer);
    if (!this.sending) this.timer = setTimeout(() => this.now(), this.failure ? this.wait : Math.min(idle, Math.max(0, this.since + longest - performance.now())));
    tell();
  },

  body(what) {
    const { revision, version } = form.elements;
    return new URLSearchParams({ ...what, revision: revision.value, version: version.value });
  },

  // now saves at once, and once at a time.
  now() {
    clearTimeout(this.timer);
    if (this.stopped || !this.dirty) return this.sending ?? Promise.resolve();
    this.sending ??= this.send().finally(() => {
      this.sending = null;
      this.soon();
    });
    return this.sending;
  },

  async send() {
    const what = text();
    tell();
    let answer, said;
    try {
      answer = await fetch(`/drafts/${post()}`, { method: "POST", body: this.body(what), signal: AbortSignal.timeout(tooLong) });
      said = await answer.json();
    } catch {
      this.unanswered.push(what);
      if (going) return; // which cuts off what is under way
      return this.failed("can't reach the server.");
    }
    if (answer.status === 409 && said.version) {
      const other = { title: "", content: "", tags: "", ...said };
      const own = this.unanswered.find((u) => same(u, { ...other, status: u.status }));
      if (own) { // the other version is from here: only its answer was lost
        this.known(own, said);
        return this.send();
      }
    }
    if (answer.ok) {
      this.known(what, said);
      shelf.drop(post());
      if (this.failure) hear("Saved.");
      this.failure = this.reason = "";
      this.wait = firstRetry;
      return;
    }
    if (answer.status === 401) return this.failed("your session has expired.", { session: true });
    if (answer.status === 409) {
      this.stopped = true;
      return this.failed("this draft was changed in another tab or on another device.", { conflict: true });
    }
    this.failed(said.error ?? "something went wrong.");
  },

  known(what, { version, revision }) {
    this.saved = what;
    this.unanswered = [];
    this.at = performance.now();
    this.since = 0;
    form.elements.version.value = version;
    form.elements.revision.value = revision;
    // What is loaded anew, or come back to, is the draft.
    if (location.pathname === "/new") history.replaceState(null, "", `/posts/${post()}/edit`);
  },

  failed(why, { session = false, conflict = false } = {}) {
    this.reason = session ? "session" : "";
    const kept = this.keep();
    this.since = performance.now();
    this.wait = Math.min(lastRetry, this.failure ? this.wait * 2 : firstRetry);
    const failure = `Not saved: ${why} ${kept ? "We kept a copy in this browser." : "Copy your text to a safe place."}`;
    if (failure !== this.failure) hear(failure);
    this.failure = failure;
    way(session ? "login" : conflict ? "compare" : "");
  },

  // keep keeps what the server may not get.
  keep() {
    const { version, revision } = form.elements;
    return shelf.keep({ post: post(), user: form.dataset.user, ...text(), version: +version.value, revision: +revision.value, at: Date.now(), reason: this.reason });
  },
};

// What is said of it: the line that is seen follows every second, what is heard only what
// matters.

const seen = $("saved");
const hear = (message) => { $("saved-status").textContent = message; };
const line = document.createElement("span");
const ways = document.createElement("span");
if (form.dataset.savedAgo) saver.at = performance.now() - form.dataset.savedAgo * 1000;
seen.replaceChildren(line, ways);

function tell() {
  let says = saver.at === null ? "" : `Saved ${ago(performance.now() - saver.at)}`;
  if (saver.failure) says = saver.failure;
  else if (saver.sending) says = "Saving…";
  else if (saver.dirty) says = "Unsaved changes";
  if (line.textContent !== says) line.textContent = says;
  seen.classList.toggle("bad", Boolean(saver.failure));
  if (!saver.failure) ways.replaceChildren();
}
setInterval(tell, 1000);
tell();

// way offers what to do about a failure.
function way(to) {
  if (!to) return ways.replaceChildren();
  if (ways.firstElementChild?.dataset.way === to) return;
  const offer = document.createElement(to === "login" ? "a" : "button");
  offer.dataset.way = to;
  if (to === "login") {
    const draft = form.elements.version.value > 0 || form.elements.revision.value > 0;
    offer.href = `/login?next=${encodeURIComponent(draft ? `/posts/${post()}/edit` : `/new?post=${post()}`)}`;
    offer.textContent = "Log in";
  } else {
    offer.className = "plain";
    offer.name = "do";
    offer.value = "save";
    offer.textContent = "Compare versions";
  }
  ways.replaceChildren(" ", offer);
}

form.addEventListener("input", (event) => {
  if (event.target.form === form && event.target.name !== "publishDate") saver.soon();
});
form.addEventListener("focusout", () => saver.now());
addEventListener("online", () => saver.now());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") saver.now();
});

// Leaving: what is not saved yet is kept here first, for nobody hears whether the last
// request arrived.
addEventListener("pagehide", () => {
  if (leaving || !saver.dirty) return;
  saver.keep();
  if (saver.stopped) return;
  fetch(`/drafts/${post()}`, { method: "POST", body: saver.body(text()), keepalive: true }).catch(() => {});
});

// What cannot be kept at all is asked for.
let going = false;
addEventListener("beforeunload", (event) => {
  going = true;
  setTimeout(() => { going = false; }, 1000); // who is asked may stay
  if (!leaving && saver.dirty && !saver.keep()) event.preventDefault();
});

// The form is sent when everything is saved, so that no saving arrives after it.
let leaving = false;
form.addEventListener("submit", async (event) => {
  if (leaving) return event.preventDefault(); // the second half of a double click
  if (!saver.stopped && (saver.dirty || saver.sending)) {
    event.preventDefault();
    if (form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    await saver.now();
    form.ariaBusy = null;
  }
  clearTimeout(saver.timer);
  leaving = saver.stopped = true;
  if (event.defaultPrevented) {
    leaving = false;
    form.requestSubmit(event.submitter);
  }
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) leaving = saver.stopped = false;
});

// What was kept is offered back, unless the server got it after all.

async function offerBack() {
  const entry = shelf.get(post()) ?? (location.pathname === "/new" ? await shelf.orphan() : null);
  if (!entry) return;
  const chosen = new URLSearchParams(location.search).get("done") === "kept"; // of two: the other is among the drafts
  if (chosen || (same(entry, text()) && !saver.dirty)) return shelf.drop(entry.post);
  if (same(entry, text())) return; // the form has come back with it, and the server has it not
  const before = text();
  // Back from the log-in page: it stands where it stood.
  const back = entry.reason === "session" && entry.version === +form.elements.version.value && entry.revision === +form.elements.revision.value;
  const banner = template(back ? "restored" : "kept-here");
  banner.querySelector(".age").textContent = ago(Date.now() - entry.at);
  const restore = () => {
    form.elements.post.value = entry.post;
    put(entry);
    changed();
    saver.soon();
  };
  banner.addEventListener("click", ({ target }) => {
    if (!target.dataset.do) return;
    if (target.dataset.do === "restore") {
      restore();
    } else {
      if (back) put(before);
      shelf.drop(entry.post);
      changed();
      saver.soon();
    }
    banner.remove();
    content.focus();
  });
  form.before(banner);
  if (back) restore();
}

// The post as readers will see it.

const preview = {
  at: "", // what is shown
  timer: 0,
  asking: null,
  soon(ms = 300) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), ms);
  },
  async now() {
    if ($("reading").hidden) return;
    const what = new URLSearchParams({ title: title.value, content: content.value });
    if (this.at === `${what}`) return;
    this.asking?.abort();
    this.asking = new AbortController();
    try {
      const answer = await fetch("/preview", { method: "POST", body: what, headers: { "HX-Request": "true" }, signal: this.asking.signal });
      if (!answer.ok) return;
      const pane = $("rendering");
      const top = $("reading").scrollTop;
      pane.innerHTML = await answer.text();
      $("reading").scrollTop = top;
      $("count").textContent = pane.querySelector(".meta").textContent;
      this.at = `${what}`;
    } catch { /* the next key asks again */ }
  },
};

// Side by side where there is room for two, behind tabs where there is not.

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
    current = event.key === "Home" ? "tab-writing" : event.key === "End" ? "tab-reading" : current === "tab-writing" ? "tab-reading" : "tab-writing";
    arrange();
    $(current).focus();
  });
}
wide.addEventListener("change", arrange);

// How long it is, about as the server counts: its own count comes with the preview.

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const plural = (n, one) => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
function measure() {
  const prose = content.value.replace(/^(```|~~~)[^]*?^\1/gm, "").replace(/`[^`\n]*`/g, "").replace(/\]\([^)]*\)/g, "]").replace(/^\s*\d+[.)]\s/gm, "");
  const ideographs = prose.match(ideograph)?.length ?? 0;
  let words = 0;
  for (const { isWordLike } of segmenter.segment(prose.replace(ideograph, " "))) if (isWordLike) words++;
  const parts = [];
  if (words || !ideographs) parts.push(plural(words, "word"));
  if (ideographs) parts.push(plural(ideographs, "character"));
  const minutes = Math.max(1, Math.round(words / 238 + ideographs / 400));
  $("count").textContent = parts.join(" and ") + (words || ideographs ? `, ${minutes} min to read` : "");
}

// changed is for what changes without a key.
function changed() {
  if ($("reading").hidden) measure();
  preview.soon();
}
form.addEventListener("input", () => changed());

// Keys. What they insert can be undone like what is typed, where the browser lets it.

function insert(field, replacement, from, to) {
  field.focus();
  field.setSelectionRange(from, to);
  if (!document.execCommand("insertText", false, replacement)) {
    field.setRangeText(replacement, from, to, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

// wrap puts marks around what is selected, or takes them away.
function wrap(mark) {
  const { selectionStart: from, selectionEnd: to, value } = content;
  const inner = value.slice(from, to);
  const n = mark.length;
  if (value.slice(from - n, from) === mark && value.slice(to, to + n) === mark && value[from - n - 1] !== mark[0]) {
    insert(content, inner, from - n, to + n);
    content.setSelectionRange(from - n, to - n);
  } else {
    insert(content, mark + inner + mark, from, to);
    content.setSelectionRange(from + n, to + n);
  }
}

function link() {
  const { selectionStart: from, selectionEnd: to, value } = content;
  const inner = value.slice(from, to);
  const address = /^https?:\/\/\S+$/.test(inner);
  insert(content, address ? `[](${inner})` : `[${inner}](https://)`, from, to);
  if (address) content.setSelectionRange(from + 1, from + 1);
  else content.setSelectionRange(from + inner.length + 3, from + inner.length + 11);
}

const mac = /Mac|iPhone|iPad/.test(navigator.userAgentData?.platform ?? navigator.platform);
if (mac) for (const key of document.querySelectorAll("kbd.modifier")) key.textContent = "⌘";

// Enter in a line sends no form: the next line of a title is the text.
for (const field of [title, tags]) {
  let pressed = false;
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
    pressed = true;
    event.preventDefault();
  });
  field.addEventListener("keypress", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
  field.addEventListener("keyup", (event) => {
    if (event.key !== "Enter" || !pressed) return;
    pressed = false;
    if (field === title) content.focus();
    else saver.now();
  });
}

form.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  if (!(mac ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey) return;
  const inText = { b: () => wrap("**"), i: () => wrap("*"), k: link };
  const anywhere = {
    s: () => saver.now().then(() => { if (!saver.failure) hear("Saved."); }),
    enter: () => $("publish-now").focus(),
  };
  const key = event.key.toLowerCase();
  const does = anywhere[key] ?? (event.target === content ? inText[key] : undefined);
  if (!does) return;
  event.preventDefault();
  does();
});

// Images: pasted, dropped or chosen. While one is on its way a line stands for it.

async function describe(file) {
  const dialog = template("describe-image");
  dialog.querySelector(".name").textContent = file.name;
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  const alt = dialog.querySelector("input").value.trim();
  dialog.remove();
  return dialog.returnValue === "ok" ? alt : null;
}

const label = (alt) => alt.replace(/[\\[\]]/g, "\\$&").replace(/\s+/g, " ");

async function upload(file) {
  const place = content.selectionEnd; // a dialog may move the cursor
  const alt = await describe(file);
  content.setSelectionRange(place, place);
  content.focus();
  if (alt === null) return;
  const mark = `![${label(alt)}](uploading:${crypto.getRandomValues(new Uint32Array(1))[0]})`;
  const at = Math.min(place, content.value.length);
  const before = content.value.slice(0, at);
  const after = content.value.slice(at);
  const above = !before || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  const below = after.startsWith("\n\n") ? "" : !after || after.startsWith("\n") ? "\n" : "\n\n";
  insert(content, above + mark + below, at, at);
  const data = new FormData();
  data.append("file", file);
  data.append("alt", alt);
  let replacement = "", why = "";
  try {
    const answer = await fetch("/images", { method: "POST", body: data, headers: { Accept: "application/json" } });
    if (answer.ok) {
      const { markdown, url } = await answer.json();
      replacement = markdown ?? `![${label(alt)}](${url})`;
    } else {
      why = await reason(answer);
    }
  } catch {
    why = "can't reach the server.";
  }
  const from = content.value.indexOf(mark);
  if (from >= 0) {
    const { selectionStart, selectionEnd } = content;
    const moved = (i) => (i <= from ? i : Math.max(from, i + replacement.length - mark.length));
    content.setRangeText(replacement, from, from + mark.length, "preserve");
    content.setSelectionRange(moved(selectionStart), moved(selectionEnd));
    content.dispatchEvent(new Event("input", { bubbles: true }));
  }
  if (why) complain(`Couldn't add ${file.name}: ${why}`);
  else hear("Picture added.");
}

async function reason(answer) {
  if (answer.status === 401) return "your session has expired. Log in in another tab, then add the picture again.";
  try {
    const said = await answer.json();
    return said.error ?? Object.values(said.fields ?? {})[0] ?? "the server did not accept it.";
  } catch {
    return answer.status === 413 ? "it is too large." : "something went wrong.";
  }
}

function complain(message) {
  const paragraph = document.createElement("p");
  paragraph.className = "complaint";
  paragraph.role = "alert";
  paragraph.textContent = message;
  $("tools").before(paragraph);
  content.addEventListener("input", () => setTimeout(() => paragraph.remove(), 10_000), { once: true });
}

async function uploadAll(files) {
  for (const file of files) if (file.type.startsWith("image/")) await upload(file);
}
const images = (transfer) => [...(transfer?.files ?? [])].filter((f) => f.type.startsWith("image/"));
content.addEventListener("paste", (event) => {
  const files = images(event.clipboardData);
  if (!files.length || event.clipboardData.types.includes("text/plain")) return;
  event.preventDefault();
  uploadAll(files);
});
content.addEventListener("dragover", (event) => {
  if (event.dataTransfer.types.includes("Files")) event.preventDefault();
});
content.addEventListener("drop", (event) => {
  const files = images(event.dataTransfer);
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault(); // not to leave the page for a file, whatever it is
  uploadAll(files);
});
$("add-image").addEventListener("click", () => $("image-file").click());
$("image-file").addEventListener("change", ({ target }) => {
  uploadAll([...target.files]);
  target.value = "";
});

// Tags in use are offered for the one that is being typed: a combobox with a list.

const list = $("tag-list");
const suggest = {
  timer: 0,
  asking: null,
  get range() { // of the tag that the cursor stands in
    const at = tags.selectionStart;
    const from = Math.max(...[..."," + "،、，"].map((c) => tags.value.lastIndexOf(c, at - 1))) + 1;
    const rest = tags.value.slice(at).search(/[,،、，]/);
    return [from, rest < 0 ? tags.value.length : at + rest];
  },
  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), 150);
  },
  async now() {
    const [from, to] = this.range;
    const q = tags.value.slice(from, to).trim().replace(/^#+/, "");
    if (!q) return this.close();
    this.asking?.abort();
    this.asking = new AbortController();
    try {
      const answer = await fetch(`/suggest/tags?q=${encodeURIComponent(q)}`, { signal: this.asking.signal });
      if (answer.ok) this.open((await answer.json()).slice(0, 8), q);
    } catch { /* then nothing is offered */ }
  },
  open(names, q) {
    const there = tags.value.split(/[,،、，]/).map((t) => t.trim().toLowerCase());
    const offered = names.filter((n) => !there.includes(n.toLowerCase()) && n !== q);
    list.replaceChildren(...offered.map((name, i) => {
      const option = document.createElement("li");
      option.role = "option";
      option.id = `tag-option-${i}`;
      option.textContent = name;
      option.dir = "auto";
      option.ariaSelected = false;
      return option;
    }));
    list.hidden = !offered.length || document.activeElement !== tags;
    tags.ariaExpanded = !list.hidden;
    tags.removeAttribute("aria-activedescendant");
  },
  close() {
    clearTimeout(this.timer);
    this.asking?.abort();
    this.open([], "");
  },
  move(by) {
    const options = [...list.children];
    const was = options.findIndex((o) => o.ariaSelected === "true");
    const is = was < 0 && by < 0 ? options.length - 1 : (was + by + options.length) % options.length;
    options.forEach((o, i) => { o.ariaSelected = i === is; });
    tags.setAttribute("aria-activedescendant", options[is].id);
    options[is].scrollIntoView({ block: "nearest" });
  },
  take(option) {
    const [from, to] = this.range;
    const last = to === tags.value.length;
    insert(tags, `${from > 0 ? " " : ""}${option.textContent}${last ? ", " : ""}`, from, to);
    this.close();
  },
};
tags.role = "combobox";
tags.ariaAutoComplete = "list";
tags.ariaExpanded = false;
tags.setAttribute("aria-controls", "tag-list");
tags.addEventListener("input", () => suggest.soon());
tags.addEventListener("blur", () => suggest.close());
tags.addEventListener("keydown", (event) => {
  if (list.hidden || event.isComposing) return;
  const chosen = list.querySelector('[aria-selected="true"]');
  if (event.key === "ArrowDown" || event.key === "ArrowUp") suggest.move(event.key === "ArrowDown" ? 1 : -1);
  else if (event.key === "Escape") suggest.close();
  else if ((event.key === "Enter" || event.key === "Tab") && chosen) suggest.take(chosen);
  else return;
  event.preventDefault();
});
list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
list.addEventListener("click", ({ target }) => {
  if (target.role === "option") suggest.take(target);
});

// A time of the form is in the author's own zone.

function localise() {
  const field = $("publishDate");
  if ($("zone").value === zone) return;
  if (field.value && $("zone").value === "UTC") {
    const at = new Date(`${field.value}Z`);
    if (!Number.isNaN(at.getTime())) field.value = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  }
  if (field.value && $("zone").value !== "UTC") return; // one that came back from another zone
  $("zone").value = zone;
  $("zone-name").textContent = zone.replaceAll("_", " ");
}

$("copy-link")?.addEventListener("click", async ({ target }) => {
  try {
    await navigator.clipboard.writeText($("preview-link").value);
    target.textContent = "Copied";
    hear("Link copied.");
  } catch {
    $("preview-link").select();
  }
});

$("tools").hidden = false;
$("preview").hidden = true;
if ($("copy-link")) $("copy-link").hidden = false;
localise();
arrange();
measure();
offerBack();
if (saver.dirty) saver.soon(); // a form that came back unsaved
