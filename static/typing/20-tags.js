// suggest offers existing tags for the one that is being typed, as a combobox with a list.

const list = document.getElementById("tag-list");
const suggest = {
  timer: 0,
  asking: null,
  get range() { // the tag at the cursor
    const at = tags.selectionStart;
    const from = Math.max(...[..."," + "،、，"].map((c) => tags.value.lastIndexOf(c, at - 1))) + 1;
    const rest = tags.value.slice(at).search(/[,،、，]/);
    return [from, rest < 0 ? tags.value.length : at + rest];
  },
  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), 150);
  },
  async now() {
    const [from, to] = this.range;
    const q = tags.value.slice(from, to).trim().replace(/^#+/, "");
    if (!q) return this.close();
    this.asking?.abort();
    this.asking = new AbortController();
    try {
      const answer = await fetch(`/suggest/tags?q=${encodeURIComponent(q)}`, { signal: this.asking.signal });
      if (answer.ok) this.open((await answer.json()).slice(0, 8), q);
    } catch { /* without suggestions */ }
  },
  open(names, q) {
    const there = tags.value.split(/[,،、，]/).map((t) => t.trim().toLowerCase());
    const offered = names.filter((n) => !there.includes(n.toLowerCase()) && n !== q);
    list.replaceChildren(...offered.map((name, i) => {
      const option = document.createElement("li");
      option.role = "option";
      option.id = `tag-option-${i}`;
      option.textContent = name;
      option.dir = "auto";
      option.ariaSelected = false;
      return option;
    }));
    list.hidden = !offered.length || document.activeElement !== tags;
    tags.ariaExpanded = !list.hidden;
    tags.removeAttribute("aria-activedescendant");
  },
  close() {
    clearTimeout(this.timer);
    this.asking?.abort();
    this.open([], "");
  },
  move(by) {
    const options = [...list.children];
    const was = options.findIndex((o) => o.ariaSelected === "true");
    const is = was < 0 && by < 0 ? options.length - 1 : (was + by + options.length) % options.length;
    options.forEach((o, i) => { o.ariaSelected = i === is; });
    tags.setAttribute("aria-activedescendant", options[is].id);
    options[is].scrollIntoView({ block: "nearest" });
  },
  take(option) {
    const [from, to] = this.range;
    const last = to === tags.value.length;
    insert(tags, `${from > 0 ? " " : ""}${option.textContent}${last ? ", " : ""}`, from, to);
    this.close();
  },
};
tags.role = "combobox";
tags.ariaAutoComplete = "list";
tags.ariaExpanded = false;
tags.setAttribute("aria-controls", "tag-list");
tags.addEventListener("input", () => suggest.soon());
tags.addEventListener("blur", () => suggest.close());
tags.addEventListener("keydown", (event) => {
  if (list.hidden || event.isComposing) return;
  const chosen = list.querySelector('[aria-selected="true"]');
  if (event.key === "ArrowDown" || event.key === "ArrowUp") suggest.move(event.key === "ArrowDown" ? 1 : -1);
  else if (event.key === "Escape") suggest.close();
  else if ((event.key === "Enter" || event.key === "Tab") && chosen) suggest.take(chosen);
  else return;
  event.preventDefault();
});
list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
list.addEventListener("click", ({ target }) => {
  if (target.role === "option") suggest.take(target);
});
