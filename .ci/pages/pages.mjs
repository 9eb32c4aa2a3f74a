// Every type of page, each with an address, for the data that story.mjs makes. The properties of a page:
//   form    the fields of a form; the page is the answer to it
//   narrow  true: in the window of a phone
//   script  false: without JavaScript
//   media   the medium, such as print
//   then    is called with the page before it is checked
import { word } from "./forms.mjs";

const preview = async (page) => {
  await page.getByRole("button", { name: "Preview" }).click();
  await page.locator("#rendering .prose").waitFor();
};
const publishing = async (page) => {
  await page.locator("#open-publish").click();
  await page.getByText("Publish later").click();
  await page.getByText("Share a private preview").click();
};
const help = (page) => page.getByRole("button", { name: "Help" }).click();
const focusMode = (page) => page.getByRole("button", { name: "Focus" }).click();

// describe chooses a file and leaves the dialog open that asks for its description. The file only begins like a picture,
// so refused makes the page show why it cannot be added.
const describe = async (page) => {
  await page.locator("#image-file").setInputFiles({ name: `${word}.webp`, mimeType: "image/webp", buffer: Buffer.from("RIFF none") });
  await page.getByRole("dialog", { name: "Describe the picture" }).waitFor();
};
const refused = async (page) => {
  await describe(page);
  await page.getByRole("button", { name: "Add picture" }).click();
  await page.getByRole("alert").waitFor();
};

// leave asks for the account to be deleted, and keep takes that back.
const leave = async (page) => {
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Delete my account in" }).click();
  await page.getByRole("status").waitFor();
};
const keep = async (page) => {
  await page.getByRole("button", { name: "Keep my account" }).click();
  await page.getByRole("status").waitFor();
};

// An import, step by step: each goes on from the page of the one before. A page that follows by itself is
// loaded again, for the HTML checker to see it.
const blog = JSON.stringify({ username: "checker", posts: [], collections: [{ alias: "checker", title: "Checker", posts: [
  { id: "abcd", slug: "moved", title: "A post that moved in", body: "Text, and {{< code >}}.", created: "2021-03-04T10:20:00Z" }] }] });
const settled = async (page, title) => {
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
  await page.reload({ waitUntil: "networkidle" });
};
const upload = async (page) => {
  await page.getByLabel("Export of your blog").setInputFiles({ name: `blog-${word}.json`, mimeType: "application/json", buffer: Buffer.from(blog) });
  await page.getByRole("button", { name: "Upload and preview" }).click();
  await settled(page, "Preview of your import");
};
const refuse = async (page) => {
  await page.getByLabel("Export of your blog").setInputFiles({ name: `${word}.txt`, mimeType: "text/plain", buffer: Buffer.from("words") });
  await page.getByRole("button", { name: "Upload and preview" }).click();
  await page.getByRole("alert").waitFor();
  await page.reload({ waitUntil: "networkidle" });
};
const start = async (page) => {
  await page.getByRole("button", { name: "Import now" }).click();
  await settled(page, "Import finished");
};
const discard = async (page) => {
  await upload(page);
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("status").waitFor();
};
// invite creates an invitation.
const invite = async (page) => {
  await page.getByRole("button", { name: "Create invitation" }).click();
  await page.getByRole("status").first().waitFor();
};
// The cost inspector, on and off again.
const inspect = async (page) => {
  await page.getByLabel("On", { exact: true }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").waitFor();
};
const endInspection = async (page) => {
  await page.getByRole("button", { name: "Turn off" }).click();
  await page.getByRole("heading", { name: "Cost of this page" }).waitFor({ state: "detached" });
};
const undo = async (page) => {
  await page.getByRole("button", { name: "Undo the import" }).click();
  await settled(page, "Import undone");
};

// importPeople imports subscribers. New accounts may not.
const importPeople = (content) => async (page) => {
  await page.getByLabel("Where do these people come from?").fill("My letter");
  await page.getByLabel("These people have asked").check();
  await page.getByLabel("File").setInputFiles({ name: `${word}.csv`, mimeType: "text/csv", buffer: Buffer.from(content) });
  await page.getByRole("button", { name: "Import" }).click();
};
const people = async (page) => {
  await importPeople(`email\neve@example.org\n${word}\n`)(page);
  await page.getByRole("status").waitFor();
};
const noPeople = async (page) => {
  await importPeople("name\nEve\n")(page);
  await page.getByRole("alert").waitFor();
};

const openMenu = (page, within) => page.locator(`${within} .menu > summary`).first().click();

export const pages = ({ post, older, draft, scheduled, unlisted, withdrawn, page: staticPage, shared, comment, image, hidden, kept, waiting, unfinished, links }) => {
  const everybody = [
    { name: "home page", path: "/" },
    { name: "second page of the home page", path: "/?page=2" },
    { name: "post", path: `/posts/${post}` },
    { name: "post with an image", path: `/posts/${older}` },
    { name: "post, printed", path: `/posts/${post}`, media: "print" },
    { name: "unlisted post", path: `/posts/${unlisted}` },
    { name: "comments", path: `/posts/${post}/comments` },
    { name: "likes", path: `/posts/${post}/likes` },
    { name: "static page", path: "/about" },
    { name: "static page, narrow", path: "/about", narrow: true },
    { name: "author, with a header, links and a pinned post", path: "/@checker" },
    { name: "author, with a header, links and a pinned post, narrow", path: "/@checker", narrow: true },
    { name: "author without a blog of their own", path: "/@reader" },
    { name: "archive", path: "/@checker/archive" },
    { name: "series of an author", path: "/@checker/series" },
    { name: "series", path: "/@checker/series/all-of-it" },
    { name: "series, narrow", path: "/@checker/series/all-of-it", narrow: true },
    { name: "tag", path: "/tags/go" },
    { name: "tag in another script", path: `/tags/${encodeURIComponent("日本語")}` },
    { name: "feed", path: "/feed" },
    { name: "feed of an author, narrow", path: "/@checker/feed", narrow: true },
    { name: "followers", path: "/@checker/followers" },
    { name: "what an author follows, narrow", path: "/@checker/following", narrow: true },
    { name: "all tags", path: "/tags" },
    { name: "all authors", path: "/authors" },
    { name: "search", path: "/search" },
    { name: "search results", path: "/search?q=everything" },
    { name: "search without results", path: "/search?q=zzzzzzz" },
    { name: "draft shown by a private link", path: shared },
    { name: "log-in", path: "/login" },
    { name: "log-in that failed", path: "/login", form: { username: "checker", password: "no" }, status: 422 },
    { name: "sign-up", path: "/signup" },
    { name: "sign-up to be mended", path: "/signup", form: { username: "a b", password: "short" }, status: 422 },
    { name: "forgotten password", path: "/reset" },
    { name: "a link for a new password that is not good", path: "/reset/x", status: 404 },
    { name: "home page, narrow", path: "/", narrow: true },
    { name: "post, narrow", path: `/posts/${post}`, narrow: true },
    { name: "nothing there", path: "/nothing", status: 404 },
  ];
  // An edit that began before the last one was published.
  const changed = { revision: "1", title: "Everything that a post may hold", content: "Changed.\n\n## A heading\n\nAll of it.", tags: "Go, changed" };
  const members = [
    { name: "own page, with a hidden post", path: "/@checker" },
    { name: "menu of another person", path: "/@reader", then: (page) => page.locator(".profile .menu summary").click() },
    { name: "menu of another person, narrow", path: "/@reader", narrow: true, then: (page) => page.locator(".profile .menu summary").click() },
    { name: "rename a series", path: "/@checker/series/all-of-it/rename" },
    { name: "sessions", path: "/settings/sessions" },
    { name: "password", path: "/settings/password" },
    { name: "email", path: "/settings/email" },
    { name: "new post", path: "/new" },
    { name: "edit", path: `/posts/${post}/edit` },
    { name: "edit a draft", path: `/posts/${draft}/edit` },
    { name: "edit a scheduled draft", path: `/posts/${scheduled}/edit` },
    { name: "edit an unpublished post", path: `/posts/${withdrawn}/edit` },
    { name: "edit, without script", path: `/posts/${post}/edit`, script: false },
    { name: "edit, narrow", path: `/posts/${post}/edit`, narrow: true },
    { name: "edit, the preview", path: `/posts/${post}/edit`, then: preview },
    { name: "edit, publishing", path: `/posts/${post}/edit`, then: publishing },
    { name: "edit, help", path: `/posts/${post}/edit`, then: help },
    { name: "edit, focus mode", path: `/posts/${post}/edit`, then: focusMode },
    { name: "edit, narrow, publishing", path: `/posts/${post}/edit`, narrow: true, then: publishing },
    { name: "edit, narrow, the preview", path: `/posts/${post}/edit`, narrow: true, then: preview },
    { name: "edit, describing a picture", path: `/posts/${draft}/edit`, then: describe },
    { name: "edit, with a picture that is refused", path: `/posts/${draft}/edit`, then: refused, narrow: true },
    { name: "edit, with a new private link", path: `/posts/${draft}/edit?done=share` },
    { name: "preview without script", path: `/posts/${post}`, form: { ...changed, do: "preview" }, script: false },
    { name: "post to be mended", path: "/posts", form: { title: "Nothing below", publishDate: "2020-01-01T08:00", do: "schedule" }, status: 422 },
    { name: "two versions to choose from", path: `/posts/${post}`, form: { ...changed, do: "publish" }, status: 409 },
    { name: "two versions, narrow", path: `/posts/${post}`, form: { ...changed, do: "publish" }, status: 409, narrow: true },
    { name: "drafts", path: "/drafts" },
    { name: "unlisted posts", path: "/drafts/unlisted" },
    { name: "trash", path: "/trash" },
    { name: "delete a draft", path: `/drafts/${draft}/delete` },
    { name: "versions", path: `/posts/${post}/versions` },
    { name: "version", path: `/posts/${post}/versions/1` },
    { name: "restore a version", path: `/posts/${post}/versions/1/restore` },
    { name: "restored version", path: `/posts/${post}/versions?done=restored` },
    { name: "unpublish", path: `/posts/${post}/unpublish` },
    { name: "delete a post", path: `/posts/${post}/delete` },
    { name: "delete a post for good", path: `/posts/${post}/erase` },
    { name: "comment to be mended", path: `/posts/${post}/comments`, form: { content: " ", attempt: "abcdefghijkmnpqrstuvwxyz23" }, status: 422 },
    { name: "reply", path: `/posts/${post}/comments/${comment}/reply` },
    { name: "edit a comment", path: `/posts/${post}/comments/${comment}/edit` },
    { name: "delete a comment", path: `/posts/${post}/comments/${comment}/delete` },
    { name: "personal feed", path: "/following" },
    { name: "personal feed, narrow", path: "/following/posts", narrow: true },
    { name: "bookmarks", path: "/bookmarks" },
    { name: "notifications", path: "/notifications" },
    { name: "notifications, narrow", path: "/notifications", narrow: true },
    { name: "welcome", path: "/welcome" },
    { name: "welcome, narrow", path: "/welcome", narrow: true },
    { name: "images", path: "/images" },
    { name: "delete an image", path: `/images/${image}/delete` },
    { name: "menu of a post, narrow", path: `/posts/${kept}`, narrow: true, then: (page) => openMenu(page, ".reactions") },
    { name: "report a post", path: `/posts/${kept}/report` },
    { name: "report to be mended", path: `/posts/${kept}/report`, form: { text: "x" }, status: 422 },
    { name: "own post that is hidden", path: `/posts/${hidden}` },
    { name: "post with closed comments", path: `/posts/${older}` },
    { name: "somebody who was suspended", path: "/@shouter", status: 404 },
    { name: "settings of following", path: "/settings/following" },
    { name: "settings of following, narrow", path: "/settings/following", narrow: true },
    { name: "blocked people", path: "/settings/blocks" },
    { name: "muted people, tags and posts", path: "/settings/mutes" },
    { name: "notification settings", path: "/settings/notifications" },
    { name: "for administrators only", path: "/admin/users", status: 403 },
    { name: "account menu", path: "/", then: (page) => openMenu(page, "nav") },
    { name: "account menu, narrow", path: "/", narrow: true, then: (page) => openMenu(page, "nav") },
    { name: "settings", path: "/settings" },
    { name: "profile", path: "/settings/profile" },
    { name: "profile to be mended", path: "/settings/profile", form: { displayName: "", bio: "", blogTitle: "", link1: "Bad", "link1-address": "ftp://x.example" }, status: 422 },
    { name: "header picture", path: "/settings/header" },
    { name: "header picture, narrow", path: "/settings/header", narrow: true },
    { name: "import a blog", path: "/settings/import" },
    { name: "import of a file that is no blog", path: "/settings/import", then: refuse },
    { name: "import that was discarded", path: "/settings/import", then: discard },
    { name: "preview of an import", path: "/settings/import", then: upload },
    { name: "import that is finished", path: "/settings/import", then: start },
    { name: "undo an import", path: "/settings/import/undo" },
    { name: "import that is undone", path: "/settings/import/undo", then: undo },
    { name: "mail settings", path: "/settings/mail" },
    { name: "newsletter", path: "/settings/newsletter" },
    { name: "newsletter, narrow", path: "/settings/newsletter", narrow: true },
    { name: "newsletter to be mended", path: "/settings/newsletter", form: { email: "checker@" }, status: 422 },
    { name: "import of subscribers", path: "/settings/newsletter/import" },
    { name: "import of subscribers to be mended", path: "/settings/newsletter/import", then: noPeople, status: 422 },
    { name: "preview of the mail of a draft", path: `/posts/${draft}/mail-preview` },
    { name: "delete the account", path: "/settings/delete" },
    { name: "account that is leaving", path: "/settings/delete", then: leave },
    { name: "home page of a user who is leaving", path: "/" },
    { name: "home page of a user who is leaving, narrow", path: "/", narrow: true },
    { name: "settings of an account that was leaving", path: "/settings/delete", then: keep },
    { name: "login and security", path: "/settings/security" },
    { name: "authenticator app", path: "/settings/security/totp" },
    { name: "new passkey", path: "/settings/security/passkeys/new" },
  ];
  const staff = [
    { name: "account menu, for an administrator, narrow", path: "/", narrow: true, then: (page) => openMenu(page, "nav") },
    { name: "reports", path: "/moderation" },
    { name: "held for review", path: "/moderation/held" },
    { name: "hidden post", path: `/posts/${hidden}` },
    { name: "post, for a moderator", path: `/posts/${post}` },
    { name: "menu of a post, for a moderator", path: `/posts/${post}`, then: (page) => openMenu(page, ".reactions") },
    { name: "menu of a comment, for a moderator", path: `/posts/${post}/comments`, narrow: true, then: (page) => openMenu(page, ".comment") },
    { name: "comments, for a moderator", path: `/posts/${post}/comments` },
    { name: "decide about a post", path: `/posts/${post}/moderate` },
    { name: "decide about a hidden post", path: `/posts/${hidden}/moderate` },
    { name: "decide about a comment", path: `/posts/${post}/comments/${comment}/moderate` },
    { name: "decision to be mended", path: `/posts/${post}/moderate`, form: { do: "suspend", version: "1" }, status: 422 },
    { name: "accounts", path: "/admin/users" },
    { name: "account", path: "/admin/users?name=checker" },
    { name: "suspended account", path: "/admin/users?name=shouter" },
    { name: "invitations", path: "/admin/invitations" },
    { name: "new invitation, narrow", path: "/admin/invitations", then: invite, narrow: true },
    { name: "invitation to be mended", path: "/admin/invitations", form: { uses: "0", days: "14" }, status: 422 },
    { name: "old addresses", path: "/admin/addresses" },
    { name: "old addresses of a user", path: "/admin/addresses?q=%40checker" },
    { name: "an old address, narrow", path: "/admin/addresses?q=/about", narrow: true },
    { name: "old address to be mended", path: "/admin/addresses/assign", form: { path: "/about", to: "/nowhere" }, status: 422 },
    { name: "site settings", path: "/admin/settings" },
    { name: "site settings, narrow", path: "/admin/settings", narrow: true },
    { name: "site settings, looks", path: "/admin/settings?looks#looks" },
    { name: "site settings, front page, narrow", path: "/admin/settings?front#front-page", narrow: true },
    { name: "site settings, links, narrow", path: "/admin/settings?links#links", narrow: true },
    { name: "site settings to be mended", path: "/admin/settings", form: { registration: "ajar", days: "999" }, status: 422 },
    { name: "menu of the administration, narrow", path: "/admin/pages", narrow: true, then: (page) => page.locator(".room-menu details").evaluate((menu) => { menu.open = true; }) },
    { name: "setup, finished", path: "/admin/setup?done=yes" },
    { name: "pages", path: "/admin/pages" },
    { name: "pages, narrow", path: "/admin/pages", narrow: true },
    { name: "new page", path: "/admin/pages/new" },
    { name: "new page to be mended", path: "/admin/pages", form: { path: "/search", attempt: "abcdefghijkmnpqrstuvwxyz23" }, status: 422 },
    { name: "import of pages", path: "/admin/pages/import" },
    { name: "import of pages, narrow", path: "/admin/pages/import", narrow: true },
    { name: "settings of a page", path: `/admin/pages/${staticPage}` },
    { name: "delete a page", path: `/admin/pages/${staticPage}/delete` },
    { name: "edit a page", path: `/posts/${staticPage}/edit` },
    { name: "edit a page, publishing", path: `/posts/${staticPage}/edit`, then: publishing, narrow: true },
    { name: "all comments", path: "/admin/comments" },
    { name: "all comments, narrow", path: "/admin/comments", narrow: true },
    { name: "hidden comments", path: "/admin/comments?state=hidden" },
    { name: "audit log", path: "/admin/log" },
    { name: "deliveries", path: "/admin/deliveries" },
    { name: "deliveries, narrow", path: "/admin/deliveries", narrow: true },
    { name: "costs", path: "/admin/costs" },
    { name: "costs of a month, narrow", path: "/admin/costs?span=month", narrow: true },
    { name: "cost inspector", path: "/admin/inspector" },
    { name: "cost inspector to be mended", path: "/admin/inspector", form: { mode: "loud" }, status: 422 },
    { name: "cost inspector, on", path: "/admin/inspector", then: inspect },
    { name: "home page, inspected", path: "/" },
    { name: "post, inspected, narrow", path: `/posts/${post}`, narrow: true },
    { name: "error page, inspected", path: "/nothing", status: 404 },
    { name: "cost inspector, off again", path: "/admin/inspector", then: endInspection },
    { name: "import of subscribers that is finished", path: "/settings/newsletter/import", then: people },
    { name: "reports, narrow", path: "/moderation", narrow: true },
    { name: "audit log, narrow", path: "/admin/log", narrow: true },
  ];
  const subscriber = [
    { name: "subscription to be mended", path: "/@checker/subscribe", form: { email: "reader@", next: "/@checker" }, status: 422 },
    { name: "subscription that was asked for", path: "/@checker/subscribe", form: { email: `${word.slice(0, 60)}@example.org` } },
    { name: "subscription to be confirmed", path: links.undecided },
    { name: "subscriptions", path: links.manage },
    { name: "subscriptions to be erased", path: links.manage, form: { do: "erase" } },
    { name: "subscription to be ended", path: links.end },
    { name: "subscription with a link that is not good", path: "/mail/x", status: 404 },
  ];
  const newcomer = [
    { name: "own post that waits", path: `/posts/${waiting}` },
    { name: "own comment that waits", path: `/posts/${post}/comments` },
    { name: "own page, with a post that waits", path: "/@newcomer" },
  ];
  const demoted = [
    { name: "drafts of a reader", path: "/drafts" },
    { name: "draft of a reader", path: `/drafts/${unfinished}` },
    { name: "draft of a reader, narrow", path: `/drafts/${unfinished}`, narrow: true },
  ];
  const careful = [
    { name: "login and security, two-step verification on", path: "/settings/security" },
    { name: "new recovery codes?", path: "/settings/security/recovery" },
    { name: "recovery codes", path: "/settings/security/recovery", form: {} },
  ];
  const halfway = [
    { name: "second step", path: "/login/second" },
    { name: "second step that failed", path: "/login/second", form: { code: "123" }, status: 422 },
  ];
  return { everybody, members, staff, subscriber, newcomer, demoted, careful, halfway };
};
