// offerRestore offers the text stored in the browser, unless the server has it.

async function offerRestore() {
  const query = new URLSearchParams(location.search);
  if (query.has("done")) dropSubmitted();
  const ids = [post(), query.get("was")]; // the server has redirected from a former id
  const entries = localDrafts.all().filter((e) => ids.includes(e.post));
  const stored = (e) => same(e, text()) && !saver.dirty;
  entries.filter(stored).forEach((e) => localDrafts.drop(e));
  const entry = entries.find((e) => !stored(e)) ??
    (location.pathname === "/new" && !entries.length ? await localDrafts.unknownPost() : null);
  if (!entry) return;
  if (same(entry, text())) { // a rejected form, whose text the server does not have
    saver.copy = entry;
    return;
  }
  const before = text();
  // After logging in again, the text is restored without asking.
  const back = entry.reason === "session" &&
    entry.version === +form.elements.version.value && entry.revision === +form.elements.revision.value;
  const banner = template(back ? "restored" : "offer-restore");
  banner.querySelector(".age").textContent = ago(Date.now() - entry.at);
  const restore = () => {
    saver.copy = entry;
    saver.unanswered = entry.unanswered ?? [];
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
      if (back) localDrafts.drop(saver.copy);
      changed();
      saver.soon();
    }
    banner.remove();
    announce("");
    content.focus();
  });
  form.before(banner);
  // Screen readers announce a text that is put into an existing status element, but not a new one with its text.
  announce(banner.querySelector("p").textContent.trim().replace(/\s+/g, " "));
  if (back) restore();
}

// Every submit remembers the editor's entry for this tab, so that it can be dropped once the author has chosen a
// version.

const submittedKey = "inkfeed.submitted";
function rememberSubmitted() {
  try {
    sessionStorage.setItem(submittedKey, JSON.stringify(saver.copy));
  } catch { /* the entry is offered again */ }
}
function dropSubmitted() {
  try {
    const entry = JSON.parse(sessionStorage.getItem(submittedKey));
    sessionStorage.removeItem(submittedKey); // reloading the page is not another choice
    if (entry?.post === post()) localDrafts.drop(entry);
  } catch { /* as above */ }
}
