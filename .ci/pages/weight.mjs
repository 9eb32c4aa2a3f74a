// The size of a first visit of a page over the wire, and how much the page moves while it loads.

const kilobyte = 1024;

// limits are those of a first visit, in bytes. The total is everything except pictures and the typeface of formulas, and
// includes scripts and the other typefaces. The pictures are the thumbnails of a list, of which a browser also loads those
// a screen or two below the window. The shift is the sum of layout shifts.
export const limits = {
  front: { total: 85 * kilobyte, script: 5 * kilobyte, pictures: 110 * kilobyte, formulas: 0, shift: 0 },
  // with italics, code, a formula and an embed
  post: { total: 105 * kilobyte, script: 20 * kilobyte, pictures: 110 * kilobyte, formulas: 48 * kilobyte, shift: 0 },
};

// watchShifts runs in a page and adds up its layout shifts. Those that follow a click do not count.
export function watchShifts() {
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) globalThis.shifts += hadRecentInput ? 0 : value;
  }).observe({ type: "layout-shift", buffered: true });
}

export async function weigh(browser, url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const resources = new Map();
  session.on("Network.responseReceived", ({ requestId, type, response }) =>
    resources.set(requestId, { type, url: response.url, bytes: 0 }));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const resource = resources.get(requestId);
    if (resource) resource.bytes = encodedDataLength;
  });
  await session.send("Network.enable");
  await page.addInitScript(watchShifts);
  await page.goto(url, { waitUntil: "networkidle" });
  const shift = await page.evaluate(() => globalThis.shifts);
  await context.close();
  const all = [...resources.values()];
  const sum = (list) => list.reduce((total, { bytes }) => total + bytes, 0);
  const isPicture = ({ url }) => new URL(url).pathname.startsWith("/media/");
  const isFormulas = ({ url }) => new URL(url).pathname.startsWith("/static/math-");
  return {
    total: sum(all.filter((resource) => !isPicture(resource) && !isFormulas(resource))),
    formulas: sum(all.filter(isFormulas)),
    pictures: sum(all.filter(isPicture)),
    script: sum(all.filter(({ type }) => type === "Script")),
    foreign: all.map(({ url }) => url).filter((resource) => new URL(resource).origin !== new URL(url).origin),
    shift,
    parts: all.map(({ url, bytes }) => `${new URL(url).pathname} ${bytes}`),
  };
}
