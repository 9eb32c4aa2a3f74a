// Opens a page as a person does.

// settle waits until a loaded page has its fonts, its scripts have sent no request that is not answered, and it is drawn.
export const settle = (page) => page.evaluate(async () => {
  await document.fonts.ready;
  while (document.querySelector(".htmx-request")) await new Promise((done) => setTimeout(done, 20));
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
});

// open leads to a page, or sends a form from another page as a browser does. It returns the response, and how much the
// layout has shifted by itself: before a person did something, and on the page that this led to, if any.
export async function open(page, address, { path, form, narrow, script, then, media = null }) {
  await page.emulateMedia({ media });
  await page.setViewportSize(narrow ? { width: 390, height: 844 } : { width: 1280, height: 800 });
  await page.unroute("**/*.js");
  if (script === false) await page.route("**/*.js", (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
  if (!form) {
    let shown; // which may be another page after what is done
    const note = (response) => (shown = response.request().isNavigationRequest() ? response : shown);
    page.on("response", note);
    await page.goto(address + path);
    await settle(page);
    let shift = await page.evaluate(() => Object.assign(globalThis, { opened: true }).shifts);
    if (then) {
      await then(page);
      await page.waitForLoadState("networkidle");
      shift += await page.evaluate(() => globalThis.opened ? 0 : globalThis.shifts);
    }
    page.off("response", note);
    return { response: shown, shift };
  }
  await page.goto(`${address}/search`);
  const answered = page.waitForResponse((response) => response.request().method() === "POST");
  await page.evaluate(([path, fields]) => {
    const form = Object.assign(document.createElement("form"), { method: "post", action: path });
    for (const [name, value] of Object.entries(fields)) form.append(Object.assign(document.createElement("textarea"), { name, value }));
    document.body.append(form);
    form.submit();
  }, [path, form]);
  const response = await answered;
  await page.waitForURL(address + path);
  await settle(page);
  return { response, shift: await page.evaluate(() => globalThis.shifts) };
}
