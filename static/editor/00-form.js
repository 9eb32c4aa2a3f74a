// The script of the editor. It saves the draft while the author types, stores text in the browser while the server is
// unreachable, shows a preview and uploads pictures. The form also works without it.

const $ = (id) => document.getElementById(id);
const form = $("editor");
const { title, content, tags } = form.elements;
// textFields are the names of the fields that the author types in.
const textFields = form.dataset.fields.split(",");

const idleTime = 2000; // ms from the last key press to saving
const maxWait = 10_000; // ms until typed text is saved at the latest
const firstRetry = 3000; // ms after a failure, doubled each time
const lastRetry = 15_000;
const requestTimeout = 20_000; // ms until a request is given up

const post = () => form.elements.post.value;
const text = () => Object.fromEntries([...textFields, "status"].map((name) => [name, form.elements[name].value]));
const same = (a, b) => textFields.every((name) => (a[name] ?? "") === (b[name] ?? "")) && a.status === b.status;
// choose sets a field. A list gets a choice that it does not offer.
function choose(field, value) {
  field.value = value;
  if (field.options && field.value !== value) field.add(new Option(value.replaceAll("_", " "), value, true, true));
}
const put = (t) => {
  for (const name of textFields) choose(form.elements[name], t[name] ?? "");
  if (t.status) form.elements.status.value = t.status;
  removeInterrupted();
  offerCovers(t.cover);
};
const template = (id) => $(id).content.firstElementChild.cloneNode(true);
