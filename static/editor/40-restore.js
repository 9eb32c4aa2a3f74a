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
