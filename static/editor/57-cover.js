// The cover is a picture of the text or one that the author uploads for it.

const cover = form.elements.cover;
const covers = $("covers");

// offerCovers lists the pictures of the text as choices, and keeps the chosen picture if it is not in the text.
function offerCovers(chosen = cover.value) {
  const pictures = new Map();
  for (const [, alt, name] of content.value.matchAll(/!\[((?:\\.|[^\]\\])*)\]\(\/media\/([^\s)#]+)/g)) {
    const label = plain(alt).trim() || say("picture", { number: pictures.size + 1 });
    if (!pictures.has(name)) pictures.set(name, label);
  }
  if (chosen && chosen !== "none" && !pictures.has(chosen)) pictures.set(chosen, say("otherPicture"));
  const [first, none] = covers.children;
  covers.replaceChildren(first, none, ...[...pictures].map(([name, label]) => {
    const option = none.cloneNode(true);
    option.firstElementChild.value = name;
    option.htmlFor = option.firstElementChild.id = `cover-${name}`;
    option.lastElementChild.replaceWith(small(name, label, 240));
    return option;
  }));
  cover.value = chosen;
  showCover();
}

// small returns a picture of the site in a variant with a width of 240 or 480 pixels, if it is wider.
function small(name, label, width) {
  const image = new Image();
  image.alt = label;
  image.src = `/media/${name.replace(/-(\d+)x\d+\.(?!gif|svg)/, (all, own) => (own > width ? `${all}${width}.` : all))}`;
  return image;
}

function showCover() {
  const name = cover.value || cover[2]?.value;
  $("cover-image").replaceChildren(...(name && name !== "none" ? [small(name, say("cover"), 480)] : []));
}
covers.addEventListener("change", showCover);

const coverFile = $("cover-file"), coverUpload = $("cover-upload");
coverUpload.hidden = false;
coverUpload.addEventListener("click", () => coverFile.click());
coverFile.addEventListener("change", () => {
  uploadCover(coverFile.files[0]);
  coverFile.value = "";
});

function uploadCover(file) {
  const tell = (message, failed) => {
    $("cover-state").textContent = message;
    $("cover-state").className = failed ? "field-error" : "hint";
  };
  startUpload(async () => {
    tell(say("uploading", file));
    const picture = await check(file);
    const { why, url } = typeof picture === "string" ? { why: picture } : await send(picture, "");
    tell(why ?? say("coverAdded"), why);
    if (!why) {
      offerCovers(url.slice("/media/".length));
      covers.querySelector(":checked").dispatchEvent(new Event("input", { bubbles: true }));
    }
    return !why;
  });
}
