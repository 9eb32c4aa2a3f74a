// While files are dragged over the page, it shows where they can be dropped: in the dialog, as the cover.

const dragging = (on) => content.closest(".editor").classList.toggle("dragging", on);
document.addEventListener("dragover", (event) => {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  dragging(true);
});
document.addEventListener("dragleave", ({ relatedTarget }) => {
  if (!relatedTarget) dragging(false);
});
document.addEventListener("drop", () => dragging(false));
