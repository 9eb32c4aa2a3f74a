// Package siteinfo is what a site says about itself: its name, its looks and its language. Administrators set it.
package siteinfo

import (
	"cmp"
	"context"
	"net/mail"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Product is the name of the software, and of sites without a name of their own.
const Product = "Inkfeed"

// Limits of Info.
const (
	MaxLinks    = 8 // in the header and the footer
	MaxFeatured = 5 // featured posts
)

// Info is what a site says about itself. The zero value is that of a new site.
type Info struct {
	Name        string // see Title
	Tagline     string // a short phrase below the name; may be empty
	Description string // for search engines and previews; see Summary
	Accent      string // the colour of links and buttons, such as #1b4b86; empty for the default
	CSS         string // a style sheet for the pages that everyone can read; see domain/customcss; may be empty
	Footer      string // a text at the bottom of each page; empty for the default
	Links       [MaxLinks]Link
	Language    string // the language for readers whose own is not offered, as the code of a locale
	TimeZone    string // the IANA name of the time zone of dates, such as Europe/Prague; empty for UTC
	Contact     string // an email address or an address on the web; may be empty
	// PostalAddress is that of the sender of newsletters, in several lines; may be empty.
	PostalAddress string
	// FrontUser is the id of the author whose blog is the front page. If it is empty, the newest posts of all authors
	// are.
	FrontUser string
	// FrontPage is the id of the static page that is the front page instead. If the page is not published, the newest
	// posts are.
	FrontPage string
	// Featured are the posts at the top of the newest posts, in order.
	Featured [MaxFeatured]Post
	Logo     Picture
	LogoDark Picture // the logo in the dark colour scheme; none: Logo
	Icon     Picture // see IconPicture
	Looks    Looks
	Former   Look // the look before the last change of it, which can be restored
}

// Post names a post and its author.
type Post struct {
	PostID   string `json:"postId,omitempty"`
	AuthorID string `json:"userId,omitempty"`
}

// FeaturedPosts returns the featured posts that are set.
func (i Info) FeaturedPosts() (posts []Post) {
	for _, p := range i.Featured {
		if p.PostID != "" {
			posts = append(posts, p)
		}
	}
	return posts
}

// Link is a link in the header or the footer.
type Link struct {
	Label string `json:"label,omitempty"`
	// Address is a path of this site, or an address that begins with https://, http:// or mailto:.
	Address string `json:"address,omitempty"`
	// Header reports that the link is in the header of the site, not in the footer.
	Header bool `json:"header,omitempty"`
}

// Title returns the name of the site.
func (i Info) Title() string { return cmp.Or(i.Name, Product) }

// SetLinks returns the links that are set.
func (i Info) SetLinks() (links []Link) {
	for _, l := range i.Links {
		if l.Label != "" {
			links = append(links, l)
		}
	}
	return links
}

// FooterLinks returns the links in the footer.
func (i Info) FooterLinks() []Link {
	return slices.DeleteFunc(i.SetLinks(), func(l Link) bool { return l.Header })
}

// HeaderLinks returns the links in the header.
func (i Info) HeaderLinks() []Link {
	return slices.DeleteFunc(i.SetLinks(), func(l Link) bool { return !l.Header })
}

// ContactLink returns the address that leads to the contact, or an empty text if there is none.
func (i Info) ContactLink() string { return WithScheme(i.Contact) }

// beginsWithHost matches an address without its scheme, such as example.org/about, and isFile the name of a file, such
// as about.html.
var (
	beginsWithHost = regexp.MustCompile(`^([\pL\pM\pN-]+\.)+\pL[\pL\pM\pN-]*[\pL\pN](:[0-9]+)?([/?#]\S*)?$`)
	isFile         = regexp.MustCompile(`^[^/]*\.(html?|php)\b`)
)

// WithScheme puts "mailto:" before an email address, and "https://" before an address that begins with the name of a
// host. It returns other addresses as they are.
func WithScheme(address string) string {
	switch {
	case IsMailAddress(address):
		return "mailto:" + address
	case beginsWithHost.MatchString(address) && !isFile.MatchString(address):
		return "https://" + address
	}
	return address
}

// IsMailAddress reports whether a text is an email address alone, without a name or a scheme. An address such as
// example.org/@ada is none, although "example.org/" may be the name of a mailbox.
func IsMailAddress(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Address == text && !strings.ContainsAny(text, ":\"/")
}

type contextKey struct{}

// described is what a context knows about its site.
type described struct {
	info *Info
	zone func() *time.Location // reads a file
}

// IsZone reports whether a text is the IANA name of a time zone, or empty. Each zone has one spelling: the files of
// zones would also be found as "Europe//Prague".
func IsZone(name string) bool {
	_, err := time.LoadLocation(name)
	return name == "" || err == nil && name != "Local" && path.Clean(name) == name
}

// With returns a context for pages of a site.
func With(ctx context.Context, i *Info) context.Context {
	return context.WithValue(ctx, contextKey{}, described{i, sync.OnceValue(func() *time.Location {
		zone, err := time.LoadLocation(i.TimeZone)
		if err != nil {
			return time.UTC
		}
		return zone
	})})
}

// From returns the info of the site whose page is made; that of a new site by default.
func From(ctx context.Context) Info {
	if d, ok := ctx.Value(contextKey{}).(described); ok {
		return *d.info
	}
	return Info{}
}

// Zone returns the time zone of the site whose page is made. It is UTC if the site has none, or one that this machine
// does not know.
func Zone(ctx context.Context) *time.Location {
	if d, ok := ctx.Value(contextKey{}).(described); ok {
		return d.zone()
	}
	return time.UTC
}
