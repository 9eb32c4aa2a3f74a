// insert replaces text like typing, so that the author can undo it where the browser supports that.

function insert(field, replacement, from, to) {
  field.focus();
  field.setSelectionRange(from, to);
  if (!document.execCommand(replacement ? "insertText" : "delete", false, replacement)) {
    field.setRangeText(replacement, from, to, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

const mac = /Mac|iPhone|iPad/.test(navigator.userAgentData?.platform ?? navigator.platform);
const control = document.querySelector("kbd.modifier").textContent;
if (mac) for (const key of document.querySelectorAll("kbd.modifier")) key.textContent = "⌘";

// Enter in a single-line field does not submit the form. In the title and subtitle it moves to the text.
for (const field of textFields.map((name) => form.elements[name]).filter((field) => field !== content && field.type)) {
  let pressed = false;
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
    pressed = true;
    event.preventDefault();
  });
  field.addEventListener("keypress", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
  field.addEventListener("keyup", (event) => {
    if (event.key !== "Enter" || !pressed) return;
    pressed = false;
    if (growing.includes(field)) content.focus();
    else saver.now();
  });
}

form.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  if (!(mac ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey) return;
  const anywhere = {
    s: () => saver.now().then(() => { if (!saver.failure) announce(say("saved")); }),
    enter: () => openPublishing(),
  };
  const action = anywhere[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  action();
});
