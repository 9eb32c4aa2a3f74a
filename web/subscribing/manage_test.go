package subscribing_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/web/webtest"
)

// subscribed stores a subscriber with active subscriptions, and returns the path of the page to manage them.
func subscribed(s *webtest.Site, id, email string, frequency subscription.Frequency,
	lists ...subscription.List) string {
	s.T.Helper()
	sub, err := s.Data.Store.Subscriptions.Change(s.Data.Context(), id, func(sub *subscription.Subscriber) error {
		if sub.Secret == "" {
			*sub = subscription.New(id, email, "en")
		}
		for _, l := range lists {
			if err := sub.Add(l, frequency, subscription.Consent{At: time.Now(), Page: "/@ada"}); err != nil {
				return err
			}
		}
		return nil
	})
	s.Data.Must(err)
	return "/mail/" + sub.Key()
}

func visitor(s *webtest.Site, frequency subscription.Frequency, lists ...subscription.List) string {
	s.T.Helper()
	return subscribed(s, subscription.VisitorID(reader), reader, frequency, lists...)
}

func TestWrongKeysAreAllAnsweredAlike(t *testing.T) {
	s := newSite(t)
	key := visitor(s, subscription.Each, subscription.Site())
	unknown := "/mail/" + subscription.New(subscription.VisitorID("x@example.org"), "", "").Key()
	v := s.Anonymous()
	want := webtest.CollapseSpace(v.Get("/mail/x").Want(http.StatusNotFound).Page().Find("main").Text())
	for _, path := range []string{key + "x", key[:len(key)-1], unknown, "/mail/s.%20.x", "/mail/" + domain.NewID()} {
		for _, page := range []string{"", "/confirm?list=site", "/unsubscribe?list=site", "/export"} {
			a := v.Get(path + page).Want(http.StatusNotFound)
			if got := webtest.CollapseSpace(a.Page().Find("main").Text()); got != want {
				t.Errorf("%s: %q, want %q", a.Request, got, want)
			}
			if page != "/export" {
				v.Post(path+page, "do", "end").Want(http.StatusNotFound)
			}
		}
	}
	if sub := subscriber(s, reader); !sub.Gets(subscription.Site(), subscription.Each) {
		t.Error("a wrong key has changed the subscription")
	}
}

func TestPagesOfALinkAreNeitherStoredNorIndexedNorLogged(t *testing.T) {
	s := newSite(t)
	key := visitor(s, subscription.Each, subscription.Site())
	for _, page := range []string{"", "/unsubscribe", "/unsubscribe?list=site"} {
		a := s.Anonymous().Get(key+page).Want(http.StatusOK).Has(`meta[name="robots"][content="noindex"]`, "")
		if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Referrer-Policy") != "same-origin" {
			t.Errorf("%s: %v", a.Request, a.Header)
		}
	}
	s.Anonymous().Post(key+"/unsubscribe", "List-Unsubscribe", "One-Click").Want(http.StatusOK)
	if log := s.Log.String(); strings.Contains(log, strings.TrimPrefix(key, "/mail/")) ||
		strings.Contains(log, reader) {
		t.Errorf("the log has the key or the address:\n%s", log)
	}
}

func TestOneClickEndsWhatTheLinkNames(t *testing.T) {
	const form, oneClick = "application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"
	author, tag, site := subscription.Author(domain.NewID()), subscription.Tag("go"), subscription.Site()
	for name, test := range map[string]struct {
		query, contentType, body string
		left                     []subscription.List
	}{
		"one list": {"?list=site", form, oneClick, []subscription.List{tag}},
		"as multipart": {"?list=" + tag.Key(), "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: " +
			"form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--x--\r\n", []subscription.List{site}},
		"all digests":            {"", form, oneClick, nil},
		"a list of nobody":       {"?list=" + author.Key(), "", "", []subscription.List{tag, site}},
		"a body of another kind": {"?list=site", "text/plain", strings.Repeat("x", 3<<10), []subscription.List{tag}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			key := visitor(s, subscription.Daily, tag, site)
			v := s.Anonymous()
			v.Header.Set("Content-Type", test.contentType)
			v.Header.Set("Origin", "https://mail.example.net")
			v.Header.Set("Sec-Fetch-Site", "cross-site")
			v.Get(key + "/unsubscribe" + test.query).Want(http.StatusOK).HasNo(".error-summary")
			if n := len(subscriber(s, reader).Active()); n != 2 {
				t.Fatalf("a GET request left %d subscriptions", n)
			}
			for range 2 { // mail programs repeat it
				v.Send(http.MethodPost, key+"/unsubscribe"+test.query, strings.NewReader(test.body)).
					Want(http.StatusOK).
					Has("h1", "You are unsubscribed")
			}
			var left []subscription.List
			for _, one := range subscriber(s, reader).Active() {
				left = append(left, one.List)
			}
			if !slices.Equal(left, test.left) {
				t.Errorf("the lists left are %v, want %v", left, test.left)
			}
		})
	}
}

func TestASubscriptionThatALinkEndsCountsForItsPost(t *testing.T) {
	s := newSite(t)
	ada := s.SignUp("ada")
	postID, _ := domain.PostIDIn(publish(ada))
	subs := s.Data.Store.Subscriptions
	s.Data.Must(subs.BeginMailing(t.Context(), subscription.Mailing{PostID: postID, AuthorID: ada.User.ID,
		Begun: time.Now()}))
	key := visitor(s, subscription.Each, subscription.Site())
	for range 2 {
		s.Anonymous().Post(key + "/unsubscribe?list=site&post=" + postID).Want(http.StatusOK)
	}
	m, err := subs.Mailing(t.Context(), ada.User.ID, postID)
	if err != nil || m.Unsubscribed != 1 {
		t.Errorf("the mailing is %+v, error %v", m, err)
	}
}

func TestSubscribersManageExportAndErase(t *testing.T) {
	s := newSite(t)
	ada := s.SignUp("ada")
	author := subscription.Author(ada.User.ID)
	key := visitor(s, subscription.Each, author, subscription.Tag("go"), subscription.Site())
	v := s.Anonymous()
	v.Get(key).Want(http.StatusOK).Has(`label[for="Page-list-`+author.Key()+`"]`, "@ada")
	v.Post(key, "do", "save", author.Key(), "weekly", "site", "", "language", "cs", "timeZone", "Asia/Tokyo").
		WantRedirect(http.StatusSeeOther, key+"?done=save")
	sub := subscriber(s, reader)
	if !sub.Gets(author, subscription.Weekly) || !sub.Gets(subscription.Tag("go"), subscription.Each) ||
		sub.Gets(subscription.Site(), subscription.Each) || sub.Language != "cs" || sub.Zone != "" {
		t.Errorf("the saved subscriber is %+v", sub)
	}
	text := v.Get(key + "/export").Want(http.StatusOK).Body
	if !strings.Contains(text, reader) || !strings.Contains(text, `"page": "/@ada"`) ||
		strings.Contains(text, sub.Secret) {
		t.Errorf("the export is %s", text)
	}
	v.Post(key, "do", "erase").Want(http.StatusOK).Has(`button[name="sure"]`, "Erase")
	if len(subscriber(s, reader).Active()) != 2 {
		t.Error("the subscriptions were erased without a question")
	}
	v.Post(key, "do", "erase", "sure", "yes").Want(http.StatusOK).Has(".done", "erased")
	v.Get(key).Want(http.StatusNotFound)
	for _, line := range s.Data.Lines() {
		if strings.Contains(line, reader) || strings.Contains(line, sub.Secret) {
			t.Errorf("after the erasure, there is %s", line)
		}
	}
}

func TestASuppressedAddressCanBeConfirmedAgain(t *testing.T) {
	s := newSite(t)
	key := visitor(s, subscription.Each, subscription.Site())
	_, err := s.Data.Store.Subscriptions.Change(t.Context(), subscription.VisitorID(reader),
		func(sub *subscription.Subscriber) error {
			sub.Complain(time.Now())
			return nil
		})
	s.Data.Must(err)
	v := s.Anonymous()
	v.Get(key).Want(http.StatusOK).Has("form.error-summary", "marked as spam")
	v.Get(v.Post(key, "do", "again").Header.Get("Location")).Has(".done", "again").HasNo("form.error-summary")
	if sub := subscriber(s, reader); !sub.Gets(subscription.Site(), subscription.Each) {
		t.Errorf("the subscriber is %+v", sub)
	}
}

func TestMembersSubscribeInTheirSettings(t *testing.T) {
	s := newSite(t)
	ada, bob := s.SignUp("ada"), s.SignUp("bob")
	post, author := publish(ada), subscription.Author(ada.User.ID)
	bob.Get(bob.Post("/@ada/subscribe", "next", post).Want(http.StatusSeeOther).Header.Get("Location")).
		Want(http.StatusOK).Has(`.room-content a[href="/settings/email"]`, "add an email address").HasNo("form.stack")
	visitor(s, subscription.Weekly, subscription.Tag("go"), author)
	bob.VerifyEmail(reader)
	bob.Get("/settings/mail").Want(http.StatusOK).Has(`label[for="Page-list-`+author.Key()+`"]`, "@ada")
	bob.Post("/@ada/subscribe", "next", post).WantRedirect(http.StatusSeeOther, "/settings/mail?done=subscribed")
	own := func() subscription.Subscriber {
		sub, err := s.Data.Store.Subscriptions.Get(t.Context(), bob.User.ID)
		s.Data.Must(err)
		return sub
	}
	if sub := own(); !sub.Gets(author, subscription.Weekly) || !sub.Gets(subscription.Tag("go"), subscription.Weekly) {
		t.Errorf("the member did not take over the subscriptions: %+v", sub)
	}
	if sub := subscriber(s, reader); len(sub.Active()) != 0 || sub.Email != "" {
		t.Errorf("the former subscriber is still %+v", sub)
	}
	fields := []string{"do", "save", author.Key(), "", "feed", "daily", "notifications", "each", "site", "each",
		"kind", "reply"}
	for _, zone := range []string{"Moon/Crater", "Europe//Prague", "Local"} { // each zone has one spelling
		bob.Post("/settings/mail", append(fields, "timeZone", zone)...).Want(http.StatusUnprocessableEntity).
			HasFieldError("timeZone", "time zone").Has(`select[name="feed"] option[selected]`, "Daily")
	}
	bob.Post("/settings/mail", append(fields, "timeZone", "Europe/Prague")...).
		WantRedirect(http.StatusSeeOther, "/settings/mail?done=save")
	sub := own()
	if sub.Gets(author, subscription.Weekly) ||
		!sub.Gets(subscription.List{Kind: subscription.Feed}, subscription.Daily) ||
		!sub.Gets(subscription.List{Kind: subscription.Notices}, subscription.Each) || sub.Zone != "Europe/Prague" ||
		!sub.Kinds.Has(domain.NotifyReply) || sub.Kinds.Has(domain.NotifyLike) || !sub.Kinds.Has(domain.NotifyHidden) {
		t.Errorf("the saved settings are %+v", sub)
	}
	bob.Post("/settings/mail", "do", "end").Want(http.StatusSeeOther)
	if n := len(own().Active()); n != 0 {
		t.Errorf("%d subscriptions are left", n)
	}
}

func TestLinksOfMembersAreAlsoAboutWhatTheySubscribedToBefore(t *testing.T) {
	s := newSite(t)
	ada, bob := s.SignUp("ada"), s.SignUp("bob")
	author := subscription.Author(ada.User.ID)
	visitor(s, subscription.Each, author)
	bob.VerifyEmail(reader)
	key := subscribed(s, bob.User.ID, "", subscription.Each, author)
	s.Anonymous().Post(key+"/unsubscribe?list="+author.Key(), "List-Unsubscribe", "One-Click").Want(http.StatusOK)
	for _, id := range []string{bob.User.ID, subscription.VisitorID(reader)} {
		sub, err := s.Data.Store.Subscriptions.Get(t.Context(), id)
		if s.Data.Must(err); len(sub.Active()) > 0 {
			t.Errorf("%s still gets %+v", id, sub.Active())
		}
	}
}
