// insert replaces text like typing, so that the author can undo it where the browser supports that.

function insert(field, replacement, from, to) {
  field.focus();
  field.setSelectionRange(from, to);
  if (!document.execCommand("insertText", false, replacement)) {
    field.setRangeText(replacement, from, to, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

// wrap adds Markdown marks around the selection, or removes them.
function wrap(mark) {
  const { selectionStart: from, selectionEnd: to, value } = content;
  const inner = value.slice(from, to);
  const n = mark.length;
  if (value.slice(from - n, from) === mark && value.slice(to, to + n) === mark && value[from - n - 1] !== mark[0]) {
    insert(content, inner, from - n, to + n);
    content.setSelectionRange(from - n, to - n);
  } else {
    insert(content, mark + inner + mark, from, to);
    content.setSelectionRange(from + n, to + n);
  }
}

function link() {
  const { selectionStart: from, selectionEnd: to, value } = content;
  const inner = value.slice(from, to);
  const address = /^https?:\/\/\S+$/.test(inner);
  insert(content, address ? `[](${inner})` : `[${inner}](https://)`, from, to);
  if (address) content.setSelectionRange(from + 1, from + 1);
  else content.setSelectionRange(from + inner.length + 3, from + inner.length + 11);
}

const mac = /Mac|iPhone|iPad/.test(navigator.userAgentData?.platform ?? navigator.platform);
if (mac) for (const key of document.querySelectorAll("kbd.modifier")) key.textContent = "⌘";

// Enter in a single-line field does not submit the form. In the title it moves to the text.
for (const field of textFields.map((name) => form.elements[name]).filter((field) => field !== content)) {
  let pressed = false;
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
    pressed = true;
    event.preventDefault();
  });
  field.addEventListener("keypress", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
  field.addEventListener("keyup", (event) => {
    if (event.key !== "Enter" || !pressed) return;
    pressed = false;
    if (field === title) content.focus();
    else saver.now();
  });
}

form.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  if (!(mac ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey) return;
  const inText = { b: () => wrap("**"), i: () => wrap("*"), k: link };
  const anywhere = {
    s: () => saver.now().then(() => { if (!saver.failure) announce("Saved."); }),
    enter: () => openPublishing(),
  };
  const key = event.key.toLowerCase();
  const does = anywhere[key] ?? (event.target === content ? inText[key] : undefined);
  if (!does) return;
  event.preventDefault();
  does();
});
