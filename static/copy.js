// The script of fields with a button that copies their text. The element around them has the texts of the button and of
// the status.
for (const button of document.querySelectorAll(".copy-field button")) {
  const place = button.parentElement;
  const field = place.querySelector("input");
  const status = place.querySelector('[role="status"]');
  button.hidden = false;
  button.addEventListener("click", async () => {
    let copied = true;
    try {
      await navigator.clipboard.writeText(field.value);
    } catch { // without permission or TLS
      field.select();
      copied = document.execCommand("copy");
    }
    if (copied) button.textContent = place.dataset.copied;
    status.textContent = copied ? place.dataset.done : place.dataset.selected;
  });
  field.addEventListener("focus", () => field.select());
  if (document.activeElement === field) field.select();
}
