// The reader's switch between the light and the dark colours. The script runs before anything is shown, so that pages
// never appear in the other scheme first. The choice stays in this browser, and only while it differs from the site's
// choice or, without one, from the device's.
{
  const root = document.documentElement;
  const site = root.dataset.scheme;
  const device = matchMedia("(prefers-color-scheme: dark)");
  const usual = () => site ?? (device.matches ? "dark" : "light");
  const key = "inkfeed-scheme";

  // A browser may forbid storage. Then the choice lasts until the next page.
  let chosen = null;
  const read = () => {
    try {
      chosen = localStorage.getItem(key);
    } catch {}
    if (chosen !== "light" && chosen !== "dark") chosen = null;
  };
  const write = () => {
    try {
      if (chosen) localStorage.setItem(key, chosen);
      else localStorage.removeItem(key);
    } catch {}
  };

  const show = () => {
    const scheme = chosen ?? site;
    if (scheme) root.dataset.scheme = scheme;
    else delete root.dataset.scheme;
    const colours = document.querySelectorAll("meta[name=theme-color]"); // of the light and of the dark scheme
    ["light", "dark"].forEach((of, n) => {
      colours[n].media = !scheme ? `(prefers-color-scheme: ${of})` : scheme === of ? "all" : "not all";
    });
  };

  read();
  show();
  root.dataset.switchable = "";
  document.addEventListener("click", ({ target }) => {
    if (!target.closest(".scheme-switch")) return;
    const next = (chosen ?? usual()) === "dark" ? "light" : "dark";
    chosen = next === usual() ? null : next;
    write();
    show();
  });
  // Another tab has changed it, or the page comes back from the browser's history.
  for (const event of ["storage", "pageshow"]) addEventListener(event, () => {
    read();
    show();
  });
}
