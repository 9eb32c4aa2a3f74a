// The script that helps with writing in the editor: it continues lists, offers tags and shows where files can be dropped.

const content = document.getElementById("content");
const tags = document.getElementById("tags");

// insert replaces a part of a field like typing, so that the author can undo it in one step.
function insert(field, replacement, from, to) {
  field.setSelectionRange(from, to);
  if (!document.execCommand(replacement ? "insertText" : "delete", false, replacement)) {
    field.setRangeText(replacement, from, to, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
