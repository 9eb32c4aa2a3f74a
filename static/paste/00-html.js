// The script of pasting in the editor. It turns rich text, such as that of Google Docs, Word, Medium and other pages,
// into Markdown. An address pasted on selected text makes it a link. It leaves everything else to the browser and to
// editor.js: plain text, rich text without formatting, text for code, and pictures.

// Rich text beyond these limits is pasted as plain text.
const mostHTML = 8e6; // characters
const mostNodes = 100_000;
const deepest = 200; // elements within each other
const mostWork = 3e6; // the sum of the depths of all tags: a parser may repeat each open element at each tag
const deepestList = 20; // further lists are not indented
const mostMarkdown = 1e6; // characters; a post has at most as many bytes
const mostPictures = 20; // with their data in the text

class TooMuch extends Error {}

const skipped = new Set(["SCRIPT", "TEMPLATE", "TITLE", "SVG", "MATH", "IFRAME", "OBJECT", "NOSCRIPT",
  "SELECT", "BUTTON", "TEXTAREA", "VIDEO", "AUDIO", "CANVAS"]);
const blockNames = new Set(["ADDRESS", "ARTICLE", "ASIDE", "CENTER", "DD", "DIV", "DL", "DT", "FIGCAPTION", "FIGURE",
  "FOOTER", "FORM", "HEADER", "MAIN", "NAV", "P", "SECTION", "TABLE", "TD", "TH", "TR"]);
const formatNames = {
  B: "bold", STRONG: "bold", I: "italic", EM: "italic", CITE: "italic", S: "strike", DEL: "strike", STRIKE: "strike",
  SUB: "sub", SUP: "sup", CODE: "code", KBD: "code", SAMP: "code", TT: "code",
};

const emptyNames = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
  "wbr"]);

// wellFormed matches the attributes of a tag. In others, such as those with < or > in a value, a text may look like a tag
// that the parser does not see.
const wellFormed = /^(?:\s+[^\s"'=/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=]+))?)*\s*\/?$/;

// parse returns the body of an HTML text. It runs and loads nothing. Styles have other names in it, because browsers
// report each style that the page's policy forbids, even in a text that is not shown.
function parse(html) {
  if (html.length > mostHTML) throw new TooMuch();
  const open = Object.create(null);
  let depth = 0, work = 0, unsure = false;
  const renamed = html.replace(/<(\/?)([a-z][^\s/>]*)([^<>]*)/gi, (tag, end, name, rest) => {
    const key = name.toLowerCase();
    unsure ||= !wellFormed.test(rest); // then the parser may not see this end tag, so nothing is closed any more
    if (end && open[key] && !unsure) {
      open[key]--;
      depth--;
    } else if (!end && !emptyNames.has(key) && !rest.endsWith("/")) {
      open[key] = (open[key] ?? 0) + 1;
      depth++;
    }
    work += depth;
    if (depth > deepest || work > mostWork) throw new TooMuch();
    return `<${end}${key === "style" ? "template" : name}${rest.replace(/(\s)style(?=\s*=)/gi, "$1data-style")}`;
  });
  return new DOMParser().parseFromString(renamed, "text/html").body;
}

// styleOf returns the style declarations of an element, also those that only Word knows.
function styleOf(element) {
  const style = {};
  for (const declaration of element.getAttribute("data-style")?.slice(0, 4000).split(";") ?? []) {
    const colon = declaration.indexOf(":");
    if (colon > 0) style[declaration.slice(0, colon).trim().toLowerCase()] = declaration.slice(colon + 1).trim();
  }
  return style;
}

// formatIn returns the format of the text in an element. The program's styles count more than the element's name:
// Google Docs puts everything into a <b> that is not bold.
function formatIn(node, name, style, outer) {
  const format = { ...outer };
  if (formatNames[name]) format[formatNames[name]] = true;
  const { "font-weight": weight, "font-style": slant, "vertical-align": place } = style;
  if (weight) format.bold = /^bold/i.test(weight) || +weight >= 600;
  if (format.unbold) format.bold = false; // such as a heading, which is bold anyway
  if (slant) format.italic = /italic|oblique/i.test(slant);
  if (/line-through/i.test(style["text-decoration-line"] ?? style["text-decoration"])) format.strike = true;
  if (place === "sub" || place === "super") format[place.slice(0, 3)] = true;
  if (name === "A") format.href = safe(node.getAttribute("href")) ?? format.href;
  return format;
}

// safe returns an address in the form that Markdown needs. It returns nothing for an address that a post may not link
// to, or that is a place on the page of the text. Google's own address for an address is left out.
function safe(address) {
  try {
    const url = new URL(address);
    if (!["http:", "https:", "mailto:"].includes(url.protocol)) return;
    if (/^(?:www\.)?google\.[a-z.]{2,6}$/.test(url.hostname) && url.pathname === "/url") {
      const to = url.searchParams.get("q") ?? url.searchParams.get("url") ?? "";
      if (/^https?:\/\//i.test(to) && to.length < address.length) return safe(to);
    }
    return address.trim().replace(/[\s<>\\]/g, encodeURIComponent).replace(/[()]/g, (c) => (c === "(" ? "%28" : "%29"));
  } catch { /* a relative address, or none */ }
}
