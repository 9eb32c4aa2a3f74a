// What a first visit of a page costs over the wire, and whether it moves while it loads.

const kilobyte = 1024;

// Everything that a page loads, with its typeface; the thumbnails of a list, which a browser also loads a screen or two
// below the window; and how much the page moves.
export const limits = { total: 75 * kilobyte, script: 18 * kilobyte, pictures: 110 * kilobyte, shift: 0 };

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
  return {
    total: sum(all.filter((resource) => !isPicture(resource))),
    pictures: sum(all.filter(isPicture)),
    script: sum(all.filter(({ type }) => type === "Script")),
    foreign: all.map(({ url }) => url).filter((resource) => new URL(resource).origin !== new URL(url).origin),
    shift,
    parts: all.map(({ url, bytes }) => `${new URL(url).pathname} ${bytes}`),
  };
}
