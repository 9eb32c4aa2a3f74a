package subscribing_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/domain/subscription"
	"inkfeed/web"
	"inkfeed/web/pagecache"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/webtest"
)

const reader = "reader@example.org"

// subscriber returns the stored subscriber of a visitor.
func subscriber(s *webtest.Site, email string) subscription.Subscriber {
	s.T.Helper()
	sub, err := s.Data.Store.Subscriptions.Get(s.Data.Context(), subscription.VisitorID(email))
	s.Data.Must(err)
	return sub
}

func TestAVisitorSubscribesByAFormOnEachPage(t *testing.T) {
	s := newSite(t)
	ada := s.SignUp("ada")
	post := publish(ada)
	for page, list := range map[string]subscription.List{
		"/@ada":                 subscription.Author(ada.User.ID),
		post:                    subscription.Author(ada.User.ID),
		"/tags/go":              subscription.Tag("go"),
		"/@ada/series/a-series": subscription.Series(ada.User.ID, "a-series"),
		"/":                     subscription.Site(),
	} {
		t.Run(page, func(t *testing.T) {
			email := fmt.Sprintf("reader%d@example.org", len(page))
			v := s.Anonymous()
			form := v.Get(page).Want(http.StatusOK).Page().Find("form.subscribe")
			next := form.Find(`[name="next"]`).AttrOr("value", "")
			wording := webtest.CollapseSpace(form.Find("#Page-subscribe-hint").Text())
			v.Post(form.AttrOr("action", ""), "email", " "+email+" ", "next", next).Want(http.StatusOK).
				Has("h1", "Check your email")
			confirm := link(t, s, email)
			waiting, _ := subscriber(s, email).Find(list)
			if waiting.Active() || waiting.Consent.Wording != wording ||
				waiting.Consent.Page != "http://example.com"+page ||
				waiting.Consent.At.IsZero() {
				t.Errorf("after the form, the subscription is %+v", waiting)
			}
			v.Get(confirm).Want(http.StatusOK).Has("h1", "Confirm your subscription")
			if one, _ := subscriber(s, email).Find(list); one.Active() {
				t.Error("a GET request has confirmed the subscription")
			}
			done := v.Post(confirm, "frequency", "weekly").Want(http.StatusSeeOther).Header.Get("Location")
			v.Get(done).Want(http.StatusOK).Has(".done", "You are subscribed.")
			if sub := subscriber(s, email); !sub.Gets(list, subscription.Weekly) {
				t.Errorf("after the confirmation, the subscriber is %+v", sub)
			}
		})
	}
}

func TestAFormDoesNotRevealWhetherAnAddressIsKnown(t *testing.T) {
	s := newSite(t)
	ada := s.SignUp("ada")
	ada.VerifyEmail("ada@example.org")
	s.Data.ForgetMails()
	v := s.Anonymous()
	first := v.Post("/@ada/subscribe", "email", reader)
	v.Post(link(t, s, reader)).Want(http.StatusSeeOther)
	again := v.Post("/@ada/subscribe", "email", reader)
	other := v.Post("/@ada/subscribe", "email", "ada@example.org")
	if again.Body != first.Body || strings.ReplaceAll(other.Body, "ada@example.org", reader) != first.Body {
		t.Error("the answers differ")
	}
	if mail := s.Data.Mails()[1]; mail.To != reader || !strings.Contains(mail.Text, "You receive it already") ||
		!strings.Contains(mail.Text, "/mail/s.") {
		t.Errorf("the mail to a subscriber is %+v", mail)
	}
	v.Post(link(t, s, "ada@example.org")).Want(http.StatusSeeOther)
	sub, err := s.Data.Store.Subscriptions.Get(t.Context(), ada.User.ID)
	if err != nil || !sub.Gets(subscription.Author(ada.User.ID), subscription.Each) || sub.Email != "" {
		t.Errorf("the member with the address has %+v, error %v", sub, err)
	}
}

func TestARejectedFormKeepsTheAddress(t *testing.T) {
	s := newSite(t)
	s.SignUp("ada")
	v := s.Anonymous()
	for _, typed := range []string{"", "reader@", "a@example.org\r\nBcc: eve@example.org"} {
		a := v.Post("/@ada/subscribe", "email", typed, "next", "/posts/x").Want(http.StatusUnprocessableEntity)
		if a.Value("email") != strings.Map(func(r rune) rune {
			if r == '\r' {
				return -1
			}
			return r
		}, typed) || a.Value("next") != "/posts/x" {
			t.Errorf("%q comes back as %q", typed, a.Value("email"))
		}
		a.Has("#email-error", "Enter")
	}
	v.Post("/subscribe", "email", reader, "homepage", "x").Want(http.StatusUnprocessableEntity).
		Has(`[role="alert"]`, "hidden field")
	for _, path := range []string{"/tags/buy-pills/subscribe", "/@ada/series/buy-pills/subscribe", "/@eve/subscribe"} {
		v.Post(path, "email", reader).Want(http.StatusNotFound)
	}
	if mails := s.Data.Mails(); len(mails) != 0 {
		t.Errorf("%d mails were sent", len(mails))
	}
}

func TestSubscriptionsAreLimitedByNetworkProviderAndAddress(t *testing.T) {
	limited := func(limits string) *webtest.Site {
		return newSite(t, func(c *web.Config) { c.RateLimits, _ = ratelimit.Parse(limits) })
	}
	t.Run("network", func(t *testing.T) {
		s := limited("subscribers=2/1h,subscribers-provider=off")
		for i := range 2 {
			s.Anonymous().From("192.0.2.7").Post("/subscribe", "email", fmt.Sprintf("a%d@example.org", i)).Want(200)
		}
		a := s.Anonymous().From("192.0.2.7").Post("/subscribe", "email", reader)
		a.WantRetryAfter(time.Hour)
		if a.Value("email") != reader {
			t.Error("the address is lost")
		}
		s.Anonymous().From("192.0.2.8").Post("/subscribe", "email", reader).Want(200)
	})
	t.Run("provider", func(t *testing.T) {
		s := limited("subscribers=off,subscribers-provider=40/1h")
		for i := range 3 {
			a := s.Anonymous().Post("/subscribe", "email", fmt.Sprintf("a%d@example.org", i))
			if want := map[bool]int{true: 200, false: 429}[i < 2]; a.StatusCode != want {
				t.Errorf("request %d for a small provider: %d, want %d", i, a.StatusCode, want)
			}
			s.Anonymous().Post("/subscribe", "email", fmt.Sprintf("a%d@gmail.com", i)).Want(200)
		}
	})
	t.Run("address", func(t *testing.T) {
		s := limited("subscribers=off,subscribers-provider=off,mail=2/1h")
		for n := range 4 {
			address := strings.Replace(reader, "@", strings.Repeat("+x", n%2)+"@", 1) // of the same mailbox
			s.Anonymous().Post("/subscribe", "email", address).Want(200).Has("h1", "Check your email")
		}
		if n := len(s.Data.Mails()); n != 2 {
			t.Errorf("one address got %d mails, want 2", n)
		}
	})
}

func TestFieldsAppearOnlyIfMailCanBeSent(t *testing.T) {
	for name, change := range map[string]func(*web.Config, *webtest.Database){
		"without a URL":         func(c *web.Config, _ *webtest.Database) { c.URL = "" },
		"without a mail server": func(_ *web.Config, d *webtest.Database) { d.Mail.Away = true },
	} {
		t.Run(name, func(t *testing.T) {
			s := webtest.NewSite(t)
			c := webtest.Config(s.Data, s.Log, webtest.KeyOne)
			c.URL = "http://example.com"
			change(&c, s.Data)
			s.Restart(c)
			ada := s.SignUp("ada")
			post := publish(ada)
			s.Anonymous().Get(post).Want(http.StatusOK).HasNo(`[action$="/subscribe"]`)
			s.SignUp("bob").Get(post).Want(http.StatusOK).HasNo(`[action$="/subscribe"]`)
			s.Anonymous().Post("/@ada/subscribe", "email", reader).Want(http.StatusNotFound)
		})
	}
}

func TestCachedPagesHaveTheFormOfTheirViewer(t *testing.T) {
	s := newSite(t, func(c *web.Config) { c.Cache = pagecache.NewCache(16 << 20) })
	ada := s.SignUp("ada")
	post := publish(ada)
	bob := s.SignUp("bob")
	for _, page := range []string{post, "/@ada", "/tags/go"} {
		for range 2 {
			s.Anonymous().Get(page).Want(http.StatusOK).Has("form.subscribe", "Subscribe").
				HasNo(".follow[action$=subscribe]")
			bob.Get(page).Want(http.StatusOK).HasNo("form.subscribe").
				Has(".follow[action$=subscribe]", "Get by email")
		}
	}
}

func TestAStaticPageAtTheAddressOfTheFormStays(t *testing.T) {
	pages := site.NewCurrentPages()
	s := newSite(t, func(c *web.Config) { c.CurrentPages = pages })
	s.Anonymous().Get("/subscribe").Want(http.StatusMethodNotAllowed)
	entry := siteinfo.StaticPage{Path: "/subscribe", PostID: domain.NewPageID(), Published: true}
	_, err := s.Data.Store.Drafts.Publish(t.Context(), domain.SiteUser(),
		domain.Draft{PostID: entry.PostID, Title: "Reading along", Content: "There is a feed."}, time.Now())
	s.Data.Must(err)
	pages.Apply(siteinfo.Pages{List: []siteinfo.StaticPage{entry}})
	s.Anonymous().Get("/subscribe").Want(http.StatusOK).Has("h1", "Reading along")
	s.Anonymous().Post("/subscribe", "email", reader).Want(http.StatusOK).Has("h1", "Check your email")
}
