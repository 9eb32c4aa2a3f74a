// Every type of page of the data explorer, which inkfeed engine serves: like pages.mjs for the blog.
import { startExplorer, wellKnownKey } from "./server.mjs";

const container = "/_explorer/dbs/inkfeed/colls/posts";

const logIn = async (page, key) => {
  await page.getByLabel("Key of the engine").fill(key);
  await page.getByRole("button", { name: "Log in" }).click();
};
const item = (page) => page.locator("#items tbody a").first().click();
const query = async (page, text) => {
  await page.getByLabel("Query", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Run query" }).click();
};

const signedOut = [
  { name: "data explorer: log in", path: "/_explorer/" },
  { name: "data explorer: another key", path: "/_explorer/", status: 422, then: (page) => logIn(page, "guess") },
];
const signedIn = [
  { name: "data explorer: databases", path: "/_explorer/" },
  { name: "data explorer: container", path: container },
  { name: "data explorer: items", path: `${container}/docs` },
  { name: "data explorer: item", path: `${container}/docs`, then: item },
  { name: "data explorer: new item", path: `${container}/new` },
  { name: "data explorer: edit", path: `${container}/docs`, then: async (page) => {
    await item(page);
    await page.getByRole("link", { name: "Edit" }).click();
  } },
  { name: "data explorer: edit without a confirmation", path: `${container}/docs`, status: 422, then: async (page) => {
    await item(page);
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Replace item" }).click();
  } },
  { name: "data explorer: delete", path: `${container}/docs`, then: async (page) => {
    await item(page);
    await page.getByRole("link", { name: "Delete" }).click();
  } },
  { name: "data explorer: query", path: `${container}/query` },
  { name: "data explorer: results", path: `${container}/query`, then: (page) => query(page, "SELECT c.id FROM c WHERE c.type = 'post'") },
  { name: "data explorer: query that is refused", path: `${container}/query`, status: 400, then: (page) => query(page, "SELECT * FROM c ORDER BY c.id") },
  { name: "data explorer: changes", path: `${container}/changes`, script: false },
  { name: "data explorer: unknown container", path: `${container}-none`, status: 404 },
];

// lookAtExplorer starts an engine and calls look with its pages, as look(address, pages, state).
export async function lookAtExplorer(binary, browser, look) {
  const server = await startExplorer(binary);
  try {
    const sent = await look(server.address, signedOut, undefined);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${server.address}/_explorer/`);
    await logIn(page, wellKnownKey);
    await page.getByRole("heading", { name: "Databases" }).waitFor();
    sent.push(...(await look(server.address, signedIn, await context.storageState())));
    await context.close();
    return sent;
  } finally {
    await server.stop();
  }
}
