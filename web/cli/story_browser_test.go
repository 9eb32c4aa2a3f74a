package cli

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

func TestTheStoryInABrowser(t *testing.T) {
	chromium := newChromium(t)
	for name, javascript := range map[string]bool{"with JavaScript": true, "without JavaScript": false} {
		t.Run(name, func(t *testing.T) {
			base := blog(t)
			ada := newBrowser(t, chromium, base, javascript)
			bob := newBrowser(t, chromium, base, javascript)

			ada.signUp("ada")
			ada.open("/new")
			ada.submit(`form[action="/posts"] button[value=publish]`, `input[name=title]`, "A day at the sea",
				`textarea[name=content]`, "It was *windy*.\n\n- gulls\n- sand")
			post := ada.value("location.pathname")
			if got := ada.text(); !strings.Contains(got, "A day at the sea") || !strings.Contains(got, "gulls") {
				t.Fatalf("the post: %s", got)
			}

			bob.signUp("bob")
			bob.open(post)
			bob.value("window.mark = 'same page'")
			if javascript {
				bob.run("comment by htmx", chromedp.SendKeys(chromedp.CSS("textarea[name=content]"), "I was there **too**."),
					press(`form[action$="/comments"] button`),
					chromedp.WaitVisible(chromedp.CSS(`li[id^="comment-"] strong`)))
				bob.run("like by htmx", press(`form[action$="/like"] button`),
					chromedp.WaitVisible(chromedp.CSS(`form[action$="/unlike"]`)))
				if bob.value("window.mark") != "same page" {
					t.Error("the page was loaded anew")
				}
			} else {
				bob.submit(`form[action$="/comments"] button`, "textarea[name=content]", "I was there **too**.")
				if hash := bob.value("location.hash"); !strings.HasPrefix(hash, "#comment-") {
					t.Errorf("after commenting at %q", hash)
				}
				bob.submit(`form[action$="/like"] button`)
			}
			if got := bob.text(); !strings.Contains(got, "1 comment") || !strings.Contains(got, "I was there too.") ||
				!strings.Contains(got, "1 like") && !strings.Contains(got, "Liked by you") {
				t.Errorf("after commenting and liking: %s", got)
			}

			bob.shows("/", "A day at the sea", "1 comment", "1 like", "It was windy.")
			bob.shows("/@ada", "A day at the sea", "1 comment", "1 like")

			for who, renamed := range map[*browser]string{ada: "lovelace", bob: "robert"} {
				who.open("/settings")
				who.submit(`form[action="/settings/username"] button`, `input[name=username]`, renamed)
			}
			bob.shows("/", "A day at the sea", "@lovelace")
			bob.shows(post, "@lovelace", "@robert")
			bob.shows(post[:strings.LastIndex(post, "/")]+"/likes", "@robert")
			bob.shows("/@lovelace", "A day at the sea")

			if javascript {
				bob.open(post)
				bob.run("take the like back", press(`form[action$="/unlike"] button`),
					chromedp.WaitVisible(chromedp.CSS(`form[action$="/like"]`)))
			} else {
				bob.open(post)
				bob.submit(`form[action$="/unlike"] button`)
			}
			if got := bob.text(); strings.Contains(got, "1 like") {
				t.Errorf("after taking the like back: %s", got)
			}
			if wide := bob.value("document.documentElement.scrollWidth > document.documentElement.clientWidth"); wide != "false" {
				t.Error("the post's page scrolls sideways on a phone")
			}
		})
	}
}

func TestAFormThatFailsComesBackInTheBrowser(t *testing.T) {
	b := newBrowser(t, newChromium(t), blog(t), true)
	b.signUp("ada")
	b.open("/settings")
	b.submit(`form[action="/settings/username"] button`, `input[name=username]`, "not_")
	if got := b.value(`document.querySelector('input[name=username]').value`); got != "not_" {
		t.Errorf("the field says %q", got)
	}
	if got := b.value(`document.querySelector('input[name=username]').getAttribute('aria-invalid')`); got != "true" {
		t.Errorf("aria-invalid is %q", got)
	}
}
