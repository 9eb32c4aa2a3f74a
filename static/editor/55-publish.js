// The controls of publishing become a dialog.

const publishing = $("publish");
const dialog = document.createElement("dialog");
dialog.className = "publish-dialog";
dialog.setAttribute("aria-labelledby", "publish-title");
const rejected = form.querySelector("[autofocus]"); // the first invalid field
publishing.replaceWith(dialog);
dialog.append(publishing);

// The main button publishes now or, if there is a date, schedules.
const publishDate = $("publishDate");
const publishNow = $("publish-now");
const schedule = $("schedule");
publishNow.before(schedule);
schedule.classList.remove("plain");

// openPublishing opens the dialog at a field or at its top, where it says what will happen. The main button does not
// get the focus, so that Enter publishes nothing that the author has not seen.
function openPublishing(at) {
  offerCovers();
  subtitleAgain.value = subtitle.value;
  summarise();
  card.now();
  const folded = at?.closest("details");
  if (folded) folded.open = true;
  if (!dialog.open) dialog.showModal();
  (at?.querySelector("input") ?? at ?? $("publish-title")).focus(); // of a group, its first button
  if (!at) dialog.scrollTop = 0;
}

const opener = $("open-publish");
opener.role = "button";
opener.ariaHasPopup = "dialog";
opener.addEventListener("keydown", (event) => { // the key that opens the dialog must not press the button in it
  if (event.key !== " " && event.key !== "Enter") return;
  event.preventDefault();
  opener.click();
});
document.addEventListener("click", (event) => { // the button above, and links in the list of errors
  const to = event.target.closest?.('a[href^="#"]');
  const at = to && $(to.hash.slice(1));
  if (!at || !dialog.contains(at)) return;
  event.preventDefault();
  openPublishing(at === publishing ? undefined : at);
});
$("close-publish").hidden = false;
$("close-publish").addEventListener("click", () => dialog.close());
$("save").hidden = true;
$("preview").hidden = true;

// The subtitle can be written here as well.
const { subtitle } = form.elements;
const subtitleAgain = $("subtitle-again");
subtitleAgain.parentElement.hidden = false;
subtitleAgain.addEventListener("input", () => { subtitle.value = subtitleAgain.value.replace(/\s*\n\s*/g, " "); });

// card shows the post as lists will, with its address. If the server cannot be reached, the last one stays.
const card = {
  at: "", // the form data of the card
  timer: 0,
  asking: null,
  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), 300);
  },
  async now() {
    const body = new URLSearchParams({ ...text(), post: post(), card: "yes" });
    if (!$("card") || this.at === `${body}`) return;
    this.asking?.abort();
    this.asking = new AbortController();
    const headers = { "HX-Request": "true" };
    const { signal } = this.asking;
    const answer = await fetch("/preview", { method: "POST", body, headers, signal }).catch(() => {});
    const html = answer?.ok && await answer.text().catch(() => {});
    if (!html) return;
    this.at = `${body}`;
    $("card").innerHTML = html;
    const address = $("card").querySelector(".full-address");
    $("full-address").textContent = address.textContent;
    address.remove();
  },
};

// summarise says what will happen.
function summarise() {
  const at = publishDate.value;
  const later = at !== "" || publishDate.validity.badInput; // such as a date without a time
  const style = { dateStyle: "long", timeStyle: "short" };
  const date = at && new Date(at).toLocaleString(lang === "en" ? "en-GB" : lang, style).replace(" at ", ", ");
  const names = new Set(tags.value.toLowerCase().split(/[,،、，]/).map((tag) => tag.trim()).filter(Boolean));
  const unlisted = form.elements.status.value === "unlisted";
  const audience = say(unlisted ? "unlisted" : "public");
  const summary = $("publish-summary");
  const { told } = summary.dataset;
  const { value: code, selectedOptions: [{ text: language }] } = form.elements.language;
  summary.hidden = tags.type === "hidden"; // a static page has neither tags nor a visibility
  const tagged = say(names.size ? "tagged" : "untagged", { n: names.size });
  const how = at ? "publishesAt" : later ? "publishesLater" : "public" in summary.dataset ? "updates" : "publishes";
  const sentences = [say(how, { date, audience, tags: tagged }), code && say("language", { language })];
  if (!unlisted) sentences.push(told);
  summary.textContent = sentences.filter(Boolean).join(" ");
  publishNow.hidden = later;
  schedule.hidden = $("clear-date").hidden = !later;
}
dialog.addEventListener("input", () => {
  summarise();
  card.soon();
});
$("clear-date").addEventListener("click", () => {
  publishDate.value = "";
  summarise();
  publishNow.focus();
});
publishDate.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  schedule.click();
});

// The form is submitted when everything is saved and the server answers. So no save arrives after it, and the page is
// not left for the browser's page about a lost connection. Closing the dialog gives up.

let asking = null, submitting = false, checked = false;
form.addEventListener("submit", async (event) => {
  if (checked) {
    submitting = saver.stopped = true;
    rememberSubmitted();
    return;
  }
  event.preventDefault();
  // The second click of a double click. An attempt from the dialog replaces one that waits without it.
  if (submitting || asking?.waits === dialog.open) return;
  const attempt = asking = { waits: dialog.open };
  form.ariaBusy = "true";
  const go = await reachServer(attempt);
  if (asking !== attempt) return;
  giveUp();
  if (!go) return;
  clearTimeout(saver.timer);
  checked = true;
  form.requestSubmit(event.submitter); // does nothing if the form became invalid meanwhile
  checked = false;
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) submitting = saver.stopped = false;
});

// giveUp ends the attempt to submit the form, for example when the dialog is closed.
function giveUp() {
  asking = form.ariaBusy = null;
  saver.waiting = "";
}
dialog.addEventListener("close", () => {
  giveUp();
  $("publish-problem").textContent = "";
});

// reachServer waits until the pictures are uploaded, the text is saved and the server answers. With the dialog open it
// asks the server until it answers, otherwise only once. It returns whether the form can be submitted.
async function reachServer(attempt) {
  const problem = $("publish-problem");
  const tell = (message) => {
    if (asking !== attempt) return;
    if (!attempt.waits) {
      announce(message);
      saver.failure = message || saver.failure;
      showStatus();
    } else if (problem.textContent !== message) {
      problem.textContent = message;
    }
  };
  for (let wait = firstRetry; asking === attempt; wait = Math.min(lastRetry, wait * 2)) {
    if (running) {
      const waiting = say("waiting", { n: running });
      if (attempt.waits) {
        tell(waiting);
      } else {
        announce(saver.waiting = waiting);
        showStatus();
      }
      const added = await uploaded;
      saver.waiting = "";
      showStatus();
      if (added) continue;
      if (attempt.waits) tell(say("unadded"));
      return false;
    }
    await saver.now();
    const check = { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(requestTimeout) };
    // While the server restarts, a proxy answers with 502 to 504.
    const reached = await fetch("/healthz", check).then(({ status }) => status < 500, () => false);
    if (running) continue; // an upload began meanwhile
    if (reached) tell("");
    else tell(say(attempt.waits ? "offlineAgain" : "offline"));
    if (reached || !attempt.waits) return reached;
    await new Promise((again) => {
      setTimeout(again, wait);
      addEventListener("online", again, { once: true });
      dialog.addEventListener("close", again, { once: true });
    });
  }
}
