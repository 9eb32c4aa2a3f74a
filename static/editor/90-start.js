// localise converts the publication time to the author's time zone.

function localise() {
  const field = $("publishDate");
  if ($("zone").value === zone) return;
  if (field.value && $("zone").value === "UTC") {
    const at = new Date(`${field.value}Z`);
    const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
    if (!Number.isNaN(at.getTime())) field.value = local.toISOString().slice(0, 16);
  }
  if (field.value && $("zone").value !== "UTC") return; // a rejected form from another time zone
  choose($("zone"), zone);
}

localise();
growing.forEach(orient);
grow();
measure();
if (rejected && dialog.contains(rejected)) openPublishing(rejected);
offerRestore();
removeInterrupted();
if (saver.dirty) saver.soon(); // a rejected form
