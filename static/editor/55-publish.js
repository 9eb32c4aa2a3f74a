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

// openPublishing opens the dialog at a field or at the main button. In a low window, where that button is out of view,
// it opens at the heading.
function openPublishing(at) {
  summarise();
  offerCovers();
  const folded = at?.closest("details");
  if (folded) folded.open = true;
  if (!dialog.open) dialog.showModal();
  const main = schedule.hidden ? publishNow : schedule;
  const inView = main.getBoundingClientRect().bottom <= dialog.getBoundingClientRect().bottom;
  (at ?? (inView ? main : $("publish-title"))).focus();
}

const opener = $("open-publish");
opener.role = "button";
opener.ariaHasPopup = "dialog";
opener.addEventListener("keydown", (event) => {
  if (event.key !== " ") return;
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

// summarise says what will happen.
function summarise() {
  const at = publishDate.value;
  const later = at !== "" || publishDate.validity.badInput; // such as a date without a time
  let when = later ? "when you choose a date and a time" : "now";
  if (at) {
    const text = new Date(at).toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short" });
    when = `on ${text.replace(" at ", ", ")}`;
  }
  const names = new Set(tags.value.toLowerCase().split(/[,،、，]/).map((tag) => tag.trim()).filter(Boolean));
  const seen = form.elements.status.value === "unlisted" ? "unlisted" : "public";
  const summary = $("publish-summary");
  summary.hidden = false;
  const tagged = names.size ? `with ${plural(names.size, "tag")}` : "without tags";
  summary.textContent = `Publishes ${when}, ${seen}, ${tagged}.`;
  publishNow.hidden = later;
  schedule.hidden = $("clear-date").hidden = !later;
}
dialog.addEventListener("input", summarise);
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
// not left for the browser's page about a lost connection.

let asking = false, submitting = false, checked = false;
form.addEventListener("submit", async (event) => {
  if (checked) return;
  event.preventDefault();
  if (asking || submitting) return; // the second click of a double click
  asking = true;
  form.ariaBusy = "true";
  const go = await reachServer(event.submitter);
  asking = false;
  form.ariaBusy = null;
  if (!go) return;
  clearTimeout(saver.timer);
  submitting = saver.stopped = checked = true;
  form.requestSubmit(event.submitter);
  checked = false;
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) submitting = saver.stopped = false;
});

// reachServer saves the text and waits until the server answers, as long as the dialog is open.
async function reachServer(button) {
  const problem = $("publish-problem");
  for (let wait = firstRetry; ; wait = Math.min(lastRetry, wait * 2)) {
    await saver.now();
    const signal = AbortSignal.timeout(requestTimeout);
    const reached = await fetch("/healthz", { method: "HEAD", cache: "no-store", signal }).then(() => true, () => false);
    const waits = dialog.contains(button) && dialog.open;
    if (reached || !waits) {
      problem.textContent = "";
      if (!reached) announce("Can't reach the server. Your text is safe.");
      return reached && (waits || !dialog.contains(button));
    }
    const message = "Can't reach the server. Your text is safe. Trying again…";
    if (problem.textContent !== message) problem.textContent = message;
    await new Promise((again) => {
      setTimeout(again, wait);
      addEventListener("online", again, { once: true });
      dialog.addEventListener("close", again, { once: true });
    });
  }
}
