package newsletter_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/subscription"
)

func TestMailOfAPost(t *testing.T) {
	s := newScene(t)
	p := s.ada.CreatePostWith("The engine 🎉 & <i>", mixed, func(p *domain.Post) {
		p.Tags, p.Details.Subtitle = "Looms", "A subtitle"
		p.Created = time.Date(2026, 5, 1, 23, 30, 0, 0, time.UTC)
	})
	s.Data.Must(s.Data.Store.Subscriptions.SetNewsletter(s.Data.Context(), s.ada.User.ID,
		subscription.Newsletter{ReplyTo: "ada@example.org"}))
	author, tag := subscription.Author(s.ada.User.ID), subscription.Tag("looms")
	eve := s.subscribe(subscription.VisitorID("eve@example.com"), subscription.Each, author, tag)
	issue, err := s.Post(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	if issue.AuthorID() != s.ada.User.ID || !slices.Equal(issue.Lists(), subscription.ListsOf(p)) {
		t.Errorf("the author is %s, the lists are %v", issue.AuthorID(), issue.Lists())
	}
	mail, err := issue.Mail(t.Context(), eve, "eve@example.com", author)
	if err != nil {
		t.Fatal(err)
	}
	doc := parsed(t, mail)
	t.Run("has what readers need", func(t *testing.T) {
		for selector, want := range map[string]string{"h1 a": p.Title, "h1 + p": "A subtitle",
			"h1 + p + p": "Ada Lovelace · 2 May 2026", ".header a": "Notes & Engines", "blockquote strong": "Note"} {
			if got := strings.TrimSpace(doc.Find(selector).First().Text()); got != want {
				t.Errorf("%s is %q, want %q", selector, got, want)
			}
		}
		footer := doc.Find("td.muted").Text()
		for _, part := range []string{"because you subscribed to Ada Lovelace at Notes & Engines",
			"St James's Square"} {
			if !strings.Contains(footer, part) {
				t.Errorf("the footer lacks %q: %s", part, footer)
			}
		}
		if src := doc.Find("img").Eq(1).AttrOr("src", ""); src != base+picture.Small(1120) ||
			strings.Count(mail.HTML, "<img") != 2 {
			t.Errorf("the cover is %q, and there are %d pictures", src, strings.Count(mail.HTML, "<img"))
		}
		if links := addressesOf(doc, "a"); !slices.Contains(links, base+p.Path()+"#comments") {
			t.Errorf("no link leads to the comments: %v", links)
		}
	})
	t.Run("has the headers of its list and of its author", func(t *testing.T) {
		manage := base + "/mail/" + eve.Key()
		want := domain.BulkHeaders{ListID: author.Key(), ListName: "Ada Lovelace", Subscriber: eve.ID, PostID: p.ID,
			Unsubscribe: manage + "/unsubscribe?list=" + author.Key() + "&post=" + p.ID, Archive: base + "/@ada"}
		if *mail.Bulk != want || mail.To != "eve@example.com" || mail.Subject != p.Title ||
			mail.FromName != "Ada Lovelace via Notes & Engines" || mail.ReplyTo != "ada@example.org" {
			t.Errorf("the mail has %+v and %+v", *mail.Bulk, mail)
		}
		if links := addressesOf(doc, "td.muted a"); !slices.Equal(links, []string{want.Unsubscribe, manage}) {
			t.Errorf("the footer links to %v", links)
		}
	})
	t.Run("has the language, the zone, the list and the links of each receiver", func(t *testing.T) {
		other := s.subscribe(subscription.VisitorID("other@example.com"), subscription.Each, tag)
		other.Language, other.Zone = "tr", "America/New_York"
		mail, err := issue.Mail(t.Context(), other, "other@example.com", tag)
		if err != nil {
			t.Fatal(err)
		}
		doc := parsed(t, mail)
		if doc.Find("html[lang=tr]").Length() != 1 || !strings.Contains(doc.Find("h1 + p + p").Text(), "1 Mayıs") {
			t.Errorf("the language or the date are wrong: %s", doc.Find("h1 + p + p").Text())
		}
		if strings.Contains(mail.HTML+mail.Text, eve.Key()) || mail.Bulk.ListName != "#Looms" {
			t.Errorf("the mail has another's links, or the list %s", mail.Bulk.ListName)
		}
	})
	t.Run("has the excerpt if the author prefers that", func(t *testing.T) {
		s.Data.Must(s.Data.Store.Subscriptions.SetNewsletter(s.Data.Context(), s.ada.User.ID,
			subscription.Newsletter{Excerpt: true}))
		mail, err := s.Preview(locale.With(t.Context(), locale.English()), p, s.ada.User)
		if err != nil {
			t.Fatal(err)
		}
		doc := parsed(t, mail)
		if doc.Find("td.text pre, td.text table").Length() > 0 || doc.Find(".button").Text() != "Read the whole post" ||
			!strings.Contains(mail.Text, "A first paragraph with emphasis") {
			t.Errorf("the text is %s", mail.Text)
		}
		if links := addressesOf(doc, "td.muted a"); !slices.Equal(links, []string{base + "/settings/mail"}) {
			t.Errorf("the footer of the preview links to %v", links)
		}
	})
}

func TestNoMailOfPosts(t *testing.T) {
	s := newScene(t)
	for name, change := range map[string]func(*domain.Post){
		"that are unlisted":    func(p *domain.Post) { p.Status = domain.Unlisted },
		"that are held":        func(p *domain.Post) { p.Held = domain.HeldForReview },
		"that are unpublished": func(p *domain.Post) { p.Status = domain.Unpublished },
	} {
		t.Run(name, func(t *testing.T) {
			p := s.ada.UpdatePost(s.ada.CreatePost("Title", "text"), change)
			if _, err := s.Post(t.Context(), p.ID); !domain.Is(err, domain.NotFound) {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("of suspended authors", func(t *testing.T) {
		p := s.ada.CreatePost("Title", "text")
		s.Suspend(s.ada)
		if _, err := s.Post(t.Context(), p.ID); !domain.Is(err, domain.NotFound) {
			t.Errorf("error %v", err)
		}
	})
}

func TestLongPostsAreCutOff(t *testing.T) {
	s := newScene(t)
	for name, text := range map[string]string{
		"in one word":        strings.Repeat("ž", 300_000),
		"in one paragraph":   strings.Repeat("long & short ", 50_000),
		"in many":            strings.Repeat("A *paragraph* of [words](/about).\n\n", 25_000),
		"in a list":          strings.Repeat("- an item\n", 80_000),
		"in code":            "```\n" + strings.Repeat("if a < b {}\n", 50_000) + "```\n",
		"in nested quotes":   strings.Repeat(">", 90) + strings.Repeat(" words", 100_000),
		"with many pictures": strings.Repeat("![A picture]("+picture.Path()+")\n\n", 10_000),
	} {
		t.Run(name, func(t *testing.T) {
			p := s.ada.CreatePost("Title", text)
			mail, err := s.Preview(t.Context(), p, s.ada.User)
			if err != nil {
				t.Fatal(err)
			}
			doc := parsed(t, mail)
			if doc.Find(".button").Text() != "Read the whole post" || len(mail.HTML) < 60<<10 && name != "in one word" {
				t.Errorf("the HTML has %d bytes, the button says %q", len(mail.HTML), doc.Find(".button").Text())
			}
		})
	}
}

// BenchmarkIssue measures the mails of a long post to many receivers.
func BenchmarkIssue(b *testing.B) {
	s := newScene(b)
	p := s.ada.CreatePost("Title", strings.Repeat(mixed+"\n\n", 8))
	issue, err := s.Post(b.Context(), p.ID)
	if err != nil {
		b.Fatal(err)
	}
	subs := []subscription.Subscriber{}
	for _, language := range []string{"en", "cs", "fr", "tr"} {
		subs = append(subs, subscription.New(subscription.VisitorID("eve@example.com"), "eve@example.com", language))
	}
	for n := 0; b.Loop(); n++ {
		if _, err := issue.Mail(b.Context(), subs[n%4], "eve@example.com", issue.Lists()[0]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "mails/s")
}
