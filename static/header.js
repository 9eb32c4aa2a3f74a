// The script of the page for the header picture. A chosen file becomes the header, so no other choice stays selected
// beside it. Without a file, the former choice is back.
const file = document.getElementById("file");
const choices = [...document.querySelectorAll('#picture input[name="picture"]')];
let former = choices.find((choice) => choice.checked);

file.addEventListener("change", () => {
  if (file.files.length > 0) {
    former = choices.find((choice) => choice.checked) ?? former;
    for (const choice of choices) choice.checked = false;
  } else if (former && !choices.some((choice) => choice.checked)) {
    former.checked = true;
  }
});

for (const choice of choices) {
  choice.addEventListener("change", () => {
    file.value = "";
  });
}
