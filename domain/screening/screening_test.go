package screening

import (
	"context"
	"errors"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// siteSettings returns fixed settings, or an error.
type siteSettings struct {
	domain.Settings
	err error
}

func (s siteSettings) Get(context.Context) (domain.Settings, error) { return s.Settings, s.err }

func TestTextWithLinksByANewAccountIsHeldForReview(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	s := Policy{Markdown: markdown.New(), Settings: siteSettings{}, Host: HostOf("https://blog.example")}
	newcomer := domain.User{ID: "u.1", Created: now.Add(-time.Hour)}
	held := func(s Policy, author domain.User, before, text string) domain.Hold {
		t.Helper()
		hold, err := s.Comment(t.Context(), author, domain.Comment{Content: before}, text, now)
		if err != nil {
			t.Fatal(err)
		}
		return hold
	}
	for text, wait := range map[string]bool{
		"No link at all.":                             false,
		"[here](/posts/x), [there](#top)":             false,
		"[ours](https://Blog.Example/posts/x)":        false,
		"`https://spam.example/`":                     false,
		"mail ada@example.org":                        false,
		"[cheap](https://spam.example/)":              true,
		"see https://spam.example/x":                  true,
		"see www.spam.example":                        true,
		"see HTTPS://SPAM.EXAMPLE/x":                  true,
		"see https://www.háčky.example/":              true,
		"見てhttps://spam.example/x。":                   true,
		"（https://spam.example）":                      true,
		"„https://spam.example“":                      true,
		"ours: 見てhttps://blog.example/x":              false,
		"https://blog.exampleč/":                      true,
		"https://blog.exampleを見る":                     false,
		"<https://spam.example>":                      true,
		"[cheap][1]\n\n[1]: //spam.example":           true,
		"[x](/\\spam.example), [y](\\\\spam.example)": false, // a backslash is written as %5C
		"[x](///spam.example/)":                       true,
		"[x](////spam.example/)":                      true,
		"[x](&#47;&#47;spam.example/)":                true,
		"[x](/&#9;/spam.example/), [y](/&#92;a.org)":  false, // so is a tab, as %09
		"[x](//blog.example/posts/x)":                 false,
		"[x](https://blog.example.evil.org)":          true,
		"[x](https://blog.example@evil.org)":          true,
		"[x](javascript:alert(1))":                    false, // not rendered as a link
		"Text.[^1]\n\n[^1]: https://spam.example":     true,
		"![a picture](https://spam.example/x.png)":    true, // a link, as it is shown
	} {
		want := domain.NotHeld
		if wait {
			want = domain.HeldForReview
		}
		if got := held(s, newcomer, "", text); got != want {
			t.Errorf("%q: hold %q", text, got)
		}
	}
	const spam, other = "https://spam.example/", "https://other.example/"
	for name, c := range map[string]struct {
		author       domain.User
		before, text string
		want         domain.Hold
	}{
		"an edit that changes no link": {newcomer, spam, "More. " + spam, domain.NotHeld},
		"an edit that adds a link":     {newcomer, spam, spam + " " + other, domain.HeldForReview},
		"the last moment of a new account": {
			domain.User{Created: now.Add(time.Millisecond - domain.DefaultReviewPeriod)},
			"", spam, domain.HeldForReview},
		"an account that is no longer new": {domain.User{Created: now.Add(-domain.DefaultReviewPeriod)}, "", spam,
			domain.NotHeld},
		"an account that a moderator trusts": {domain.User{Created: now, Trusted: true}, "", spam, domain.NotHeld},
		"a moderator": {domain.User{Created: now, Role: domain.RoleModerator}, "", spam,
			domain.NotHeld},
		"an administrator": {domain.User{Created: now, Role: domain.RoleAdministrator}, "", spam,
			domain.NotHeld},
	} {
		if got := held(s, c.author, c.before, c.text); got != c.want {
			t.Errorf("%s: hold %q", name, got)
		}
	}
	t.Run("judges the cleaned text, which is published", func(t *testing.T) {
		for _, inside := range []string{"\x00", "\x01", "\x07", "\x7f", "\u0085", "\ufeff", "\u202e"} {
			for _, content := range []string{"ht" + inside + "tps://spam.example/a", "[y](" + inside + "https" +
				inside + "://spam.example)"} {
				_, published, _ := domain.CleanPost("", content)
				if hold, err := s.Draft(t.Context(), newcomer, domain.Post{}, domain.Draft{Content: content},
					now); err != nil || hold != held(s, newcomer, "", published) {
					t.Errorf("%q: hold %q, error %v", content, hold, err)
				}
			}
		}
	})
	t.Run("finds links in the title, text, tags and details of a post", func(t *testing.T) {
		for _, d := range []domain.Draft{{Title: spam}, {Content: spam}, {Tags: "go, www.spam.example"},
			{Details: domain.Details{Language: spam}}, {Details: domain.Details{CanonicalURL: spam}}} {
			if hold, err := s.Draft(t.Context(), newcomer, domain.Post{}, d, now); hold != domain.HeldForReview ||
				err != nil {
				t.Errorf("%+v: hold %q, error %v", d, hold, err)
			}
		}
		before := domain.Post{Title: "See " + other, Content: spam}
		if hold, err := s.Draft(t.Context(), newcomer, before,
			domain.Draft{Title: "See " + spam, Content: other, Tags: "go"}, now); hold != domain.NotHeld || err != nil {
			t.Errorf("an edit: hold %q, error %v", hold, err)
		}
	})
	t.Run("follows the review period of the settings", func(t *testing.T) {
		s.Settings = siteSettings{Settings: domain.Settings{NewDays: 10}}
		for age, want := range map[time.Duration]domain.Hold{9 * 24 * time.Hour: domain.HeldForReview,
			10 * 24 * time.Hour: domain.NotHeld} {
			if got := held(s, domain.User{Created: now.Add(-age)}, "", spam); got != want {
				t.Errorf("after %s: hold %q", age, got)
			}
		}
		s.Settings = siteSettings{Settings: domain.Settings{NewDays: domain.NeverNew}}
		if got := held(s, newcomer, "", spam); got != domain.NotHeld {
			t.Errorf("without a review period: hold %q", got)
		}
	})
	t.Run("reads the settings only for texts with links, and fails without them", func(t *testing.T) {
		s.Settings = siteSettings{err: errors.New("no settings")}
		if hold, err := s.Comment(t.Context(), newcomer, domain.Comment{}, "No link.", now); hold != domain.NotHeld ||
			err != nil {
			t.Errorf("without links: hold %q, error %v", hold, err)
		}
		if _, err := s.Comment(t.Context(), newcomer, domain.Comment{}, spam, now); err == nil {
			t.Error("with a link: no error")
		}
	})
}

func TestReviewPeriodIsParsedInDays(t *testing.T) {
	for text, want := range map[string]int{"0": domain.NeverNew, " 3 ": 3, "90": 90} {
		if got, err := domain.ParseNewDays(text); got != want || err != nil {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-1", "91", "x", "1.5"} {
		if _, err := domain.ParseNewDays(text); !domain.Is(err, domain.Invalid) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if got := (domain.Settings{}).ReviewPeriod(); got != domain.DefaultReviewPeriod {
		t.Errorf("the default is %s", got)
	}
}

func TestReviewEndsWhenTheLinksAreRemoved(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	s := Policy{Markdown: markdown.New(), Settings: siteSettings{err: errors.New("not to be read")}}
	const spam = "https://spam.example"
	for name, author := range map[string]domain.User{
		"of a new account":  {ID: "u.1", Created: now.Add(-time.Hour)},
		"of an old account": {ID: "u.1", Created: now.AddDate(-1, 0, 0)},
	} {
		for text, want := range map[string]domain.Hold{
			"No link.": domain.ReviewOver, "[here](/tags/go)": domain.ReviewOver,
			spam: domain.HeldForReview, spam + "/other": domain.HeldForReview,
		} {
			c := domain.Comment{Content: spam, Held: domain.HeldForReview}
			if got, err := s.Comment(t.Context(), author, c, text, now); got != want || err != nil {
				t.Errorf("a comment %s with %q: %q, %v", name, text, got, err)
			}
			p := domain.Post{Title: "A title", Content: spam, Held: domain.HeldForReview}
			for field, d := range map[string]domain.Draft{
				"title": {Title: text, Content: "Text."}, "text": {Title: "Title", Content: text},
				"tags": {Title: "Title", Content: "Text.", Tags: text},
			} {
				if got, err := s.Draft(t.Context(), author, p, d, now); got != want || err != nil {
					t.Errorf("a post %s with %q in its %s: %q, %v", name, text, field, got, err)
				}
			}
		}
	}
}

func TestWithoutLinksKeepsLinksWithinThePage(t *testing.T) {
	heading := `<h2>Two</h2><a class="anchor" href="#h-two">#</a>`
	got := WithoutLinks(heading + `<p>See <a href="https://spam.example/#x">this</a> and <a href="/a#b">that</a>.</p>`)
	if want := heading + `<p>See this and that.</p>`; got != want {
		t.Errorf("the text is %s, want %s", got, want)
	}
}
