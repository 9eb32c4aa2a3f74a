// The state of saving: the visible line is updated every second. Screen readers announce only important changes.

const statusLine = $("saved");
const announce = (message) => { $("saved-status").textContent = message; };
const statusText = document.createElement("span");
const remedy = document.createElement("span");
if (form.dataset.savedAgo) saver.at = performance.now() - form.dataset.savedAgo * 1000;
statusLine.replaceChildren(statusText, remedy);

function showStatus() {
  let message = saver.at === null ? "" : say("savedAt", { when: ago(performance.now() - saver.at) });
  if (saver.waiting) message = saver.waiting;
  else if (saver.failure) message = saver.failure;
  else if (saver.sending) message = say("saving");
  else if (saver.dirty) message = say("changed");
  if (statusText.textContent !== message) statusText.textContent = message;
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
    offer.textContent = say("login");
  } else {
    offer.className = "plain";
    offer.setAttribute("form", form.id);
    offer.name = "do";
    offer.value = "save";
    offer.textContent = say(to);
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

// The browser asks for confirmation if the text cannot be stored, or if a picture is still being uploaded.
let unloading = false;
addEventListener("beforeunload", (event) => {
  unloading = true;
  if (!submitting && (running || (saver.dirty && !saver.keep()))) event.preventDefault();
  setTimeout(() => { unloading = false; }, 1000); // the author may stay on the page
});
