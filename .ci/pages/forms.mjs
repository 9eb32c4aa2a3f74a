// Forms as a browser without JavaScript sends them, each by a user with cookies of their own.
export const password = "correct horse battery";

// word is longer than any window of a phone is wide. Fields that have less room get as much of it as they take.
export const word = "w".repeat(140);
const room = { username: 30, displayName: 50, series: 100, blogTitle: 80, label: 40, link1: 40, link2: 40, name: 60, tagline: 120 };
const longTexts = ["title", "bio", "text", "words", "note", "description", "footer"];
let long = false;

// lengthen makes all texts of the forms that follow end with a long word.
export const lengthen = () => (long = true);

// lengthenText is a text of a form that send does not send.
export const lengthenText = (text) => (long ? `${text} ${word}` : text);

// named is the username of a user of the story.
export const named = (username) => (long ? username.padEnd(room.username, "w") : username);

// mailbox is the mail address of somebody in the story.
export const mailbox = (name) => `${long ? name.padEnd(60, "w") : name}@example.org`;

// lengthened returns a form with long texts. What names something, such as a reason for a report, is left as it is.
function lengthened(form) {
  if (!long) return form;
  const longer = { ...form };
  for (const [name, text] of Object.entries(form)) {
    if (name === "username") longer[name] = named(text);
    else if (name === "tags" && text) longer[name] = `${text}, ${word.slice(0, 50)}`;
    else if (name === "content" && text.trim()) longer[name] = `${text}\n\n${word} \`${word}\`\n\n## ${word}\n\n| ${word} |\n| --- |\n| ${word} |\n`;
    else if (room[name]) longer[name] = `${text} ${word}`.trim().slice(0, room[name]);
    else if (longTexts.includes(name) || (name === "reason" && text.includes(" "))) longer[name] = lengthenText(text);
  }
  return longer;
}

export async function signUp(browser, address, username) {
  const context = await browser.newContext();
  await send(context, `${address}/signup`, { username, password });
  return context;
}

// send wants the redirect that follows a form that was accepted, and returns where to.
export async function send(context, url, form) {
  const answer = await context.request.post(url, { form: lengthened(form), maxRedirects: 0 });
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
