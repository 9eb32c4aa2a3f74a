// Forms as a browser without JavaScript sends them, each by a user with cookies of their own.
export const password = "correct horse battery";

export async function signUp(browser, address, username) {
  const context = await browser.newContext();
  await send(context, `${address}/signup`, { username, password });
  return context;
}

// send wants the redirect that follows a form that was accepted, and returns where to.
export async function send(context, url, form) {
  const answer = await context.request.post(url, { form, maxRedirects: 0 });
  if (answer.status() !== 303) throw new Error(`${url} answered ${answer.status()}: ${await answer.text()}`);
  return answer.headers().location;
}

// newPost returns the id that the server issues for a new post.
export async function newPost(context, address) {
  return /name="post" value="([a-z0-9]{26})"/.exec(await fetchText(context, `${address}/new`))[1];
}

export async function fetchText(context, url) {
  return (await context.request.get(url)).text();
}
