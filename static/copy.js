// The script of fields with a button that copies their text.
for (const button of document.querySelectorAll(".copy-field button")) {
  const field = button.parentElement.querySelector("input");
  const status = button.parentElement.querySelector('[role="status"]');
  button.hidden = false;
  button.addEventListener("click", async () => {
    let copied = true;
    try {
      await navigator.clipboard.writeText(field.value);
    } catch { // without permission or TLS
      field.select();
      copied = document.execCommand("copy");
    }
    if (copied) button.firstChild.textContent = "Copied";
    status.textContent = copied ? "Copied." : "The text is selected. Copy it with your keyboard.";
  });
  field.addEventListener("focus", () => field.select());
  if (document.activeElement === field) field.select();
}
