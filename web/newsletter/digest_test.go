package newsletter_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/subscription"
	"inkfeed/web/newsletter"
	"inkfeed/web/webtest"
)

// comment stores a new comment of ada.
func (s *scene) comment(p domain.Post) domain.Comment {
	s.T.Helper()
	c, err := domain.NewComment(s.ada.User, p.ID, "A *nice* remark", time.Now())
	s.Data.Must(err)
	_, err = s.Data.Store.Posts.AddComment(s.Data.Context(), c)
	s.Data.Must(err)
	return c
}

// told returns the news of posts.
func told(posts ...domain.Post) (list []subscription.Told) {
	for _, p := range posts {
		t := subscription.Told{PostID: p.ID, AuthorID: p.AuthorID, At: p.Created}
		for _, l := range subscription.ListsOf(p) {
			t.Lists = append(t.Lists, l.Key())
		}
		list = append(list, t)
	}
	return list
}

func TestDigest(t *testing.T) {
	s := newScene(t)
	first := s.ada.CreatePostWith("First", "The *first* text", func(p *domain.Post) { p.Tags = "Looms" })
	second := s.ada.CreatePost("شيء آخر", "نص عربي طويل بما يكفي ليظهر اتجاه الكتابة")
	gone := s.ada.UpdatePost(s.ada.CreatePost("Gone", "text"), func(p *domain.Post) { p.Status = domain.Unpublished })
	s.Data.CatchUp()
	all := told(first, second, gone)
	day := subscription.DigestRun{Daily: first.Created.Add(-time.Hour), Until: first.Created.Add(time.Hour)}
	author, tag := subscription.Author(s.ada.User.ID), subscription.Tag("looms")
	eve := s.subscribe(subscription.VisitorID("eve@example.com"), subscription.Daily, tag, author)

	t.Run("groups the posts by list and shows each once", func(t *testing.T) {
		mail, err := s.Digest(t.Context(), eve, "eve@example.com", day, all)
		if err != nil {
			t.Fatal(err)
		}
		doc := parsed(t, mail)
		var shown []string
		for _, e := range doc.Find("h2, h3").EachIter() {
			shown = append(shown, strings.TrimSpace(e.Text()))
		}
		if want := []string{"#Looms", "First", "Ada Lovelace", "شيء آخر"}; !slices.Equal(shown, want) {
			t.Errorf("the digest shows %q, want %q", shown, want)
		}
		if doc.Find("h3[dir=rtl]").Length() != 1 || !strings.Contains(mail.Text, "Ada Lovelace · 1 May 2026") {
			t.Errorf("direction, author or date are missing: %s", mail.Text)
		}
		if mail.Bulk.Unsubscribe != base+"/mail/"+eve.Key()+"/unsubscribe" || mail.Bulk.Subscriber != eve.ID {
			t.Errorf("the headers are %+v", mail.Bulk)
		}
	})
	t.Run("is not written if nothing is new", func(t *testing.T) {
		for name, run := range map[string]subscription.DigestRun{
			"since the last one":        {Daily: day.Until, Until: day.Until.Add(time.Hour)},
			"before the next":           {Daily: longAgo, Until: day.Daily},
			"or only weekly ones would": {Daily: day.Daily, Until: day.Until},
		} {
			sub := eve
			if strings.HasPrefix(name, "or") {
				sub = s.subscribe(subscription.VisitorID("weekly@example.com"), subscription.Weekly, author)
			}
			if _, err := s.Digest(t.Context(), sub, "eve@example.com", run, all); !domain.Is(err, domain.NotFound) {
				t.Errorf("%s: error %v", name, err)
			}
		}
	})
	t.Run("has the personal feed and the notifications of a member", func(t *testing.T) {
		ben := s.SignUp("ben")
		s.comment(ben.CreatePost("Of ben", "text"))
		s.feed = []domain.Summary{{PostID: second.ID, Title: "Followed", Created: second.Created, AuthorName: "ada"}}
		s.Data.CatchUp()
		member := s.subscribe(ben.User.ID, subscription.Weekly, subscription.List{Kind: subscription.Feed},
			subscription.List{Kind: subscription.Notices})
		member.Kinds = "comment,like"
		week := subscription.DigestRun{Daily: day.Daily, Weekly: longAgo, Until: time.Now().AddDate(1, 0, 0)}
		mail, err := s.Digest(t.Context(), member, "ben@example.com", week, nil)
		if err != nil {
			t.Fatal(err)
		}
		doc := parsed(t, mail)
		var shown []string
		for _, e := range doc.Find("h2, h3").EachIter() {
			shown = append(shown, strings.TrimSpace(e.Text()))
		}
		want := []string{"Your personal feed", "Followed", "Notifications", "Ada Lovelace commented on Of ben"}
		if !slices.Equal(shown, want) || !strings.Contains(mail.Text, "A nice remark") {
			t.Errorf("the digest shows %q, want %q", shown, want)
		}
		s.Data.ChangeUser(ben.User.ID, func(item map[string]any) { item["notificationsSeen"] = 100 })
		s.feed = nil
		if _, err := s.Digest(t.Context(), member, "ben@example.com", week, nil); !domain.Is(err, domain.NotFound) {
			t.Errorf("a digest without news: error %v", err)
		}
	})
}

// writers collects the writers of mails.
type writers map[domain.DeliveryKind]newsletter.Writer

func (w writers) WriteBy(kind domain.DeliveryKind, write newsletter.Writer) { w[kind] = write }

func TestNotices(t *testing.T) {
	s := newScene(t)
	ben := s.SignUp("ben")
	ben.SetVerifiedEmail("ben@example.com")
	list := subscription.List{Kind: subscription.Notices}
	comment := s.comment(ben.CreatePost("Of ben", "text"))
	s.Data.CatchUp()
	s.subscribe(ben.User.ID, subscription.Each, list)
	notifications, err := s.Data.Store.Notifications.List(s.Data.Context(), ben.User.ID, 1)
	s.Data.Must(err)
	w := writers{}
	s.Register(w)
	write := func() (domain.Mail, error) {
		payload, err := json.Marshal(newsletter.Notice{UserID: ben.User.ID, Notification: notifications.Items[0]})
		s.Data.Must(err)
		return w[subscription.DeliverNotice](t.Context(), domain.Delivery{}, payload)
	}
	choose := func(kinds domain.NotificationKinds) {
		_, err := s.Data.Store.Subscriptions.Change(s.Data.Context(), ben.User.ID,
			func(sub *subscription.Subscriber) error { sub.Kinds = kinds; return nil })
		s.Data.Must(err)
	}
	choose("like")
	if _, err := write(); !domain.Is(err, domain.NotFound) {
		t.Errorf("a kind that is not wanted: error %v", err)
	}
	choose("comment")
	mail, err := write()
	if err != nil {
		t.Fatal(err)
	}
	doc := parsed(t, mail)
	if mail.To != "ben@example.com" || mail.Subject != "Ada Lovelace commented on Of ben" ||
		doc.Find("blockquote").Text() != "A nice remark" || !strings.Contains(doc.Find(".button").AttrOr("href", ""),
		base+"/posts/"+comment.PostID) || !strings.Contains(mail.Bulk.Unsubscribe, "list="+list.Key()) {
		t.Errorf("the mail is %+v", mail)
	}
	s.Data.ChangeUser(ben.User.ID, func(item map[string]any) { item["notificationsSeen"] = 100 })
	if _, err := write(); !domain.Is(err, domain.NotFound) {
		t.Errorf("a notification that was seen: error %v", err)
	}
	s.Data.ChangeUser(ben.User.ID, func(item map[string]any) { item["notificationsSeen"] = 0 })
	if _, err := write(); err != nil {
		t.Errorf("a notification that was not seen: error %v", err)
	}
	s.ada.Post(webtest.DeletePath(comment))
	if _, err := write(); !domain.Is(err, domain.NotFound) {
		t.Errorf("a notification about a deleted comment: error %v", err)
	}
}

func TestRepeatedMailsAreWrittenAnew(t *testing.T) {
	s := newScene(t)
	p := s.ada.CreatePost("Title", "text")
	author := subscription.Author(s.ada.User.ID)
	eve := s.subscribe(subscription.VisitorID("eve@example.com"), subscription.Each, author)
	w := writers{}
	s.Register(w)
	payload, err := json.Marshal(domain.Mail{Bulk: &domain.BulkHeaders{ListID: author.Key(), Subscriber: eve.ID,
		PostID: p.ID}})
	s.Data.Must(err)
	write := func() (domain.Mail, error) {
		return w[subscription.DeliverIssue](t.Context(), domain.Delivery{}, payload)
	}
	mail, err := write()
	if err != nil || mail.To != "eve@example.com" || parsed(t, mail).Find("h1").Text() != "Title" {
		t.Fatalf("error %v, to %s", err, mail.To)
	}
	s.subscribe(eve.ID, subscription.Daily, subscription.Site())
	digest, err := json.Marshal(domain.Mail{To: "former@example.com", Bulk: &domain.BulkHeaders{Subscriber: eve.ID}})
	s.Data.Must(err)
	mail, err = w[subscription.DeliverIssue](t.Context(), domain.Delivery{}, digest)
	if err != nil || mail.To != "eve@example.com" {
		t.Errorf("a digest: error %v, to %s", err, mail.To)
	}
	_, err = s.Data.Store.Subscriptions.Change(s.Data.Context(), eve.ID, func(sub *subscription.Subscriber) error {
		sub.End(author, time.Now())
		return nil
	})
	s.Data.Must(err)
	if _, err := write(); !domain.Is(err, domain.NotFound) {
		t.Errorf("after the subscription has ended: error %v", err)
	}
}

func TestConfirmation(t *testing.T) {
	s := newScene(t)
	eve := subscription.New(subscription.VisitorID("eve@example.com"), "eve@example.com", "cs")
	s.ada.CreatePostWith("Title", "text", func(p *domain.Post) { p.Details.Series = "Analytical Engines" })
	s.Data.Must(eve.Ask(subscription.Site(), subscription.Each, subscription.Consent{At: time.Now()}))
	s.Data.CatchUp()
	for _, l := range locale.All() {
		for name, list := range map[string]subscription.List{"Ada Lovelace": subscription.Author(s.ada.User.ID),
			"Analytical Engines": subscription.Series(s.ada.User.ID, "analytical-engines"),
			"#looms":             subscription.Tag("looms"), "Notes & Engines": subscription.Site()} {
			mail, err := s.Confirmation(locale.With(t.Context(), l), eve, "eve@example.com", list)
			if err != nil {
				t.Fatal(err)
			}
			link := base + "/mail/" + eve.Key() + "/confirm?list=" + list.Key()
			if doc := parsed(t, mail); doc.Find(".button").AttrOr("href", "") != link ||
				!strings.Contains(mail.Text, "\n"+link+"\n") || !strings.Contains(doc.Find(".text").Text(), name) ||
				doc.Find("html").AttrOr("lang", "") != l.Code() {
				t.Errorf("the mail about %s is %s", name, mail.Text)
			}
		}
	}
	eve.Confirm(subscription.Site(), time.Now())
	mail, err := s.Confirmation(t.Context(), eve, "eve@example.com", subscription.Site())
	if err != nil || mail.Subject != "You already receive this" || strings.Contains(mail.HTML, "/confirm") {
		t.Errorf("error %v, the mail is %s", err, mail.Text)
	}
}
