// offerRestore offers the text stored in the browser, unless the server has it.

async function offerRestore() {
  if (new URLSearchParams(location.search).get("done") === "kept") { // the author chose between two versions
    dropSubmitted();
    history.replaceState(null, "", location.pathname); // reloading the page is not another choice
  }
  const entries = localDrafts.all().filter((e) => e.post === post());
  const stored = (e) => same(e, text()) && !saver.dirty;
  entries.filter(stored).forEach((e) => localDrafts.drop(e));
  const entry = entries.find((e) => !stored(e)) ??
    (location.pathname === "/new" && !entries.length ? await localDrafts.unknownPost() : null);
  if (!entry) return;
  if (same(entry, text())) { // a rejected form, whose text the server does not have
    localDrafts.editor = entry.editor;
    return;
  }
  const before = text();
  // After logging in again, the text is restored without asking.
  const back = entry.reason === "session" &&
    entry.version === +form.elements.version.value && entry.revision === +form.elements.revision.value;
  const banner = template(back ? "restored" : "offer-restore");
  banner.querySelector(".age").textContent = ago(Date.now() - entry.at);
  const restore = () => {
    localDrafts.editor = entry.editor; // saving the text replaces or drops the entry
    // If the server has a newer text, saving conflicts with it and the author compares the two.
    for (const name of ["post", "version", "revision"]) form.elements[name].value = entry[name];
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
      localDrafts.drop(entry);
      changed();
      saver.soon();
    }
    banner.remove();
    content.focus();
  });
  form.before(banner);
  // Screen readers announce a text that is put into an existing status element, but not a new one with its text.
  announce(banner.querySelector("p").textContent.trim().replace(/\s+/g, " "));
  if (back) restore();
}

// The form of a conflict remembers its entry until the author has chosen a version.

const submittedKey = "inkfeed.submitted";
function rememberSubmitted() {
  try {
    sessionStorage.setItem(submittedKey, JSON.stringify({ post: post(), editor: localDrafts.editor }));
  } catch { /* the entry is offered again */ }
}
function dropSubmitted() {
  try {
    const entry = JSON.parse(sessionStorage.getItem(submittedKey));
    if (entry?.post === post()) localDrafts.drop(entry);
  } catch { /* as above */ }
}
