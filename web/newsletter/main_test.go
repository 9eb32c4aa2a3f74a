package newsletter_test

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/siteinfo"
	"inkfeed/domain/subscription"
	"inkfeed/web/newsletter"
	"inkfeed/web/site"
	"inkfeed/web/site/events"
	"inkfeed/web/webtest"
)

func TestMain(m *testing.M) { webtest.Main(m) }

const base = "https://blog.example"

// scene is a site with an author, ada, and a composer of its mails.
type scene struct {
	*webtest.Site
	*newsletter.Composer
	ada  *webtest.Visitor
	feed []domain.Summary // the personal feed of everybody
}

func newScene(t testing.TB) *scene {
	t.Helper()
	s := &scene{Site: webtest.NewSite(t)}
	s.ada = s.SignUp("ada")
	s.Data.ChangeUser(s.ada.User.ID, func(item map[string]any) { item["displayName"] = "Ada Lovelace" })
	s.ada.User.DisplayName = "Ada Lovelace"
	store := s.Data.Store
	current := site.NewCurrentSettings()
	current.Apply(domain.Settings{Info: siteinfo.Info{Name: "Notes & Engines", Language: "en", Accent: "#8a2be2",
		TimeZone: "Europe/Prague", PostalAddress: "Ada Lovelace\n12 St James's Square\nLondon",
		Logo: siteinfo.Picture{Hash: strings.Repeat("ab", 16), Width: 64, Height: 64, Tone: siteinfo.DarkTone}}})
	s.Composer = &newsletter.Composer{URL: base, Settings: current, Languages: locale.NewSet(locale.All()...),
		Markdown: s.Data.Markdown, Store: newsletter.Store{Subscriptions: store.Subscriptions, Posts: store.Posts,
			Users: store.Users, UserCopies: store.UserCopies, Notifications: store.Notifications,
			Newest: func(context.Context, domain.User) ([]domain.Summary, error) { return s.feed, nil },
			Events: events.Reader{Posts: store.Posts, Users: store.Users, Blocks: store.Blocks, Mutes: store.Mutes,
				Follows: store.Follows, Drafts: store.Drafts, Markdown: s.Data.Markdown}}}
	return s
}

// subscribe stores a subscriber with subscriptions that were confirmed long ago.
func (s *scene) subscribe(id string, f subscription.Frequency, lists ...subscription.List) subscription.Subscriber {
	s.T.Helper()
	sub, err := s.Data.Store.Subscriptions.Change(s.Data.Context(), id, func(sub *subscription.Subscriber) error {
		if sub.Secret == "" {
			*sub = subscription.New(id, "eve@example.com", "")
		}
		for _, l := range lists {
			if err := sub.Add(l, f, subscription.Consent{At: longAgo}); err != nil {
				return err
			}
		}
		return nil
	})
	s.Data.Must(err)
	return sub
}

var longAgo = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// picture is the address of a picture that a text can show.
var picture = domain.NewImageName("ada", []byte("a picture"), 1600, 900, domain.ExtJPEG)

// mixed is a text with an element of each kind.
var mixed = "![A mill](" + picture.Path() + " \"The mill\")\n\n" + webtest.LongPost + "\n\n" +
	"Euler: $e^{i\\pi}+1=0$ 🎉\n\n$$\\sum_{i=1}^n i$$\n\n> [!NOTE]\n> A remark\n\n- [x] done\n- [ ] open\n\n" +
	"<details><summary>More</summary>\n\nHidden text\n\n</details>\n\nA remark.[^1]\n\n[^1]: The footnote.\n\n" +
	"https://www.youtube.com/watch?v=dQw4w9WgXcQ\n\nTerm\n: Definition\n"

// parsed is the HTML of a mail after the checks that hold for every mail.
func parsed(t testing.TB, mail domain.Mail) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(mail.HTML))
	if err != nil {
		t.Fatal(err)
	}
	const alien = "script, link, iframe, form, object, video, audio, svg, math, [srcset], [onclick]"
	if n := doc.Find(alien).Length(); n > 0 {
		t.Errorf("%d elements do not belong into a mail", n)
	}
	if doc.Find("html[lang][dir]").Length() != 1 || doc.Find("title").Text() != mail.Subject || mail.Subject == "" {
		t.Errorf("language, direction or title are missing; the subject is %q", mail.Subject)
	}
	if len(mail.HTML) > 100<<10 {
		t.Errorf("the HTML has %d bytes, and Gmail cuts it off", len(mail.HTML))
	}
	doc.Find("img").Each(func(_ int, img *goquery.Selection) {
		src, _ := img.Attr("src")
		if _, described := img.Attr("alt"); !strings.HasPrefix(src, base+"/") || !described {
			t.Errorf("a picture is at %q, described: %t", src, described)
		}
	})
	doc.Find("[style]").Each(func(_ int, s *goquery.Selection) {
		style, seen := s.AttrOr("style", ""), map[string]bool{}
		for _, declaration := range strings.Split(strings.TrimSuffix(style, ";"), ";") {
			name, value, _ := strings.Cut(declaration, ":")
			if seen[name] || value == "" || strings.Contains(value, "url(") {
				t.Errorf("the style %q has a bad declaration of %q", style, name)
			}
			seen[name] = true
		}
	})
	doc.Find("a").Each(func(_ int, a *goquery.Selection) {
		href := a.AttrOr("href", "")
		if u, err := url.Parse(href); err != nil || !u.IsAbs() {
			t.Errorf("a link leads to %q", href)
		}
		if strings.TrimSpace(a.Text()) != "" && !strings.Contains(mail.Text, href) {
			t.Errorf("the plain text lacks the address %s:\n%s", href, mail.Text[max(0, len(mail.Text)-1000):])
		}
	})
	checkEqual(t, doc, mail.Text)
	return doc
}

// checkEqual checks that the plain text has all words of the HTML in the same order.
func checkEqual(t testing.TB, doc *goquery.Document, text string) {
	t.Helper()
	seen := doc.Find("body").Clone()
	seen.Find("p, td, th, div, li, h1, h2, h3, br, figcaption, dt, dd, pre, a").Each(
		func(_ int, e *goquery.Selection) { e.BeforeHtml(" ").AfterHtml(" ") })
	marks := strings.NewReplacer("*", "", "`", "", "~", "", "|", "") // of Markdown
	rest := marks.Replace(text)
	for _, word := range strings.Fields(marks.Replace(seen.Text())) {
		_, after, found := strings.Cut(rest, word)
		if !found {
			t.Fatalf("the plain text lacks the word %q before %.100q", word, rest)
		}
		rest = after
	}
}

func addressesOf(doc *goquery.Document, selector string) []string {
	return slices.Collect(func(yield func(string) bool) {
		doc.Find(selector).EachWithBreak(func(_ int, a *goquery.Selection) bool { return yield(a.AttrOr("href", "")) })
	})
}
