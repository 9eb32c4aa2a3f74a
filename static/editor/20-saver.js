// ago describes how long ago something was, such as "5 minutes ago".

const relative = new Intl.RelativeTimeFormat(lang, { numeric: "always" });
function ago(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 3) return say("now");
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
  copy: null, // the entry in the browser that this text replaces: the editor's own, or a restored one
  failure: "",
  waiting: "", // what the submission of the form waits for
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

  body(fields) {
    const { user, revision, version, listed } = form.elements;
    return new URLSearchParams({
      ...fields, user: user.value, revision: revision.value, version: version.value,
      ...(listed && { listed: listed.value }),
    });
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
    const sent = text();
    showStatus();
    let answer, reply;
    try {
      const signal = AbortSignal.timeout(requestTimeout);
      answer = await fetch(`/drafts/${post()}`, { method: "POST", body: this.body(sent), signal });
      reply = await answer.json();
    } catch {
      this.unanswered.push(sent);
      if (unloading) return; // leaving the page aborts requests
      return this.failed(say("unsaved"));
    }
    if (answer.status === 409 && reply.version) {
      const own = this.unanswered.find((u) => same(u, { ...reply, status: u.status }));
      if (own) { // the other version is our own: only its response was lost
        this.confirmed(own, reply);
        return this.send();
      }
    }
    if (answer.ok) {
      this.confirmed(sent, reply);
      localDrafts.drop(this.copy);
      this.copy = null;
      if (this.failure) announce(say("saved"));
      this.failure = this.reason = "";
      this.wait = firstRetry;
      return;
    }
    if (answer.status === 401) return this.failed(say("unsavedSession"), { to: "login" });
    if (answer.status === 409) {
      this.stopped = true;
      return this.failed(say("unsavedConflict"), { to: "compare" });
    }
    if (answer.status === 404 && reply.error) { // deleted meanwhile
      this.stopped = true;
      return this.failed(say("unsavedBecause", { reason: reply.error }), { to: "begin" });
    }
    this.failed(reply.error ? say("unsavedBecause", { reason: reply.error }) : say("unsavedWrong"));
  },

  confirmed(sent, { post: id, version, revision }) {
    this.saved = sent;
    this.unanswered = [];
    this.at = performance.now();
    this.since = 0;
    if (id) form.elements.post.value = id; // the server issues another one for a form of an earlier release
    form.elements.version.value = version;
    form.elements.revision.value = revision;
    // Reloading the page must open the draft.
    if (location.pathname === "/new") history.replaceState(null, "", `/posts/${post()}/edit`);
  },

  failed(why, { to = "" } = {}) {
    this.reason = to === "login" ? "session" : "";
    const kept = this.keep();
    this.since = performance.now();
    this.wait = Math.min(lastRetry, this.failure ? this.wait * 2 : firstRetry);
    const failure = `${why} ${say(kept ? "kept" : "copy")}`;
    if (failure !== this.failure) announce(failure);
    this.failure = failure;
    offerRemedy(to);
  },

  entry() {
    const { version, revision } = form.elements;
    return {
      post: post(), editor: localDrafts.editor, user: form.elements.user.value, ...text(),
      version: +version.value, revision: +revision.value, at: Date.now(), reason: this.reason,
      unanswered: this.unanswered.slice(0, 1), // the most likely one; all of them could fill the storage
    };
  },

  // keep stores the text in the browser.
  keep() {
    const entry = this.entry();
    if (!localDrafts.keep(entry)) return false;
    if (this.copy?.editor !== entry.editor) localDrafts.drop(this.copy);
    this.copy = entry;
    return true;
  },
};
