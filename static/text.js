// The script of texts with code or pictures: buttons that copy code, and a dialog that shows the pictures larger. The
// element around such a text has the labels.
const text = document.querySelector(".prose[data-copied]");
const labels = text.dataset;

function make(element, properties = {}, ...children) {
  const made = Object.assign(document.createElement(element), properties);
  made.append(...children);
  return made;
}
const button = (className, label, ...children) =>
  make("button", { type: "button", className: `bare ${className}`, ariaLabel: label, title: label }, ...children);

for (const pre of text.querySelectorAll("pre")) {
  const status = make("span", { className: "visually-hidden", role: "status" });
  const copy = make("button", { type: "button", className: "bare copy-code", textContent: labels.copy });
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      copy.textContent = status.textContent = labels.copied;
    } catch { // without permission or TLS
      getSelection().selectAllChildren(pre);
    }
  });
  const box = make("div", { className: "code-box" });
  pre.replaceWith(box);
  box.append(pre, copy, status);
}

const pictures = [...text.closest("article").querySelectorAll(".post-cover img, .prose img")]
  .filter((i) => !i.closest("a, summary"));
const large = make("img");
const caption = make("figcaption", { dir: "auto", ariaLive: "polite" });
const dialog = make("dialog", { className: "lightbox", ariaLabel: labels.enlarge }, make("figure", {}, large, caption),
  button("previous", labels.previous, "‹"), button("next", labels.next, "›"), button("close", labels.close, "×"));
let shown = 0;
function show(index) {
  shown = (index + pictures.length) % pictures.length;
  const { src, srcset, alt } = pictures[shown];
  Object.assign(large, { sizes: "100vw", srcset, src, alt });
  caption.textContent = alt;
}
for (const [index, picture] of pictures.entries()) {
  const opener = button("enlarge", `${labels.enlarge}: ${picture.alt}`);
  picture.replaceWith(opener);
  opener.append(picture);
  opener.addEventListener("click", () => {
    dialog.classList.toggle("single", pictures.length === 1);
    show(index);
    document.body.append(dialog);
    dialog.showModal();
  });
}
dialog.addEventListener("click", ({ target }) => {
  if (target.matches(".previous, .next")) show(shown + (target.matches(".next") ? 1 : -1));
  else dialog.close();
});
dialog.addEventListener("keydown", ({ key }) => {
  const forth = getComputedStyle(dialog).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
  if (key.startsWith("ArrowL") || key.startsWith("ArrowR")) show(shown + (key === forth ? 1 : -1));
});
