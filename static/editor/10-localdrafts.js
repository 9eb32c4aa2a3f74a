// localDrafts stores text in the browser while the server does not accept it. Each editor has an entry of its own,
// because a post may be open in several tabs. The entry names its author, because several people may use the same
// browser.

const localDrafts = {
  editor: crypto.getRandomValues(new Uint32Array(2)).join(""),
  prefix: "inkfeed.draft.",
  key({ post, editor }) {
    return this.prefix + post + (editor ? `.${editor}` : ""); // entries of earlier releases name no editor
  },
  keep(entry) {
    try {
      localStorage.setItem(this.key(entry), JSON.stringify(entry));
      return true;
    } catch {
      return false; // storage is full or disabled
    }
  },
  // drop removes an entry, unless its editor has replaced it by a newer one.
  drop(entry) {
    if (entry && this.all().some((e) => this.key(e) === this.key(entry) && e.at === entry.at)) {
      localStorage.removeItem(this.key(entry));
    }
  },
  // all returns the author's entries, the newest first.
  all() {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(this.prefix))
        .map((key) => JSON.parse(localStorage.getItem(key)))
        .filter((entry) => entry?.user === form.elements.user.value).sort((a, b) => b.at - a.at);
    } catch {
      return [];
    }
  },
  // unknownPost returns the newest entry of a post that does not exist on the server.
  async unknownPost() {
    for (const entry of this.all().filter((e) => e.version === 0 && e.revision === 0)) {
      const answer = await fetch(`/posts/${entry.post}/edit`, { method: "HEAD" }).catch(() => null);
      if (answer?.status === 404) return entry;
    }
    return null;
  },
};
