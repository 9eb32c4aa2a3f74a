// What htmx leaves to say. Without this file everything still works.

// Times come in UTC, and are told in the zone of whoever reads them.
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" });
const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });
function localise() {
  for (const time of document.querySelectorAll("time.local")) {
    const at = new Date(time.dateTime);
    time.textContent = day.format(at) + (time.textContent.includes(":") ? `, ${clock.format(at)}` : "");
    time.classList.remove("local");
  }
}
localise();
document.addEventListener("htmx:after:swap", localise);

const notice = () => document.getElementById("Page-notice");

// A new try takes back what was said of the last one.
document.addEventListener("htmx:before:request", () => notice().replaceChildren());

// No answer came: the network is gone, or time ran out.
document.addEventListener("htmx:error", ({ target }) => {
  if (target.matches?.(".liked-by")) return; // nobody asked for it
  notice().replaceChildren(document.getElementById("Page-unreachable").content.cloneNode(true));
});

// Whatever has the focus when it is deleted hands it to its neighbour.
document.addEventListener("htmx:before:swap", ({ detail: { tasks } }) => {
  for (const { target, swapSpec } of tasks) {
    if (swapSpec.style !== "delete" || !target?.contains(document.activeElement)) continue;
    const heir = target.nextElementSibling ?? target.previousElementSibling ??
      target.parentElement.closest("#Page-comments li") ?? document.getElementById("Page-comments-title");
    heir.tabIndex = -1;
    heir.focus({ preventScroll: true });
  }
});

// A button that takes no pointer for the moment takes no key either.
document.addEventListener("click", (event) => {
  if (getComputedStyle(event.target).pointerEvents === "none") event.preventDefault();
}, true);

// What is in a reply already, whom it is for, comes before what is typed.
document.addEventListener("focusin", ({ target }) => {
  if (target.matches("textarea[id^=reply-]") && target.selectionEnd === 0) target.setSelectionRange(target.value.length, target.value.length);
});
