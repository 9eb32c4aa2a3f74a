// Enter continues a list, a task list or a quote. In an empty item it ends the list. Shift+Enter begins a plain line.

const item = /^((?:[ \t]*>)*[ \t]*)(?:([-*+]|\d{1,9}[.)])([ \t]+)(\[[ xX]\][ \t]+)?)?/;
let shifted = false;
content.addEventListener("keydown", (event) => { shifted = event.shiftKey; });
content.addEventListener("beforeinput", (event) => {
  if (event.inputType !== "insertLineBreak" || event.isComposing || shifted) return;
  const { selectionStart: at, selectionEnd, value } = content;
  if (at !== selectionEnd || value.slice(0, at).match(/^[ \t]*(```|~~~)/gm)?.length % 2) return; // in a code block
  const start = at && value.lastIndexOf("\n", at - 1) + 1, next = value.indexOf("\n", at);
  const end = next < 0 ? value.length : next;
  const [whole, before, marker, space, task] = item.exec(value.slice(start, at));
  if (!marker && !before.includes(">")) return;
  event.preventDefault();
  if (!value.slice(start + whole.length, end).trim()) {
    const rest = marker && before.includes(">") ? before : "";
    // Without an empty line, Markdown would continue the item or the quote.
    insert(content, start ? `${rest.trimEnd()}\n${rest}` : rest, start, end);
    return;
  }
  const following = marker?.replace(/\d+/, (n) => +n + 1);
  insert(content, `\n${marker ? before + following + space : `${before.trimEnd()} `}${task ? "[ ] " : ""}`, at, at);
});
