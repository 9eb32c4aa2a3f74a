// Authors paste, drop or choose pictures. They describe one picture at a time, while earlier ones are being uploaded. A
// placeholder in the text marks the place of a picture until it is uploaded.

// check returns the picture to upload: the file or, if it is a photo that is too large, a smaller one. If the server
// would refuse the picture, check says so and returns nothing.

const mostBytes = +form.dataset.mostBytes;
const photos = { "\xff\xd8\xff": "image/jpeg", "\x89PNG": "image/png" }; // by the first bytes of their files
async function check(file) {
  let why = "uploadType";
  try {
    const begin = String.fromCharCode(...new Uint8Array(await file.slice(0, 4).arrayBuffer()));
    const type = photos[Object.keys(photos).find((signature) => begin.startsWith(signature))];
    if (type || begin === "GIF8" || begin === "RIFF" || file.type === "image/svg+xml") {
      const picture = type ? await shrink(file, type) : file;
      if (picture.size <= mostBytes) return picture;
      why = "uploadTooLarge";
    }
  } catch { // the file was moved or deleted
    why = "uploadWrong";
  }
  showUpload(file, say(why, file), { failed: true });
}

// shrink returns a photo within the limits of the server, upright, or the file itself if it is within them or cannot be
// decoded.

const mostPixels = 24e6; // the server decodes 30 megapixels of every JPEG
const fewerPixels = 9e6; // enough for the widest picture that the server stores
async function shrink(file, type) {
  try {
    const photo = await createImageBitmap(file, { imageOrientation: "from-image" });
    const { width, height } = photo;
    let smaller = file.size > mostBytes || width * height > mostPixels ? null : file;
    for (let scale = Math.min(1, Math.sqrt(fewerPixels / (width * height))); !smaller; scale *= 0.8) {
      const canvas = document.createElement("canvas");
      canvas.width = Math.ceil(width * scale);
      canvas.height = Math.ceil(height * scale);
      canvas.getContext("2d").drawImage(photo, 0, 0, canvas.width, canvas.height);
      const made = await new Promise((done) => canvas.toBlob(done, type, 0.9));
      if (made.size <= mostBytes) smaller = new File([made], file.name, { type });
    }
    photo.close();
    return smaller;
  } catch {
    return file;
  }
}

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
  let why = "", final = false;
  try {
    const answer = await fetch(form.dataset.pictures, {
      method: "POST", body: data, headers: { Accept: "application/json" },
    });
    if (answer.ok) {
      const { markdown, url } = await answer.json();
      replacePlaceholder(mark, markdown ?? `![${label(alt)}](${url})`);
    } else {
      why = await reason(answer, file);
      final = [413, 415, 422].includes(answer.status); // the server would refuse the picture again
    }
  } catch {
    why = say("uploadOffline", file);
  }
  running--;
  if (why) {
    replacePlaceholder(above + mark + below, "") || replacePlaceholder(mark, "");
    showUpload(file, why, { failed: true, again: final ? undefined : () => startUpload(file, alt) });
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
let checking = Promise.resolve(), describing = Promise.resolve();
function uploadAll(files) {
  for (const file of files) {
    const checked = checking = checking.then(() => check(file)); // one by one: photos take much memory
    describing = describing.then(async () => {
      const picture = await checked;
      if (!picture) return;
      cursor = [content.selectionStart, content.selectionEnd];
      const alt = await describe(picture);
      content.setSelectionRange(...cursor);
      content.focus();
      if (alt !== null) startUpload(picture, alt);
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
