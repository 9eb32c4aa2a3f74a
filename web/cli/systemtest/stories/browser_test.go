package stories

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"inkfeed/web/cli/systemtest/harness"
)

func TestPostingCommentingAndRenamingInABrowser(t *testing.T) {
	t.Parallel()
	chromium := harness.Chromium(t)
	for name, javascript := range map[string]bool{"with JavaScript": true, "without JavaScript": false} {
		t.Run(name, func(t *testing.T) {
			base := harness.ServeBlog(t)
			ada := harness.NewBrowser(t, chromium, base, javascript)
			bob := harness.NewBrowser(t, chromium, base, javascript)

			ada.SignUp("ada")
			ada.Open("/new")
			ada.Fill(`textarea[name=title]`, "A day at the sea",
				`textarea[name=content]`, "It was *windy*.\n\n- gulls\n- sand")
			if javascript {
				ada.Run("open the dialog", chromedp.SendKeys(chromedp.CSS("#open-publish"), " "))
			}
			ada.Submit(`form[action="/posts"] button[value=publish]`)
			post := ada.Value("location.pathname")
			if got := ada.Text(); !strings.Contains(got, "A day at the sea") || !strings.Contains(got, "gulls") {
				t.Fatalf("the post's page says: %s", got)
			}

			bob.SignUp("bob")
			bob.Open(post)
			bob.Value("window.mark = 'same page'")
			if javascript {
				bob.Run("comment by htmx",
					chromedp.SendKeys(chromedp.CSS("textarea[name=content]"), "I was there **too**."),
					harness.Press(`form[action$="/comments"] button`),
					chromedp.WaitVisible(chromedp.CSS(`li[id^="comment-"] strong`)))
				bob.Run("like by htmx", harness.Press(`form[action$="/like"] button`),
					chromedp.WaitVisible(chromedp.CSS(`form[action$="/unlike"]`)))
				if bob.Value("window.mark") != "same page" {
					t.Error("the browser reloaded the page")
				}
			} else {
				bob.Submit(`form[action$="/comments"] button`, "textarea[name=content]", "I was there **too**.")
				if hash := bob.Value("location.hash"); !strings.HasPrefix(hash, "#comment-") {
					t.Errorf("after commenting, the fragment is %q", hash)
				}
				bob.Submit(`form[action$="/like"] button`)
			}
			if got := bob.Text(); !strings.Contains(got, "1 comment") || !strings.Contains(got, "I was there too.") ||
				!strings.Contains(got, "1 like") && !strings.Contains(got, "Liked by you") {
				t.Errorf("after commenting and liking, the page says: %s", got)
			}

			bob.Shows("/", "A day at the sea", "1 comment", "1 like", "It was windy.")
			bob.Shows("/@ada", "A day at the sea", "1 comment", "1 like")

			for user, newName := range map[*harness.Browser]string{ada: "lovelace", bob: "robert"} {
				user.Open("/settings")
				user.Submit(`form[action="/settings/username"] button`, `input[name=username]`, newName)
			}
			bob.Shows("/", "A day at the sea", "@lovelace")
			bob.Shows(post, "@lovelace", "@robert")
			bob.Shows(post[:strings.LastIndex(post, "/")]+"/likes", "@robert")
			bob.Shows("/@lovelace", "A day at the sea")

			if javascript {
				bob.Open(post)
				bob.Run("remove the like by htmx", harness.Press(`form[action$="/unlike"] button`),
					chromedp.WaitVisible(chromedp.CSS(`form[action$="/like"]`)))
			} else {
				bob.Open(post)
				bob.Submit(`form[action$="/unlike"] button`)
			}
			if got := bob.Text(); strings.Contains(got, "1 like") {
				t.Errorf("after removing the like, the page says: %s", got)
			}
			const scrolls = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
			if bob.Value(scrolls) != "false" {
				t.Error("the post's page scrolls sideways on a phone")
			}
		})
	}
}

func TestRejectedFormIsShownAgainInABrowser(t *testing.T) {
	t.Parallel()
	b := harness.NewBrowser(t, harness.Chromium(t), harness.ServeBlog(t), true)
	b.SignUp("ada")
	b.Open("/settings")
	b.Submit(`form[action="/settings/username"] button`, `input[name=username]`, "not_")
	if got := b.Value(`document.querySelector('input[name=username]').value`); got != "not_" {
		t.Errorf("the username field contains %q", got)
	}
	if got := b.Value(`document.querySelector('input[name=username]').getAttribute('aria-invalid')`); got != "true" {
		t.Errorf("aria-invalid of the username field is %q", got)
	}
}
