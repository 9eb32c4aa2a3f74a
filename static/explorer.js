// The script of the data explorer's change feed: adds new changes to the list until the reader pauses it.
const pace = 2000; // milliseconds between requests
const most = 500; // changes in the list
const list = document.getElementById("changes");
const newer = document.getElementById("newer");
const status = document.getElementById("follow-status");
const button = document.getElementById("pause");
let following = true;
let busy = false;

const say = (text) => {
  if (status.textContent !== text) status.textContent = text;
};

const follow = async () => {
  if (!following || busy || document.hidden) return;
  busy = true;
  try {
    const answer = await fetch(newer.href);
    if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const changes = [...page.querySelectorAll("#changes > li")].map((one) => document.importNode(one, true));
    list.prepend(...changes);
    while (list.children.length > most) list.lastElementChild.remove();
    newer.setAttribute("href", page.getElementById("newer").getAttribute("href"));
    say("New changes appear here.");
  } catch {
    say("The engine does not answer. Reload this page.");
  }
  busy = false;
};

button.hidden = false;
button.addEventListener("click", () => {
  following = !following;
  button.textContent = following ? "Pause" : "Continue";
  say(following ? "New changes appear here." : "Paused.");
});
say("New changes appear here.");
setInterval(follow, pace);
