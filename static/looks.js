// The script of the site's settings: a picker of the accent colour, and a preview that follows what is chosen. Without
// it, the button opens the preview in a tab of its own.
const accent = document.getElementById("accent");
const css = document.getElementById("css");
const picker = document.getElementById("accent-picker");
const preview = document.querySelector("button[name=preview]");
const frame = document.querySelector(".look-preview iframe");
const settings = preview.form;

picker.addEventListener("input", () => {
  accent.value = picker.value;
  accent.dispatchEvent(new Event("input", { bubbles: true }));
});
accent.addEventListener("input", () => {
  if (/^#[0-9a-f]{6}$/i.test(accent.value)) picker.value = accent.value;
});

// The frame shows a page of a desktop, scaled to its width. Each preview has a new frame, above the former one until it
// is loaded, so that nothing flickers and the button "Back" leaves the page. Pictures that were chosen are not sent.
const place = frame.parentElement;
let width = 0; // while the section is not shown
new ResizeObserver(() => {
  if (width === 0) show();
  width = place.clientWidth;
  place.style.setProperty("--scale", width / 1200);
}).observe(place);
let number = 0;
let showing = false;
let accepted = ""; // the custom CSS that the frame shows
settings.addEventListener("formdata", ({ formData }) => {
  if (!showing) return;
  for (const file of settings.querySelectorAll("input[type=file]")) formData.delete(file.name);
});
const show = () => {
  if (!place.checkVisibility()) return; // a narrow window has no room for it
  const next = frame.cloneNode();
  const typed = css.value;
  next.name = `look-preview-${++number}`;
  place.append(next);
  preview.formTarget = next.name;
  showing = true;
  settings.requestSubmit(preview);
  showing = false;
  preview.formTarget = "_blank";
  next.addEventListener("load", () => {
    if (!next.contentDocument) return next.remove(); // an error page, which no page may frame
    if (next.contentDocument.URL === "about:blank") return;
    dress(next.contentDocument, typed);
    while (next.previousElementSibling) next.previousElementSibling.remove();
    next.contentDocument.addEventListener("click", (event) => event.preventDefault());
  });
};
// A page links to its custom CSS if the server accepts what was typed. The link leads to the saved CSS, because nothing
// else is stored. While a rule is being typed, the CSS before it stays.
const dress = (page, typed) => {
  const link = page.getElementById("Page-css");
  if (link || !typed.trim()) accepted = typed;
  if (link) link.disabled = true;
  const sheet = new page.defaultView.CSSStyleSheet();
  sheet.replaceSync(accepted);
  page.adoptedStyleSheets = [sheet];
};
let timer = 0;
settings.addEventListener("input", ({ target }) => {
  if (target.type === "file") return;
  clearTimeout(timer);
  timer = setTimeout(show, 400);
});
