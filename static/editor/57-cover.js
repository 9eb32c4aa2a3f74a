// The pictures in the text can be chosen as the cover.

const cover = form.elements.cover;

// offerCovers lists these pictures as choices, and keeps the chosen picture if it is not in the text.
function offerCovers(chosen = cover.value) {
  const pictures = new Map();
  for (const [, alt, name] of content.value.matchAll(/!\[((?:\\.|[^\]\\])*)\]\(\/media\/([^\s)#]+)/g)) {
    const label = alt.replace(/\\(.)/g, "$1").trim() || say("picture", { number: pictures.size + 1 });
    if (!pictures.has(name)) pictures.set(name, label);
  }
  if (chosen && chosen !== "none" && !pictures.has(chosen)) pictures.set(chosen, say("otherPicture"));
  const options = [...pictures].map(([name, label]) => new Option(label, name));
  cover.replaceChildren(cover.options[0], cover.options[1], ...options);
  cover.value = chosen;
  showCover();
}

function showCover() {
  const name = cover.value || cover.options[2]?.value;
  const place = $("cover-image");
  if (!name || name === "none") return place.replaceChildren();
  const image = place.firstElementChild ?? new Image();
  image.alt = say("cover");
  // Pictures that are wider have a variant with a width of 480 pixels.
  const small = name.replace(/-(\d+)x\d+\.(?!gif|svg)/, (all, width) => (width > 480 ? `${all}480.` : all));
  image.src = `/media/${small}`;
  place.replaceChildren(image);
}
cover.addEventListener("change", showCover);
