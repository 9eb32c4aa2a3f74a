// The script of the editor. It saves the draft while the author types, stores text in the browser while the server is
// unreachable, shows a preview and uploads pictures. The form also works without it.

const $ = (id) => document.getElementById(id);
const form = $("editor");
const { title, content, tags } = form.elements;
const textFields = ["title", "content", "tags", "language"]; // what the author types, by the names of the fields

const idleTime = 2000; // ms from the last key press to saving
const maxWait = 10_000; // ms that typed text waits at most
const firstRetry = 3000; // ms after a failure, doubled each time
const lastRetry = 15_000;
const requestTimeout = 20_000; // ms until a request is given up

const post = () => form.elements.post.value;
const text = () => Object.fromEntries([...textFields, "status"].map((name) => [name, form.elements[name].value]));
const same = (a, b) => textFields.every((name) => (a[name] ?? "") === (b[name] ?? "")) && a.status === b.status;
const put = (t) => {
  for (const name of textFields) form.elements[name].value = t[name] ?? "";
  if (t.status) form.elements.status.value = t.status;
};
const template = (id) => $(id).content.firstElementChild.cloneNode(true);

// localDrafts stores text in the browser while the server does not accept it. There is one entry for each post. It
// names its author, because several people may use the same browser.

const localDrafts = {
  key: (id) => `inkfeed.draft.${id}`,
  keep(entry) {
    try {
      localStorage.setItem(this.key(entry.post), JSON.stringify(entry));
      return true;
    } catch {
      return false; // storage is full or disabled
    }
  },
  drop(id) {
    try {
      localStorage.removeItem(this.key(id));
    } catch { /* without storage nothing is stored */ }
  },
  get(id) {
    try {
      const entry = JSON.parse(localStorage.getItem(this.key(id)));
      return entry?.user === form.dataset.user ? entry : null;
    } catch {
      return null;
    }
  },
  // unknownPost returns the newest entry of a post that does not exist on the server.
  async unknownPost() {
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

// ago describes a time relative to now.

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

// saver saves the draft, one request at a time.

const saver = {
  saved: "unsaved" in form.dataset ? {} : text(), // the text that the server has; {} if unknown
  at: null, // when it was saved, by performance.now(), which is independent of clock changes
  sending: null, // the promise of the request in progress
  unanswered: [], // the texts sent since the last response
  failure: "",
  reason: "", // "session" if the session has expired
  stopped: false, // after a conflict, and when the form is submitted
  wait: firstRetry,
  timer: 0,
  since: 0, // when the first unsaved change was made

  get dirty() {
    const is = text();
    if (same(this.saved, is)) return false;
    // An empty form is not a draft.
    const exists = +form.elements.version.value > 0 || +form.elements.revision.value > 0;
    return exists || textFields.some((name) => is[name].trim());
  },

  // soon saves when the author pauses or has typed for long enough.
  soon() {
    if (this.dirty && this.failure) this.keep();
    if (this.stopped || !this.dirty) return showStatus();
    this.since ||= performance.now();
    clearTimeout(this.timer);
    const left = Math.max(0, this.since + maxWait - performance.now());
    if (!this.sending) this.timer = setTimeout(() => this.now(), this.failure ? this.wait : Math.min(idleTime, left));
    showStatus();
  },

  body(what) {
    const { revision, version } = form.elements;
    return new URLSearchParams({ ...what, revision: revision.value, version: version.value });
  },

  // now saves at once, after the request in progress.
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
    showStatus();
    let answer, said;
    try {
      const signal = AbortSignal.timeout(requestTimeout);
      answer = await fetch(`/drafts/${post()}`, { method: "POST", body: this.body(what), signal });
      said = await answer.json();
    } catch {
      this.unanswered.push(what);
      if (unloading) return; // leaving the page aborts requests
      return this.failed("can't reach the server.");
    }
    if (answer.status === 409 && said.version) {
      const own = this.unanswered.find((u) => same(u, { ...said, status: u.status }));
      if (own) { // the other version is our own: only its response was lost
        this.confirmed(own, said);
        return this.send();
      }
    }
    if (answer.ok) {
      this.confirmed(what, said);
      localDrafts.drop(post());
      if (this.failure) announce("Saved.");
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

  confirmed(what, { version, revision }) {
    this.saved = what;
    this.unanswered = [];
    this.at = performance.now();
    this.since = 0;
    form.elements.version.value = version;
    form.elements.revision.value = revision;
    // Reloading the page must open the draft.
    if (location.pathname === "/new") history.replaceState(null, "", `/posts/${post()}/edit`);
  },

  failed(why, { session = false, conflict = false } = {}) {
    this.reason = session ? "session" : "";
    const kept = this.keep();
    this.since = performance.now();
    this.wait = Math.min(lastRetry, this.failure ? this.wait * 2 : firstRetry);
    const failure = `Not saved: ${why} ${kept ? "We kept a copy in this browser." : "Copy your text to a safe place."}`;
    if (failure !== this.failure) announce(failure);
    this.failure = failure;
    offerRemedy(session ? "login" : conflict ? "compare" : "");
  },

  // keep stores the text in the browser.
  keep() {
    const { version, revision } = form.elements;
    return localDrafts.keep({
      post: post(), user: form.dataset.user, ...text(),
      version: +version.value, revision: +revision.value, at: Date.now(), reason: this.reason,
    });
  },
};

// The state of saving: the visible line is updated every second. Screen readers announce only important changes.

const statusLine = $("saved");
const announce = (message) => { $("saved-status").textContent = message; };
const statusText = document.createElement("span");
const remedy = document.createElement("span");
if (form.dataset.savedAgo) saver.at = performance.now() - form.dataset.savedAgo * 1000;
statusLine.replaceChildren(statusText, remedy);

function showStatus() {
  let says = saver.at === null ? "" : `Saved ${ago(performance.now() - saver.at)}`;
  if (saver.failure) says = saver.failure;
  else if (saver.sending) says = "Saving…";
  else if (saver.dirty) says = "Unsaved changes";
  if (statusText.textContent !== says) statusText.textContent = says;
  statusLine.classList.toggle("bad", Boolean(saver.failure));
  if (!saver.failure) remedy.replaceChildren();
}
setInterval(showStatus, 1000);
showStatus();

// offerRemedy shows what the author can do about a failure.
function offerRemedy(to) {
  if (!to) return remedy.replaceChildren();
  if (remedy.firstElementChild?.dataset.remedy === to) return;
  const offer = document.createElement(to === "login" ? "a" : "button");
  offer.dataset.remedy = to;
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
  remedy.replaceChildren(" ", offer);
}

form.addEventListener("input", (event) => {
  if (event.target.form === form && event.target.name !== "publishDate") saver.soon();
});
form.addEventListener("focusout", () => saver.now());
addEventListener("online", () => saver.now());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") saver.now();
});

// When the page is left, unsaved text is stored in the browser before it is sent, because the response would be lost.
addEventListener("pagehide", () => {
  if (submitting || !saver.dirty) return;
  saver.keep();
  if (saver.stopped) return;
  fetch(`/drafts/${post()}`, { method: "POST", body: saver.body(text()), keepalive: true }).catch(() => {});
});

// The browser asks for confirmation if the text cannot be stored.
let unloading = false;
addEventListener("beforeunload", (event) => {
  unloading = true;
  setTimeout(() => { unloading = false; }, 1000); // the author may stay on the page
  if (!submitting && saver.dirty && !saver.keep()) event.preventDefault();
});

// The form is submitted when everything is saved, so that no save arrives after it.
let submitting = false;
form.addEventListener("submit", async (event) => {
  if (submitting) return event.preventDefault(); // the second click of a double click
  if (!saver.stopped && (saver.dirty || saver.sending)) {
    event.preventDefault();
    if (form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    await saver.now();
    form.ariaBusy = null;
  }
  clearTimeout(saver.timer);
  submitting = saver.stopped = true;
  if (event.defaultPrevented) {
    submitting = false;
    form.requestSubmit(event.submitter);
  }
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) submitting = saver.stopped = false;
});

// offerRestore offers the text stored in the browser, unless the server has it.

async function offerRestore() {
  const entry = localDrafts.get(post()) ?? (location.pathname === "/new" ? await localDrafts.unknownPost() : null);
  if (!entry) return;
  const chosen = new URLSearchParams(location.search).get("done") === "kept"; // the author chose between two versions
  if (chosen || (same(entry, text()) && !saver.dirty)) return localDrafts.drop(entry.post);
  if (same(entry, text())) return; // a rejected form, whose text the server does not have
  const before = text();
  // After logging in again, the text is restored without asking.
  const back = entry.reason === "session" &&
    entry.version === +form.elements.version.value && entry.revision === +form.elements.revision.value;
  const banner = template(back ? "restored" : "offer-restore");
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
      localDrafts.drop(entry.post);
      changed();
      saver.soon();
    }
    banner.remove();
    content.focus();
  });
  form.before(banner);
  if (back) restore();
}

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

// insert replaces text like typing, so that the author can undo it where the browser supports that.

function insert(field, replacement, from, to) {
  field.focus();
  field.setSelectionRange(from, to);
  if (!document.execCommand("insertText", false, replacement)) {
    field.setRangeText(replacement, from, to, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

// wrap adds Markdown marks around the selection, or removes them.
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

// Enter in a single-line field does not submit the form. In the title it moves to the text.
for (const field of textFields.map((name) => form.elements[name]).filter((field) => field !== content)) {
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
    s: () => saver.now().then(() => { if (!saver.failure) announce("Saved."); }),
    enter: () => $("publish-now").focus(),
  };
  const key = event.key.toLowerCase();
  const does = anywhere[key] ?? (event.target === content ? inText[key] : undefined);
  if (!does) return;
  event.preventDefault();
  does();
});

// Pictures are pasted, dropped or chosen. A placeholder marks the place of each until it is uploaded.

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
  const place = content.selectionEnd; // the dialog may move the cursor
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
  if (why) showError(`Couldn't add ${file.name}: ${why}`);
  else announce("Picture added.");
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

function showError(message) {
  const paragraph = document.createElement("p");
  paragraph.className = "field-error";
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
  event.preventDefault(); // otherwise the browser would open the file
  uploadAll(files);
});
$("add-image").addEventListener("click", () => $("image-file").click());
$("image-file").addEventListener("change", ({ target }) => {
  uploadAll([...target.files]);
  target.value = "";
});

// suggest offers existing tags for the one that is being typed, as a combobox with a list.

const list = $("tag-list");
const suggest = {
  timer: 0,
  asking: null,
  get range() { // the tag at the cursor
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
    } catch { /* without suggestions */ }
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

// localise converts the publication time to the author's time zone.

function localise() {
  const field = $("publishDate");
  if ($("zone").value === zone) return;
  if (field.value && $("zone").value === "UTC") {
    const at = new Date(`${field.value}Z`);
    const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
    if (!Number.isNaN(at.getTime())) field.value = local.toISOString().slice(0, 16);
  }
  if (field.value && $("zone").value !== "UTC") return; // a rejected form from another time zone
  $("zone").value = zone;
  $("zone-name").textContent = zone.replaceAll("_", " ");
}

$("copy-link")?.addEventListener("click", async ({ target }) => {
  try {
    await navigator.clipboard.writeText($("preview-link").value);
    target.textContent = "Copied";
    announce("Link copied.");
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
offerRestore();
if (saver.dirty) saver.soon(); // a rejected form
