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
	"inkfeed/domain/siteinfo"
)

// Policy decides which texts are held for review: texts of new accounts that link to other sites or were written in
// haste (domain.User.Hasty). See domain.HeldForReview.
type Policy struct {
	Markdown *markdown.Renderer
	// Host is this site's own host, to which links are always allowed. It is empty if it is not known.
	Host string
	// Settings are the site's settings. They are read only if a user who may be new posts a link.
	Settings interface {
		Get(ctx context.Context) (domain.Settings, error)
	}
}

// HostOf returns the host of a site's address, or "".
func HostOf(site string) string {
	u, err := url.Parse(site)
	if err != nil {
		return ""
	}
	return u.Host
}

// Comment returns the hold for a comment by author, or NotHeld. For a form in haste, author.Hasty is set.
// Before is the comment before the edit, or zero for a
// new comment. If before is in review and the new text needs none, Comment returns ReviewOver.
func (s Policy) Comment(
	ctx context.Context, author domain.User, before domain.Comment, text string, now time.Time,
) (domain.Hold, error) {
	if before.Held == domain.HeldForReview {
		return s.stillHolds(author, []string{text}), nil
	}
	return s.holds(ctx, author, []string{before.Content}, []string{text}, now)
}

// Draft returns the hold for the post that a draft becomes, regardless of its status. Before is the post that the draft
// changes, or zero for a new post. If before is in review and the new text needs none, Draft returns ReviewOver.
func (s Policy) Draft(
	ctx context.Context, author domain.User, before domain.Post, d domain.Draft, now time.Time,
) (domain.Hold, error) {
	// The published text is the cleaned draft, and only its links count.
	title, content, _ := domain.CleanPost(d.Title, d.Content)
	texts := []string{title, content, plaintext.CleanLine(d.Tags), plaintext.CleanLine(d.Details.Text())}
	if before.Held == domain.HeldForReview {
		return s.stillHolds(author, texts), nil
	}
	return s.holds(ctx, author,
		[]string{before.Title, before.Content, strings.Join(before.Tags.List(), "\n\n"), before.Details.Text()},
		texts, now)
}

// stillHolds returns the hold for the new texts of a post or comment in review. The review is over only if they link to
// no other site at all: no moderator has approved the links that were there before. The age of the account does not
// matter, so waiting does not end a review. No edit ends the review of a hasty author's text.
func (s Policy) stillHolds(author domain.User, texts []string) domain.Hold {
	if !author.Hasty && len(s.links(texts)) == 0 {
		return domain.ReviewOver
	}
	return domain.HeldForReview
}

// Doubts reports whether a user is not trusted yet: the account is new, and no moderator has approved a text of it.
func (s Policy) Doubts(ctx context.Context, author domain.User, now time.Time) (bool, error) {
	if !author.Untrusted(domain.MaxNewDays*24*time.Hour, now) {
		return false, nil
	}
	settings, err := s.Settings.Get(ctx)
	return err == nil && author.Untrusted(settings.ReviewPeriod(), now), err
}

// Profile reports whether the links in a user's self-description and the links of their blog are shown as plain text:
// the account is new, and one of them leads to another site.
func (s Policy) Profile(ctx context.Context, u domain.User, now time.Time) (unlinked bool, err error) {
	leaves := slices.ContainsFunc(u.SetLinks(), func(l siteinfo.Link) bool { return s.elsewhere(l.Address) })
	if !leaves && len(s.links([]string{u.Bio})) == 0 {
		return false, nil
	}
	return s.Doubts(ctx, u, now)
}

func (s Policy) holds(
	ctx context.Context, author domain.User, before, texts []string, now time.Time,
) (domain.Hold, error) {
	if !author.Untrusted(domain.MaxNewDays*24*time.Hour, now) {
		return domain.NotHeld, nil
	}
	if !author.Hasty && !s.addsLink(before, texts) {
		return domain.NotHeld, nil
	}
	doubted, err := s.Doubts(ctx, author, now)
	if err != nil || !doubted {
		return domain.NotHeld, err
	}
	return domain.HeldForReview, nil
}

// addsLink reports whether texts link to an address on another site to which they did not link before.
func (s Policy) addsLink(before, texts []string) bool {
	links := s.links(texts)
	if len(links) == 0 {
		return false
	}
	known := s.links(before)
	return slices.ContainsFunc(links, func(link string) bool { return !slices.Contains(known, link) })
}

// Links returns the addresses on other sites to which a text links, without duplicates. They are usually the reason
// for holding it.
func (s Policy) Links(text string) []string {
	var links []string
	for _, link := range s.links([]string{text}) {
		if !slices.Contains(links, link) {
			links = append(links, link)
		}
	}
	return links
}

// links returns the addresses on other sites to which texts link. It renders the texts as bios, because this rendering
// shows every link in any syntax.
func (s Policy) links(texts []string) (links []string) {
	for _, text := range texts {
		if text == "" {
			continue
		}
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(s.Markdown.BioHTML(text)))
		if err != nil {
			links = append(links, text) // nested deeper than the parser goes: a moderator has to look at it
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

// elsewhere reports whether an address leads to another site.
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

// WithoutLinks replaces the links in sanitised HTML by their texts, except links within the page, such as those of
// headings and footnotes.
func WithoutLinks(html string) string {
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(html))
	if err != nil {
		return ""
	}
	for _, a := range doc.Find(`a:not([href^="#"])`).EachIter() {
		a.ReplaceWithSelection(a.Contents())
	}
	html, err = doc.Find("body").Html()
	if err != nil {
		return ""
	}
	return html
}
