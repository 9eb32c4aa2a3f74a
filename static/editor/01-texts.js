// say returns a text of the page in its language, with values for its slots. The number n chooses the plural form.

const { lang } = document.documentElement;
const numbers = new Intl.NumberFormat(lang);
const pluralRules = new Intl.PluralRules(lang);
// The names of the texts, in the order in which the page has them.
const names = `
  added addedRest begin both changed characters compare copy cover kept login now offline offlineAgain
  otherPicture picture previewAgain previewLong previewOffline previewSession public publishes publishesAt
  publishesLater reading saved savedAt saving tagged unadded unlisted unsaved unsavedBecause unsavedConflict
  unsavedSession unsavedWrong untagged uploadBecause uploadLarge uploadOffline uploadRefused uploadSession
  uploadType uploadWrong uploading uploadingMany uploadingOne waiting words
`;
const translated = JSON.parse($("texts").content.textContent);
const texts = Object.fromEntries(names.trim().split(/\s+/).map((name, i) => [name, translated[i]]));
function say(name, slots = {}) {
  const text = texts[name];
  const form = text[pluralRules.select(slots.n)] ?? text.other ?? text;
  return form.replace(/\{(\w+)\}/g, (slot, key) => {
    const value = slots[key] ?? slot;
    return typeof value === "number" ? numbers.format(value) : value;
  });
}
