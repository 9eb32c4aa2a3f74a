package reading_test

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// At 20:30 UTC it is the next morning in Tokyo, on every page with a time.
func TestTimesAreInTheZoneOfTheBrowser(t *testing.T) {
	ctx := webtest.Browser(t)
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	at := time.Date(2026, 4, 30, 20, 30, 0, 0, time.UTC)
	p := ada.CreatePostWith("Evening", "text", func(p *domain.Post) { p.Created, p.Edited = at, at.Add(24*time.Hour) })
	late, err := domain.NewComment(ada.User, p.ID, "late", at)
	s.Data.Must(err)
	_, err = s.Data.Store.Posts.AddComment(s.Data.Context(), late)
	s.Data.Must(err)
	d := ada.CreateDraft("Later", "text", "")
	s.Data.ChangeDraft(ada, d.PostID, func(item map[string]any) {
		item["savedDate"], item["publishDate"], item["preview"] = at, at.AddDate(70, 0, 0), "secret"
	})
	b := webtest.NewTab(t, ctx, webtest.Listen(t, s.Handler))
	b.SignInAs(ada)
	webtest.Call(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Tokyo"})
	wants := func(selector, want string) {
		t.Helper()
		if got := b.Eval(`document.querySelector('` + selector +
			`').textContent.replace(/\s+/g, ' ').trim()`); got != want {
			t.Errorf("%s has %q, want %q", selector, got, want)
		}
	}
	b.Open(p.Path())
	wants(".post .meta > time", "1 May 2026")
	wants(".post .meta > span:has(time)", "edited 2 May 2026, 05:30")
	wants("#Page-comments .meta time", "1 May 2026, 05:30")
	wants("#Page-comments button .visually-hidden", "your comment from 1 May 2026, 05:30")
	if got := b.Eval(`document.querySelector('#Page-comments .meta time').title`); got != "30 April 2026, 20:30 UTC" {
		t.Errorf("the title with the time in UTC is %q", got)
	}
	b.Open("/drafts")
	wants(".drafts .state", "Scheduled for 1 May 2096, 05:30")
	wants(".drafts span:has(> time):not(.state)", "Saved 1 May 2026, 05:30")
	b.Open("/posts/" + d.PostID + "/edit")
	wants(".post-status time", "1 May 2096, 05:30")
	t.Run("also in fragments that htmx loads", func(t *testing.T) {
		b.Open(p.Path())
		b.Press(`#Page-comments a[href$="/edit"]`)
		b.WaitVisible("#Page-comments .comment-form, #Page-comments form textarea")
		b.SetValue("#Page-comments li textarea", "later")
		b.Press("#Page-comments li form:has(textarea) button")
		b.WaitForText("#Page-comments li .prose", "later")
		wants("#Page-comments .meta time", "1 May 2026, 05:30")
	})
	t.Run("names UTC without JavaScript", func(t *testing.T) {
		webtest.Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		b.Open(p.Path())
		wants("#Page-comments .meta time", "30 April 2026, 20:30 UTC")
		b.Open("/drafts")
		wants(".drafts span:has(> time):not(.state)", "Saved 30 April 2026, 20:30 UTC")
		webtest.Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
	})
	b.WantQuietConsole("Autofocus") // htmx moves the focus itself
}
