// The script of all pages: local times, and what htmx does not do. Everything also works without it.

// localise converts times from the site's time zone to the reader's. It writes them as the server does, by the formats
// of the page's language: 2 January 2006, 15:04.
const formats = document.currentScript.dataset;
const months = formats.months.split("|");
const fill = (format, values) => format.replace(/\{(\w+)\}/g, (slot, name) => values[name] ?? slot);
const twoDigits = (number) => String(number).padStart(2, "0");
function localise() {
  for (const time of document.querySelectorAll("time.local")) {
    const at = new Date(time.dateTime);
    const date = fill(formats.date, { day: (at.getDate() === 1 && formats.first) || at.getDate(), month: months[at.getMonth()], year: at.getFullYear() });
    time.textContent = !time.matches(".timed") ? date :
      fill(formats.time, { date, hour: twoDigits(at.getHours()), minute: twoDigits(at.getMinutes()) });
    time.classList.remove("local");
  }
}
localise();
document.addEventListener("htmx:after:swap", localise);

const notice = () => document.getElementById("Page-notice");
const showUnreachable = () => {
  notice().replaceChildren(document.getElementById("Page-unreachable").content.cloneNode(true));
};

// automatic reports whether the page made a request by itself. The reader need not know whether that failed.
const automatic = (source) => source.matches?.(".liked-by, #import");

// A new request removes the notice about the last one.
document.addEventListener("htmx:before:request", ({ target }) => {
  if (!automatic(target)) notice().replaceChildren();
});

// A comment that is being sent cannot be changed: the response replaces its form. If the form stays, because the
// request failed, its text can be changed again.
for (const [event, readOnly] of [["htmx:before:request", true], ["htmx:finally:request", false]]) {
  document.addEventListener(event, ({ detail: { ctx: { sourceElement: form } } }) => {
    if (form.matches("form") && form.elements.content) form.elements.content.readOnly = readOnly;
  });
}

// "Reply" does not replace a reply that was begun in the same thread, but leads to it.
document.addEventListener("htmx:before:request", (event) => {
  const { sourceElement, target } = event.detail.ctx;
  const reply = sourceElement.matches("a[href$='/reply']") && target?.querySelector("textarea");
  if (!reply || (reply.value === reply.defaultValue && !reply.form.querySelector(".error-summary"))) return;
  event.preventDefault();
  reply.focus();
});

// The request got no response: the network failed, or it timed out.
document.addEventListener("htmx:error", ({ target }) => {
  if (!automatic(target)) showUnreachable();
});

// A response without the header HX-Server is not Inkfeed's. It may be a proxy's, while Inkfeed restarts. Such a
// response must not replace a form or remove a comment.
document.addEventListener("htmx:before:response", (event) => {
  const { hx, response } = event.detail.ctx;
  const ours = "server" in hx;
  if (ours && (response.status < 400 || hx.redirect || !automatic(event.target))) return;
  event.preventDefault();
  if (!automatic(event.target)) showUnreachable();
});

// When the focused element is deleted, its neighbour gets the focus.
document.addEventListener("htmx:before:swap", ({ detail: { tasks } }) => {
  for (const { target, swapSpec } of tasks) {
    if (swapSpec.style !== "delete" || !target?.contains(document.activeElement)) continue;
    const neighbour = target.nextElementSibling ?? target.previousElementSibling ??
      target.parentElement.closest("#Page-comments li") ?? document.getElementById("Page-comments-title");
    neighbour.tabIndex = -1;
    neighbour.focus({ preventScroll: true });
  }
});

// A form that is on its way is not sent again by the same button, for example by a double click. It can be sent again
// when the user goes back to the page, and after some seconds in any case: no event tells that the user has stopped the
// submission, or that the response is a download. The forms that htmx sends never get here.
const resendTime = 5000; // milliseconds
let sentForm = null; // the form that is on its way
let sentButton = null; // the button that sent it
let resendTimer = 0;
const releaseForm = () => {
  sentForm = null;
};
addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || event.submitter?.formTarget) return; // or the page stays
  if (form === sentForm && event.submitter === sentButton) {
    event.preventDefault();
    return;
  }
  sentForm = form;
  sentButton = event.submitter;
  clearTimeout(resendTimer);
  resendTimer = setTimeout(releaseForm, resendTime);
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) releaseForm();
});

// A button that ignores the pointer for a moment ignores keys as well.
document.addEventListener("click", (event) => {
  if (getComputedStyle(event.target).pointerEvents === "none") event.preventDefault();
}, true);

// Ctrl+Enter or, on a Mac, Command+Enter sends a form whose button names these keys.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  event.target.form?.querySelector("[aria-keyshortcuts~='Control+Enter']")?.click();
});

// In a reply that begins with a mention, the cursor goes behind it.
document.addEventListener("focusin", ({ target }) => {
  if (target.matches("textarea[id^=reply-]") && target.selectionEnd === 0) {
    target.setSelectionRange(target.value.length, target.value.length);
  }
});

// An open menu closes when the user clicks or moves the focus elsewhere, and on Escape.
for (const event of ["click", "focusin"]) {
  document.addEventListener(event, ({ target }) => {
    for (const menu of document.querySelectorAll(".menu[open]")) menu.open = menu.contains(target);
  });
}
document.addEventListener("keydown", (event) => {
  const menu = document.querySelector(".menu[open]");
  if (event.key !== "Escape" || !menu) return;
  event.preventDefault();
  menu.open = false;
  menu.querySelector("summary").focus();
});

// The address of a post is copied, or shared by the dialog of the system.
for (const place of document.querySelectorAll(".share")) {
  const { href } = place.querySelector("a");
  const { title, done, failed } = place.dataset;
  const actions = {
    share: () => navigator.share({ title, url: href }).catch(() => {}), // closing the dialog rejects
    copy: async () => {
      const copied = await navigator.clipboard?.writeText(href).then(() => true, () => false);
      place.classList.toggle("failed", !copied); // without permission or TLS
      place.querySelector("[role]").textContent = copied ? done : failed;
    },
  };
  for (const button of place.querySelectorAll("button")) {
    const { do: name } = button.dataset;
    button.hidden = name === "share" && !navigator.share;
    button.addEventListener("click", actions[name]);
  }
}
