// Pictures are pasted, dropped or chosen. A placeholder marks the place of each until it is uploaded.

async function describe(file) {
  const dialog = template("describe-image");
  dialog.querySelector(".name").textContent = file.name;
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  const alt = dialog.querySelector("input").value.trim();
  dialog.remove();
  return dialog.returnValue === "ok" ? alt : null;
}

const label = (alt) => alt.replace(/[\\[\]]/g, "\\$&").replace(/\s+/g, " ");

async function upload(file) {
  const place = content.selectionEnd; // the dialog may move the cursor
  const alt = await describe(file);
  content.setSelectionRange(place, place);
  content.focus();
  if (alt === null) return;
  const mark = `![${label(alt)}](uploading:${crypto.getRandomValues(new Uint32Array(1))[0]})`;
  const at = Math.min(place, content.value.length);
  const before = content.value.slice(0, at);
  const after = content.value.slice(at);
  const above = !before || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  const below = after.startsWith("\n\n") ? "" : !after || after.startsWith("\n") ? "\n" : "\n\n";
  insert(content, above + mark + below, at, at);
  const data = new FormData();
  data.append("file", file);
  data.append("alt", alt);
  let replacement = "", why = "";
  try {
    const answer = await fetch("/images", { method: "POST", body: data, headers: { Accept: "application/json" } });
    if (answer.ok) {
      const { markdown, url } = await answer.json();
      replacement = markdown ?? `![${label(alt)}](${url})`;
    } else {
      why = await reason(answer);
    }
  } catch {
    why = "can't reach the server.";
  }
  const from = content.value.indexOf(mark);
  if (from >= 0) {
    const { selectionStart, selectionEnd } = content;
    const moved = (i) => (i <= from ? i : Math.max(from, i + replacement.length - mark.length));
    content.setRangeText(replacement, from, from + mark.length, "preserve");
    content.setSelectionRange(moved(selectionStart), moved(selectionEnd));
    content.dispatchEvent(new Event("input", { bubbles: true }));
  }
  if (why) showError(`Couldn't add ${file.name}: ${why}`);
  else announce("Picture added.");
}

async function reason(answer) {
  if (answer.status === 401) return "your session has expired. Log in in another tab, then add the picture again.";
  try {
    const said = await answer.json();
    return said.error ?? Object.values(said.fields ?? {})[0] ?? "the server did not accept it.";
  } catch {
    return answer.status === 413 ? "it is too large." : "something went wrong.";
  }
}

function showError(message) {
  const paragraph = document.createElement("p");
  paragraph.className = "field-error";
  paragraph.role = "alert";
  paragraph.textContent = message;
  $("toolbar").after(paragraph);
  content.addEventListener("input", () => setTimeout(() => paragraph.remove(), 10_000), { once: true });
}

async function uploadAll(files) {
  for (const file of files) if (file.type.startsWith("image/")) await upload(file);
}
const images = (transfer) => [...(transfer?.files ?? [])].filter((f) => f.type.startsWith("image/"));
content.addEventListener("paste", (event) => {
  const files = images(event.clipboardData);
  if (!files.length || event.clipboardData.types.includes("text/plain")) return;
  event.preventDefault();
  uploadAll(files);
});
content.addEventListener("dragover", (event) => {
  if (event.dataTransfer.types.includes("Files")) event.preventDefault();
});
content.addEventListener("drop", (event) => {
  const files = images(event.dataTransfer);
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault(); // otherwise the browser would open the file
  uploadAll(files);
});
$("add-image").addEventListener("click", () => $("image-file").click());
$("image-file").addEventListener("change", ({ target }) => {
  uploadAll([...target.files]);
  target.value = "";
});
