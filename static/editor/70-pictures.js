// Authors paste, drop or choose pictures. They describe one picture at a time, while earlier ones are being uploaded. A
// placeholder in the text marks the place of a picture until it is uploaded.

// check returns the picture to upload: the file or, if it is a photo that is too large, a smaller one. If the server
// would refuse the picture, check returns why.

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
  return say(why, file);
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

// describe asks for the description and the caption of a picture, for which a thumbnail stands. Known is what a picture
// in the text has. It returns nothing if the author cancels.

async function describe(thumbnail, name, known) {
  const dialog = template("describe-image");
  const [alt, caption] = dialog.querySelectorAll("input");
  dialog.querySelector(".name").textContent = name;
  if (thumbnail) dialog.querySelector(".thumbnail").append(thumbnail);
  if (known) {
    [alt.value, caption.value] = [known.alt, known.caption];
    const button = dialog.querySelector('[value="ok"]');
    button.textContent = button.dataset.change;
  }
  cursor = [content.selectionStart, content.selectionEnd];
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  dialog.remove();
  content.setSelectionRange(...cursor);
  content.focus();
  if (dialog.returnValue === "ok") return { alt: alt.value.trim(), caption: caption.value.trim() };
}

// thumbnail returns a small copy of a file, or nothing if the browser cannot decode it.
async function thumbnail(file) {
  const picture = await createImageBitmap(file, { resizeHeight: 240, resizeQuality: "medium" }).catch(() => {});
  if (!picture) return;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.width, picture.height];
  canvas.getContext("bitmaprenderer").transferFromImageBitmap(picture);
  return canvas;
}

// markdown returns a picture of the text. plain reads the description or the caption in it.
const label = (alt) => alt.replace(/[\\[\]]/g, "\\$&").replace(/\s+/g, " ");
const plain = (words) => words.replace(/\\(.)/g, "$1");
function markdown(url, { alt, caption }) {
  return `![${label(alt)}](${url}${caption && ` "${caption.replace(/[\\"]/g, "\\$&").replace(/\s+/g, " ")}"`})`;
}

// describeAgain changes the description and the caption of the picture at the cursor. It returns whether there is one.
function describeAgain() {
  const at = content.selectionStart, start = lineStart(at);
  const pictures = /!\[((?:\\.|[^\]\\])*)\]\((\/media\/([^\s)#]+)[^\s)]*)(?:[ \t]+"((?:\\.|[^"\\])*)")?[ \t]*\)/g;
  for (const { index, ...found } of content.value.slice(start, lineEnd(at)).matchAll(pictures)) {
    const from = start + index, to = from + found[0].length;
    if (at < from || at >= to) continue;
    const { 1: alt, 2: url, 3: name, 4: caption = "" } = found;
    describe(small(name, "", 480), "", { alt: plain(alt), caption: plain(caption) }).then((words) => {
      if (words) insert(content, markdown(url, words), from, to);
    });
    return true;
  }
  return false;
}

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
function startUpload(upload) {
  const others = running++ ? uploaded : true;
  const own = upload().finally(() => { running--; });
  uploaded = Promise.all([others, own]).then((all) => all.every(Boolean));
}

// send uploads a picture. It returns the server's reply or why that failed, and whether it would fail again.
async function send(file, alt) {
  const body = new FormData();
  body.append("file", file);
  body.append("alt", alt);
  body.append("user", form.elements.user.value);
  try {
    const answer = await fetch(form.dataset.pictures, { method: "POST", body, headers: { Accept: "application/json" } });
    if (answer.ok) return await answer.json();
    return { why: await reason(answer, file), final: [413, 415, 422].includes(answer.status) };
  } catch {
    return { why: say("uploadOffline", file) };
  }
}

async function upload(file, words) {
  const mark = `![${label(words.alt)}](uploading:${crypto.getRandomValues(new Uint32Array(1))[0]})`;
  const at = placed ? content.selectionEnd : content.value.length;
  const before = content.value.slice(0, at);
  const after = content.value.slice(at);
  const above = !before || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  const below = after.startsWith("\n\n") ? "" : !after || after.startsWith("\n") ? "\n" : "\n\n";
  insert(content, above + mark + below, at, at);
  placed = true;
  showUpload(file, say("uploading", file));
  announce(running > 1 ? say("uploadingMany", { n: running }) : say("uploadingOne", file));
  const { why, final, url, alt = words.alt } = await send(file, words.alt);
  if (why) {
    replacePlaceholder(above + mark + below, "") || replacePlaceholder(mark, "");
    showUpload(file, why, { failed: true, again: final ? undefined : () => startUpload(() => upload(file, words)) });
  } else {
    replacePlaceholder(mark, markdown(url, { ...words, alt }));
    endUpload(file);
    announce(running > 1 ? say("addedRest", { n: running - 1 }) : say("added"));
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
    const name = plain(alt) || say("picture", { number: i + 1 });
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
      if (typeof picture === "string") return showUpload(file, picture, { failed: true });
      const words = await describe(await thumbnail(picture), picture.name);
      if (words) startUpload(() => upload(picture, words));
    });
  }
}
content.addEventListener("paste", (event) => {
  const { files, types } = event.clipboardData;
  if (!files.length || types.includes("text/plain")) return;
  event.preventDefault();
  uploadAll(files);
});

document.addEventListener("drop", (event) => {
  const { files, types } = event.dataTransfer;
  if (!types.includes("Files")) return;
  event.preventDefault(); // otherwise the browser would open the file
  if (dialog.open) uploadCover(files[0]);
  else uploadAll(files);
});
$("image-file").addEventListener("change", ({ target }) => {
  uploadAll([...target.files]);
  target.value = "";
});
