// say returns a text of the page in its language, with values for its slots. The number n chooses the plural form.

const { lang } = document.documentElement;
const numbers = new Intl.NumberFormat(lang);
const pluralRules = new Intl.PluralRules(lang);
// The page loads a script with the texts before this one.
const texts = globalThis.editorTexts;
function say(name, slots = {}) {
  const text = texts[name];
  const form = text[pluralRules.select(slots.n)] ?? text.other ?? text;
  return form.replace(/\{(\w+)\}/g, (slot, key) => {
    const value = slots[key] ?? slot;
    return typeof value === "number" ? numbers.format(value) : value;
  });
}
