// What htmx leaves to say. Without this file everything still works.

const notice = () => document.getElementById("notice");

// A new try takes back what was said of the last one.
document.addEventListener("htmx:before:request", () => notice().replaceChildren());

// No answer came: the network is gone, or time ran out.
document.addEventListener("htmx:error", () => {
  notice().replaceChildren(document.getElementById("unreachable").content.cloneNode(true));
});

// Whatever has the focus when it is deleted hands it to its neighbour.
document.addEventListener("htmx:before:swap", ({ detail: { tasks } }) => {
  for (const { target, swapSpec } of tasks) {
    if (swapSpec.style !== "delete" || !target?.contains(document.activeElement)) continue;
    const heir = target.nextElementSibling ?? target.previousElementSibling ?? document.getElementById("comments-title");
    heir.tabIndex = -1;
    heir.focus();
  }
});

// A button that takes no pointer for the moment takes no key either.
document.addEventListener("click", (event) => {
  if (getComputedStyle(event.target).pointerEvents === "none") event.preventDefault();
}, true);
