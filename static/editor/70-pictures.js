// Authors paste, drop or choose pictures. They describe one picture at a time, while earlier ones are being uploaded. A
// placeholder in the text marks the place of a picture until it is uploaded.

// describe asks for the description of a picture. It returns null if the author cancels.

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

// uploads lists the pictures that are being uploaded and those that failed, one line for each file. A file is known by
// its name and size, because all pictures from the clipboard have the same name.

const uploads = document.createElement("ul");
uploads.className = "uploads";
form.append(uploads);

// showUpload shows the progress of an upload or its failure. The author can dismiss a failure and, with again, retry.
function showUpload(file, message, { failed = false, again } = {}) {
  const entry = template("upload");
  entry.file = file;
  const text = entry.querySelector("p");
  text.textContent = message;
  const [retry, dismiss] = entry.querySelectorAll("button");
  retry.hidden = !again;
  dismiss.hidden = !failed;
  retry.addEventListener("click", again);
  dismiss.addEventListener("click", () => { entry.remove(); content.focus(); });
  endUpload(file);
  uploads.append(entry);
  if (failed) {
    text.className = "field-error";
    text.role = "alert";
  }
}

function endUpload(file) {
  for (const entry of [...uploads.children]) {
    if (entry.file.name === file.name && entry.file.size === file.size) entry.remove();
  }
}

let running = 0; // uploads
let uploaded; // a promise of whether all of them succeed
function startUpload(file, alt) {
  uploaded = Promise.all([running ? uploaded : true, upload(file, alt)]).then((all) => all.every(Boolean));
}

async function upload(file, alt) {
  const mark = `![${label(alt)}](uploading:${crypto.getRandomValues(new Uint32Array(1))[0]})`;
  const at = placed ? content.selectionEnd : content.value.length;
  const before = content.value.slice(0, at);
  const after = content.value.slice(at);
  const above = !before || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  const below = after.startsWith("\n\n") ? "" : !after || after.startsWith("\n") ? "\n" : "\n\n";
  insert(content, above + mark + below, at, at);
  placed = true;
  running++;
  showUpload(file, say("uploading", file));
  announce(running > 1 ? say("uploadingMany", { n: running }) : say("uploadingOne", file));
  const data = new FormData();
  data.append("file", file);
  data.append("alt", alt);
  data.append("user", form.elements.user.value);
  let why = "";
  try {
    const answer = await fetch(form.dataset.pictures, {
      method: "POST", body: data, headers: { Accept: "application/json" },
    });
    if (answer.ok) {
      const { markdown, url } = await answer.json();
      replacePlaceholder(mark, markdown ?? `![${label(alt)}](${url})`);
    } else {
      why = await reason(answer, file);
    }
  } catch {
    why = say("uploadOffline", file);
  }
  running--;
  if (why) {
    replacePlaceholder(above + mark + below, "") || replacePlaceholder(mark, "");
    showUpload(file, why, { failed: true, again: () => startUpload(file, alt) });
  } else {
    endUpload(file);
    announce(running ? say("addedRest", { n: running }) : say("added"));
  }
  return !why;
}

// replacePlaceholder replaces a placeholder. The cursor stays where it is in the rest of the text. It returns whether
// the text contained the placeholder.
function replacePlaceholder(mark, replacement) {
  const from = content.value.indexOf(mark);
  if (from < 0) return false;
  const { selectionStart, selectionEnd } = content;
  const to = from + mark.length, end = from + replacement.length;
  const moved = (at) => (at <= from ? at : end + Math.max(0, at - to));
  if (document.activeElement === content) {
    insert(content, replacement, from, to);
  } else {
    content.setRangeText(replacement, from, to, "preserve");
    content.dispatchEvent(new Event("input", { bubbles: true }));
  }
  content.setSelectionRange(moved(selectionStart), moved(selectionEnd));
  cursor = cursor.map(moved);
  return true;
}

// removeInterrupted removes the placeholders of uploads that ended when their page was left.
function removeInterrupted() {
  const marks = [...content.value.matchAll(/!\[((?:\\.|[^\]\\])*)\]\(uploading:\d+\)/g)];
  for (const [i, [mark, alt]] of marks.entries()) {
    const name = alt.replace(/\\(.)/g, "$1") || say("picture", { number: i + 1 });
    showUpload({ name, size: i }, say("uploadLeft", { name }), { failed: true });
    replacePlaceholder(mark, "");
  }
}

async function reason(answer, { name }) {
  if (answer.status === 401) return say("uploadSession", { name });
  try {
    const reply = await answer.json();
    const why = reply.error ?? Object.values(reply.fields ?? {})[0];
    return why ? say("uploadBecause", { name, reason: why }) : say("uploadRefused", { name });
  } catch {
    return say(answer.status === 413 ? "uploadLarge" : "uploadWrong", { name });
  }
}

let cursor = []; // the selection, which a dialog may move
let describing = Promise.resolve();
function uploadAll(files) {
  for (const file of files) {
    if (!file.type.startsWith("image/")) {
      showUpload(file, say("uploadType", file), { failed: true });
      continue;
    }
    describing = describing.then(async () => {
      cursor = [content.selectionStart, content.selectionEnd];
      const alt = await describe(file);
      content.setSelectionRange(...cursor);
      content.focus();
      if (alt !== null) startUpload(file, alt);
    });
  }
}
content.addEventListener("paste", (event) => {
  const { files, types } = event.clipboardData;
  if (!files.length || types.includes("text/plain")) return;
  event.preventDefault();
  uploadAll(files);
});
content.addEventListener("dragover", (event) => {
  if (event.dataTransfer.types.includes("Files")) event.preventDefault();
});
content.addEventListener("drop", (event) => {
  const { files, types } = event.dataTransfer;
  if (!types.includes("Files")) return;
  event.preventDefault(); // otherwise the browser would open the file
  uploadAll(files);
});
$("image-file").addEventListener("change", ({ target }) => {
  uploadAll([...target.files]);
  target.value = "";
});
