package siteinfo

import (
	"cmp"
	"context"
	"slices"
)

// Pages are the static pages of a site, in their order. Every process has them in memory, so that links to them cost no
// request.
type Pages struct {
	List    []StaticPage
	Former  []FormerPath // the oldest first
	Version int          // counts the changes
}

// StaticPage is the entry of a static page. The text of the page is a post of the site: see domain.IsPageID.
type StaticPage struct {
	Path       string `json:"path"`
	PostID     string `json:"postId"`
	Label      string `json:"label,omitempty"` // the text of links; empty for the title
	Navigation bool   `json:"navigation,omitempty"`
	Footer     bool   `json:"footer,omitempty"`
	// Title, Published and PostVersion follow from the text: see domain.RefreshPage. They are empty before the text is
	// published for the first time.
	Title       string `json:"title,omitempty"`
	Published   bool   `json:"published,omitempty"`
	PostVersion int    `json:"postVersion,omitempty"`
	// Language is the language of the text, or empty if it is not known. It follows from the text, too.
	Language string `json:"language,omitempty"`
}

// FormerPath is an address that a page had before. It redirects to the page.
type FormerPath struct {
	Path   string `json:"path"`
	PostID string `json:"postId"`
}

// Name returns the text of links to the page.
func (p StaticPage) Name() string { return cmp.Or(p.Label, p.Title, p.Path) }

// At returns the page with a path.
func (p Pages) At(path string) (StaticPage, bool) {
	return p.find(func(page StaticPage) bool { return page.Path == path })
}

// ByID returns the page whose text has an id.
func (p Pages) ByID(postID string) (StaticPage, bool) {
	return p.find(func(page StaticPage) bool { return page.PostID == postID })
}

func (p Pages) find(is func(StaticPage) bool) (StaticPage, bool) {
	if i := slices.IndexFunc(p.List, is); i >= 0 {
		return p.List[i], true
	}
	return StaticPage{}, false
}

// FormerlyAt returns the page that had a path before.
func (p Pages) FormerlyAt(path string) (StaticPage, bool) {
	for _, former := range p.Former {
		if former.Path == path {
			return p.ByID(former.PostID)
		}
	}
	return StaticPage{}, false
}

// Equal reports whether two states of the pages are equal.
func (p Pages) Equal(other Pages) bool {
	return p.Version == other.Version && slices.Equal(p.List, other.List) && slices.Equal(p.Former, other.Former)
}

// PageLink is a link to a static page.
type PageLink struct{ Name, Path, Language string }

// NavigationLinks returns the links at the top of each page.
func NavigationLinks(ctx context.Context) []PageLink {
	return linksTo(ctx, func(p StaticPage) bool { return p.Navigation })
}

// FooterPageLinks returns the links to static pages at the bottom of each page.
func FooterPageLinks(ctx context.Context) []PageLink {
	return linksTo(ctx, func(p StaticPage) bool { return p.Footer })
}

func linksTo(ctx context.Context, shown func(StaticPage) bool) (links []PageLink) {
	for _, p := range PagesFrom(ctx).List {
		if p.Published && shown(p) {
			links = append(links, PageLink{p.Name(), From(ctx).PagePath(p), cmp.Or(p.Language, From(ctx).Language)})
		}
	}
	return links
}

// PagePath returns the canonical path of a static page, which is that of the front page if the page is shown there.
func (i Info) PagePath(p StaticPage) string {
	if p.PostID == i.FrontPage {
		return "/"
	}
	return p.Path
}

// BlogPath returns the canonical path of the blog of a user with this path of its own, which is that of the front page
// if the blog is shown there.
func (i Info) BlogPath(userID, own string) string {
	if userID == i.FrontUser {
		return "/"
	}
	return own
}

// ShownFrontPage returns the static page that is shown as the front page. There is none if the chosen page is not
// published.
func ShownFrontPage(ctx context.Context) (StaticPage, bool) {
	p, listed := PagesFrom(ctx).ByID(From(ctx).FrontPage)
	return p, listed && p.Published
}

// ShowsNewestPosts reports whether the front page shows the newest posts of all authors, as far as the site's settings
// say. It shows them as well if the chosen author's account is suspended or deleted.
func ShowsNewestPosts(ctx context.Context) bool {
	_, other := ShownFrontPage(ctx)
	return !other && From(ctx).FrontUser == ""
}

type pagesKey struct{}

// WithPages returns a context for pages of a site with these static pages.
func WithPages(ctx context.Context, p *Pages) context.Context {
	return context.WithValue(ctx, pagesKey{}, p)
}

// PagesFrom returns the static pages of the site whose page is made.
func PagesFrom(ctx context.Context) Pages {
	if p, ok := ctx.Value(pagesKey{}).(*Pages); ok {
		return *p
	}
	return Pages{}
}

// SameLinks reports whether all addresses of pages and all links to them are the same as in another state.
func (p Pages) SameLinks(other Pages) bool {
	return slices.Equal(p.Former, other.Former) && slices.EqualFunc(p.List, other.List, func(a, b StaticPage) bool {
		a.PostVersion, b.PostVersion = 0, 0
		return a == b
	})
}
