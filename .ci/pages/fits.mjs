// Whether a page fits into its window.

// misfits runs in a page. It returns a line for each text or control that is cut, or that sticks out of its box or of
// the window, and for each broken word. Texts that end with an ellipsis are cut on purpose, but not to nothing, and what
// can be scrolled may be wider than its place.
export function misfits() {
  const found = new Set();
  const slack = 1.5; // pixels, for rounding and italics
  const describe = (element) => `${element.localName}${element.id && `#${element.id}`}${[...element.classList].map((name) => `.${name}`).join("")}`;
  const shorten = (text) => text.trim().replace(/\s+/g, " ").slice(0, 40);
  if (document.documentElement.scrollWidth > innerWidth) found.add(`${document.documentElement.scrollWidth} px wide`);

  // limits returns the edges that the texts of an element must keep to: those of its block and of its button, and those
  // at which its parts are cut. It returns undefined if its texts may be cut, or are not shown.
  const known = new Map([[document.documentElement, { left: 0, right: innerWidth, cut: { left: 0, right: innerWidth } }]]);
  const limits = (element) => {
    if (!known.has(element)) known.set(element, measure(element));
    return known.get(element);
  };
  const measure = (element) => {
    const around = limits(element.parentElement);
    if (!around) return undefined;
    const style = getComputedStyle(element);
    if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0" || style.clipPath !== "none") return undefined;
    if (/auto|scroll/.test(style.overflowX) || element.matches(".offscreen, .skip, svg")) return undefined;
    if (/inline$|contents/.test(style.display)) return around;
    const { left, right, width } = element.getBoundingClientRect();
    if (style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none") {
      if (element.scrollWidth > element.clientWidth && width < 48) found.add(`${describe(element)}: ${width} px are left of “${shorten(element.textContent)}”`);
      return undefined;
    }
    const cut = style.overflowX === "visible" && !element.matches("button, .button, .reaction-button") ? around.cut : { left: Math.max(around.cut.left, left), right: Math.min(around.cut.right, right) };
    return { left: Math.max(cut.left, left), right: Math.min(cut.right, right), cut };
  };
  const keep = (element, { left, right }, edges, what) => {
    if (right > edges.right + slack) found.add(`${describe(element)}: ${what} ends ${Math.round(right - edges.right)} px too late`);
    if (left < edges.left - slack) found.add(`${describe(element)}: ${what} begins ${Math.round(edges.left - left)} px too early`);
  };

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (!node.matches("a, button, summary, select, input, textarea, img, video") || !node.checkVisibility()) continue;
      const edges = limits(node.parentElement);
      const rect = node.getBoundingClientRect();
      if (edges && rect.width > 1) keep(node, rect, edges.cut, "it");
      continue;
    }
    const element = node.parentElement;
    if (!/\S/.test(node.data) || !element.checkVisibility() || element.closest("script, style, template, noscript, option")) continue;
    const edges = limits(element);
    if (!edges) continue;
    range.selectNodeContents(node);
    const lines = [...range.getClientRects()].filter(({ width }) => width > 0);
    for (const line of lines) keep(element, line, edges, `“${shorten(node.data)}”`);
    if (lines.length < 2) continue;
    for (const { index, 0: text } of node.data.matchAll(/(?<!\S)\p{L}{2,16}(?!\S)/gu)) {
      if (/\p{scx=Han}|\p{scx=Hira}/u.test(text)) continue;
      range.setStart(node, index);
      range.setEnd(node, index + text.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.add(`${describe(element)}: the word “${text}” is broken`);
    }
  }
  return [...found];
}
