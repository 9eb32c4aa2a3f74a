// The script of pages with embeds. A button replaces the picture of a card by the frame of the provider, so that no
// provider is contacted before. The page's policy names the hosts of the frames.
for (const button of document.querySelectorAll(".embed button")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const frame = document.createElement("iframe");
    frame.title = button.dataset.title;
    frame.sandbox = "allow-scripts allow-same-origin allow-popups allow-presentation";
    frame.allow = "fullscreen; picture-in-picture";
    frame.referrerPolicy = button.dataset.referrer ?? "no-referrer";
    frame.src = button.dataset.frame;
    const card = button.parentElement;
    card.classList.add("loaded");
    card.prepend(frame);
    button.remove();
    frame.focus();
  });
}
