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
