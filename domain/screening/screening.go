// Package screening decides which texts wait for a moderator before others see them.
package screening

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/plaintext"
)

// Screening decides which texts wait for a moderator, see HeldForReview: those in which
// somebody new links to other sites.
type Policy struct {
	Markdown *markdown.Renderer
	// Host is this site's own, to which everybody may link; empty: it is not known.
	Host string
	// Settings are those of the site. They are asked for only when somebody who may be new
	// links.
	Settings interface {
		Get(ctx context.Context) (domain.Settings, error)
	}
}

// HostOf is the Host of a site at that address, empty: none is known.
func HostOf(site string) string {
	u, err := url.Parse(site)
	if err != nil {
		return ""
	}
	return u.Host
}

// Comment tells how a comment of author's has to be held, if at all. Before is what it said
// until now, empty: it is new.
func (s Policy) Comment(ctx context.Context, author domain.User, before, text string, now time.Time) (domain.Hold, error) {
	return s.holds(ctx, author, []string{before}, []string{text}, now)
}

// Draft tells how the post that author makes of a draft has to be held, if at all, whoever is
// to find it. Before is the post that it changes, zero: there is none yet.
func (s Policy) Draft(ctx context.Context, author domain.User, before domain.Post, d domain.Draft, now time.Time) (domain.Hold, error) {
	// What is published is what is left of a draft, and it is that which links.
	title, content, _ := domain.CleanPost(d.Title, d.Content)
	return s.holds(ctx, author, []string{before.Title, before.Content, strings.Join(before.Tags.List(), "\n\n")},
		[]string{title, content, plaintext.CleanLine(d.Tags)}, now)
}

// Doubts tells whether nobody can know yet what to make of a user: a new account that no
// moderator has approved anything of.
func (s Policy) Doubts(ctx context.Context, author domain.User, now time.Time) (bool, error) {
	if !author.Untested(domain.MaxNewDays*24*time.Hour, now) {
		return false, nil
	}
	settings, err := s.Settings.Get(ctx)
	return err == nil && author.Untested(settings.NewFor(), now), err
}

func (s Policy) holds(ctx context.Context, author domain.User, before, texts []string, now time.Time) (domain.Hold, error) {
	if !author.Untested(domain.MaxNewDays*24*time.Hour, now) {
		return domain.NotHeld, nil
	}
	links := s.links(texts)
	if len(links) == 0 {
		return domain.NotHeld, nil
	}
	known := s.links(before)
	if !slices.ContainsFunc(links, func(link string) bool { return !slices.Contains(known, link) }) {
		return domain.NotHeld, nil
	}
	doubted, err := s.Doubts(ctx, author, now)
	if err != nil || !doubted {
		return domain.NotHeld, err
	}
	return domain.HeldForReview, nil
}

// Links are the addresses on other sites to which a text leads, each once: why it may wait.
func (s Policy) Links(text string) []string {
	var links []string
	for _, link := range s.links([]string{text}) {
		if !slices.Contains(links, link) {
			links = append(links, link)
		}
	}
	return links
}

// links are the addresses on other sites that texts lead to, whatever way they are written
// in: as they are shown, and what is rendered for least shows all of them.
func (s Policy) links(texts []string) (links []string) {
	for _, text := range texts {
		if text == "" {
			continue
		}
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(s.Markdown.BioHTML(text)))
		if err != nil {
			links = append(links, text) // nested deeper than a parser goes: somebody has to look
			continue
		}
		for _, a := range doc.Find("a[href]").EachIter() {
			if link := a.AttrOr("href", ""); s.elsewhere(link) {
				links = append(links, link)
			}
		}
	}
	return links
}

// elsewhere tells whether an address leads to another site.
func (s Policy) elsewhere(link string) bool {
	u, err := url.Parse(link)
	switch {
	case err != nil, markdown.LeavesBySlashes(link) && u.Host == "":
		return true
	case u.Host == "" && (u.Scheme == "" || u.Scheme == "mailto"):
		return false
	}
	return s.Host == "" || !strings.EqualFold(u.Host, s.Host)
}

// WithoutLinks leaves of links in sanitised HTML what they say.
func WithoutLinks(html string) string {
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(html))
	if err != nil {
		return ""
	}
	for _, a := range doc.Find("a").EachIter() {
		a.ReplaceWithSelection(a.Contents())
	}
	html, err = doc.Find("body").Html()
	if err != nil {
		return ""
	}
	return html
}
