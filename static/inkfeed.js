// What htmx leaves to say. Without this file everything still works.

const notice = () => document.getElementById("notice");

// A new try takes back what was said of the last one.
document.addEventListener("htmx:before:request", () => notice().replaceChildren());

// No answer came: the network is gone, or time ran out.
document.addEventListener("htmx:error", () => {
  notice().replaceChildren(document.getElementById("unreachable").content.cloneNode(true));
});

// A button that takes no pointer for the moment takes no key either.
document.addEventListener("click", (event) => {
  if (getComputedStyle(event.target).pointerEvents === "none") event.preventDefault();
}, true);
