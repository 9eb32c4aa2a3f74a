package views

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/siteinfo"
	"inkfeed/static"
)

// Feed is a feed that a page announces.
type Feed struct {
	Title string
	Path  string // without the extension of the format
}

var feedFormats = []struct{ name, ext, contentType string }{
	{"Atom", ".atom", "application/atom+xml"},
	{"RSS", ".rss", "application/rss+xml"},
	{"JSON Feed", ".json", "application/feed+json"},
}

// Article is the metadata of a post for search engines, previews and readers.
type Article struct {
	Author            string // the username
	AuthorDisplayName string
	BlogTitle         string // see domain.Profile
	BlogPath          string // its canonical path
	Published         time.Time
	Modified          time.Time // zero if never
	Tags              []string
	Language          string // see plaintext.LanguageOf
	Words             int
	Comments          int
	Likes             int
	Cover             domain.Cover // zero if there is none
	Card              string       // the path of the picture that stands for a cover; or empty
}

func (a Article) modified() time.Time {
	if a.Modified.IsZero() {
		return a.Published
	}
	return a.Modified
}

// hasImage reports whether the post has a picture that other sites can show.
func (a Article) hasImage() bool { return a.Cover.Image.Shareable() }

// Blog is the metadata of an author's page.
type Blog struct {
	User          domain.User
	Path          string // the canonical path of the first page
	LinksDisabled bool   // the links of the profile are plain text
}

// hasImage reports whether the blog has a header that other sites can show.
func (b Blog) hasImage() bool { return b.User.Header.Image.Shareable() }

// url is the page's canonical address, absolute and in ASCII.
func (p LayoutData) url() string { return p.Base + asciiPath(p.Canonical) }

func asciiPath(path string) string {
	u, err := url.Parse(path)
	if err != nil {
		return path
	}
	return u.String()
}

// oembed is the address of the page's oEmbed document in a format, from which other sites learn how to embed it.
func (p LayoutData) oembed(format string) string {
	return p.Base + "/oembed?" + url.Values{"url": {p.url()}, "format": {format}}.Encode()
}

// locales maps languages to Open Graph's locales, with the territory where most of their readers live.
var locales = map[string]string{"en": "en_US", "de": "de_DE", "fr": "fr_FR", "es": "es_ES", "it": "it_IT",
	"pt": "pt_BR", "nl": "nl_NL", "sv": "sv_SE", "da": "da_DK", "nb": "nb_NO", "pl": "pl_PL", "cs": "cs_CZ",
	"fi": "fi_FI", "tr": "tr_TR", "hu": "hu_HU", "ru": "ru_RU", "uk": "uk_UA", "ja": "ja_JP", "zh": "zh_CN",
	"ko": "ko_KR", "el": "el_GR", "th": "th_TH", "he": "he_IL", "ar": "ar_AR",
	"sk": "sk_SK", "sl": "sl_SI", "hr": "hr_HR", "ro": "ro_RO", "bg": "bg_BG", "ca": "ca_ES"}

// maxHeadline is the length of a title that search engines accept, in characters.
const maxHeadline = 110

type object map[string]any

// person is the post's author in the vocabulary of schema.org.
func (a *Article) person(base string) object {
	person := object{"@type": "Person", "name": "@" + a.Author, "url": base + names.UserPath(a.Author)}
	if a.AuthorDisplayName != "" {
		person["name"], person["alternateName"] = a.AuthorDisplayName, "@"+a.Author
	}
	return person
}

// blogPosting is the post in the vocabulary of schema.org, as a data block, which browsers do not execute.
func (p LayoutData) blogPosting(of siteinfo.Info) string {
	a := p.Article
	posting := object{"@context": "https://schema.org", "@type": "BlogPosting",
		"headline": plaintext.Truncate(p.Title, maxHeadline), "url": p.url(), "mainEntityOfPage": p.url(),
		"datePublished": timestamp(a.Published), "dateModified": timestamp(a.modified()),
		"author": a.person(p.Base),
		"publisher": object{"@type": "Organization", "name": of.Title(), "url": p.Base + "/",
			"logo": object{"@type": "ImageObject", "url": p.Base + IconPath(of, siteinfo.LargeIcon),
				"width": siteinfo.LargeIcon, "height": siteinfo.LargeIcon}},
		"commentCount": a.Comments,
		"interactionStatistic": object{"@type": "InteractionCounter",
			"interactionType": object{"@type": "LikeAction"}, "userInteractionCount": a.Likes},
	}
	for key, value := range map[string]string{"description": p.Description, "inLanguage": a.Language} {
		if value != "" {
			posting[key] = value
		}
	}
	if a.Words > 0 {
		posting["wordCount"] = a.Words
	}
	if a.BlogTitle != "" {
		posting["isPartOf"] = object{"@type": "Blog", "name": a.BlogTitle, "url": p.Base + asciiPath(a.BlogPath)}
	}
	if len(a.Tags) > 0 {
		posting["keywords"] = a.Tags
	}
	if a.hasImage() {
		posting["image"] = object{"@type": "ImageObject", "url": p.Base + a.Cover.Image.Path(),
			"width": a.Cover.Image.Width, "height": a.Cover.Image.Height}
	}
	return dataBlock(posting)
}

// blog is the author's page in the vocabulary of schema.org.
func (p LayoutData) blog() string {
	u := p.Blog.User
	author := (&Article{Author: u.Username, AuthorDisplayName: u.DisplayName}).person(p.Base)
	blog := object{"@context": "https://schema.org", "@type": "Blog", "name": u.BlogName(),
		"url": p.Base + asciiPath(p.Blog.Path), "author": author}
	for key, value := range map[string]string{"description": p.Description, "inLanguage": u.WritingLanguage} {
		if value != "" {
			blog[key] = value
		}
	}
	if p.Blog.hasImage() {
		blog["image"] = p.Base + u.Header.Image.Path()
	}
	if links := u.SetLinks(); len(links) > 0 && !p.Blog.LinksDisabled {
		var addresses []string
		for _, l := range links {
			if !strings.HasPrefix(l.Address, "mailto:") {
				addresses = append(addresses, l.Address)
			}
		}
		if len(addresses) > 0 {
			author["sameAs"] = addresses
		}
	}
	return dataBlock(blog)
}

func dataBlock(data object) string {
	body, err := json.Marshal(data) // escapes <, so that no text ends the block
	if err != nil {
		return ""
	}
	return `<script type="application/ld+json">` + string(body) + `</script>`
}

// AnnounceFeed adds the feed of what the page shows before the others, because feed readers take the first one.
func (p *LayoutData) AnnounceFeed(f Feed) { p.Feeds = slices.Insert(p.Feeds, 0, f) }

// LookAttributes are the attributes of the html element by which the style sheets know the looks of the site.
func LookAttributes(l siteinfo.Looks) templ.Attributes {
	attributes := templ.Attributes{}
	for f := range siteinfo.LookFields() {
		if value := f.Of(l); value != "" {
			attributes["data-"+f.Name] = value
		}
	}
	return attributes
}

// preloadedFonts are the files that most pages need with a typeface, by the value of siteinfo.Looks.
var preloadedFonts = map[string][]string{
	"":                   {"serif-common.woff2"},
	siteinfo.PairedSerif: {"serif-common.woff2", "source-sans-common.woff2"},
	"sans":               {"inter-common.woff2"},
	"book":               {"garamond-common.woff2", "source-sans-common.woff2"},
	"slab":               {"bitter-common.woff2", "source-sans-common.woff2"},
}

// TypefacePath returns the address of the style sheet with the fonts of a typeface. There is none for "", and for a
// typeface of a newer release.
func TypefacePath(typeface string) string {
	if typeface == "" || preloadedFonts[typeface] == nil {
		return ""
	}
	return static.URL("typeface-" + typeface + ".css")
}

// TypefacePaths returns the addresses of the style sheets of all typefaces.
func TypefacePaths() (paths []string) {
	for _, typeface := range slices.Sorted(maps.Keys(preloadedFonts)) {
		if path := TypefacePath(typeface); path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// themeMedia returns when a colour for the browser's own controls applies, which belongs to a colour scheme.
func themeMedia(l siteinfo.Looks, scheme string) string {
	switch l.Scheme {
	case "":
		return "(prefers-color-scheme: " + scheme + ")"
	case scheme:
		return "all"
	}
	return "not all"
}
