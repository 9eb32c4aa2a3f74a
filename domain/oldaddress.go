package domain

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MissingPicture ends the address of a picture that an import did not find, so that pages say that it is missing.
const MissingPicture = "#missing"

// PictureWidth returns how wide a text shows the picture at an address, which the author says by its fragment: #normal,
// #wide or #full. Otherwise it returns "".
func PictureWidth(address string) string {
	_, width, _ := strings.Cut(address, "#")
	if width == "normal" || width == "wide" || width == "full" {
		return "#" + width
	}
	return ""
}

// maxOldPath is the maximum length of a path, in bytes.
const maxOldPath = 1000

// OldPath normalises the path of a page of another site: it unescapes it and removes the endings that servers add or
// omit ("/", "/index.html", ".html"). It returns false if the path cannot be that of a page, such as the path of an
// image or of the front page.
func OldPath(raw string) (string, bool) {
	p, ok := cleanOld(raw)
	if !ok {
		return "", false
	}
	switch ending := strings.ToLower(path.Ext(p)); ending {
	case ".html", ".htm":
		p = strings.TrimSuffix(p[:len(p)-len(ending)], "/index")
	default:
		if isFileEnding(ending) {
			return "", false
		}
	}
	return p, p != "/" && p != ""
}

// cleanOld unescapes a path and normalises its characters.
func cleanOld(raw string) (string, bool) {
	if unescaped, err := url.PathUnescape(raw); err == nil {
		raw = unescaped
	}
	if raw == "" || len(raw) > maxOldPath || strings.ContainsFunc(raw, unicode.IsControl) {
		return "", false
	}
	return path.Clean("/" + norm.NFC.String(strings.ToValidUTF8(raw, "\uFFFD"))), true
}

// OldFeed is OldPath for feeds, whose files may have any name.
func OldFeed(raw string) (string, bool) {
	p, ok := cleanOld(raw)
	switch strings.ToLower(path.Ext(p)) {
	case ".xml", ".rss", ".rdf", ".atom":
		return p, ok
	}
	return "", false
}

// oldFeeds maps the file names to which generators write feeds to the extension of the feed of the same format on
// this site. Posts have no such names.
var oldFeeds = map[string]string{
	"index.xml": ".rss", "rss.xml": ".rss", "rss2.xml": ".rss", "index.rss": ".rss", "feed.rss": ".rss",
	"feed.xml": ".atom", "atom.xml": ".atom", "index.atom": ".atom", "feed.atom": ".atom",
	"feed.json":   ".json",
	"wp-rss2.php": ".rss", "wp-rss.php": ".rss", "wp-rdf.php": ".rss", "wp-feed.php": ".rss", "wp-atom.php": ".atom",
}

// isPageNumber matches the end of an address of a list's page, such as /page/2 or /page2.
var isPageNumber = regexp.MustCompile(`/page/?[1-9][0-9]{0,5}$`)

// OldList normalises the path of a page of a list, or of the list's feed file, to the path of the list:
// "/tags/go/page/2" and "/tags/go/index.xml" become "/tags/go", and "/page/2" becomes "/". For a feed it also returns
// the extension of the feed of the same format on this site, such as ".rss".
func OldList(raw string) (list, feed string, ok bool) {
	dir, file := path.Split(raw)
	if feed = oldFeeds[strings.ToLower(file)]; feed != "" {
		if dir = strings.Trim(dir, "/"); dir == "" {
			return "/", feed, true
		}
		raw = dir
	}
	if list, ok = OldPath(raw); !ok {
		list, ok = OldFeed(raw)
	}
	if !ok {
		return "", "", false
	}
	if at := isPageNumber.FindStringIndex(list); at != nil {
		list = cmp.Or(list[:at[0]], "/")
	}
	return list, feed, true
}

// isFileEnding reports whether an extension is that of a file. The last word of a page's path may contain a dot too,
// as in "/release-1.2".
func isFileEnding(ending string) bool {
	switch ending {
	case ".css", ".js", ".mjs", ".map", ".json", ".xml", ".txt", ".ico", ".png", ".jpg", ".jpeg", ".gif", ".svg",
		".webp", ".avif", ".woff", ".woff2", ".ttf", ".pdf", ".zip", ".gz", ".mp3", ".mp4", ".webm", ".webmanifest",
		".env", ".yml", ".yaml",
		".sql", ".bak", ".log", ".ini", ".cgi":
		return true
	}
	return false
}

// oldQueries are the parameters with which WordPress names a post or a list on its front page, with the forms of their
// values and the addresses under which imports store them.
var oldQueries = []struct {
	name    string
	value   *regexp.Regexp
	address string
}{
	{"p", oldNumber, "/?p=$0"},
	{"page_id", oldNumber, "/?p=$0"},
	{"attachment_id", oldNumber, "/?attachment_id=$0"},
	{"cat", oldNumber, "/?cat=$0"},
	{"author", oldNumber, "/?author=$0"},
	{"tag", oldName, "/tag/$0"},
	{"category_name", oldName, "/category/$0"},
	{"author_name", oldName, "/author/$0"},
	{"m", regexp.MustCompile(`^([0-9]{4})[0-9]{0,4}$`), "/$1"}, // Blogger has m=1 for telephones
}

var (
	oldNumber = regexp.MustCompile(`^[0-9]{1,19}$`)
	oldName   = regexp.MustCompile(`^[^?#]{1,200}$`)
)

// oldQueryFeeds maps the values of WordPress's parameter feed to the extensions of feeds on this site.
var oldQueryFeeds = map[string]string{"rss2": ".rss", "rss": ".rss", "rdf": ".rss", "feed": ".rss", "atom": ".atom"}

// OldQuery normalises an address of a front page that names a post, a list or a feed by a query, as WordPress writes
// them: "/?p=12" stays, "/?tag=go" becomes "/tag/go". For a feed it also returns the extension of the feed of the same
// format on this site. The home is the path of the front page without a slash at its end.
func OldQuery(home string, query url.Values) (address, feed string, ok bool) {
	name := query.Get("feed")
	if feed = oldQueryFeeds[name]; strings.HasPrefix(name, "comments-") {
		return home + "/comments/feed", "", true
	}
	for _, q := range oldQueries {
		value := query.Get(q.name)
		if q.value.MatchString(value) && !strings.Contains(value, "..") {
			address, ok = cleanOld(home + q.value.ReplaceAllString(value, q.address))
			return address, feed, ok
		}
	}
	return cmp.Or(home, "/"), feed, feed != ""
}

// OldParent is the post or list to which a longer address belongs.
type OldParent struct {
	Path string
	Feed string // the extension of the list's feed, or empty
	// PostOnly reports that no list has such addresses.
	PostOnly bool
}

// oldParents are the forms of addresses that systems derive from that of a post or list, the most exact first.
var oldParents = []struct {
	form *regexp.Regexp
	OldParent
}{
	{regexp.MustCompile(`^(.*)/feeds/posts/(?:default|summary)/-/([^/]+)(?:/.*)?$`), // Blogger
		OldParent{Path: "$1/search/label/$2", Feed: ".atom"}},
	{regexp.MustCompile(`^(.*)/feeds/all(?:-[\w-]+)?\.(?:atom|rss)\.xml$`), // Pelican
		OldParent{Path: "$1/", Feed: ".atom"}},
	{regexp.MustCompile(`^(.*)/feeds/([^/]+)\.(?:atom|rss)\.xml$`), OldParent{Path: "$1/category/$2", Feed: ".atom"}},
	{regexp.MustCompile(`^(.*/(?:tag|category|author)/[^/]*[^/0-9])[0-9]{1,3}$`), OldParent{Path: "$1"}},
	{regexp.MustCompile(`^(.*)/index[0-9]{1,3}$`), OldParent{Path: "$1/"}},
	{regexp.MustCompile(`^(.*)/feed/by_tag/([^/]+)\.xml$`), OldParent{Path: "$1/tags/$2", Feed: ".atom"}}, // Jekyll
	{regexp.MustCompile(`^(.*)/feed/([^/]+)\.xml$`), OldParent{Path: "$1/categories/$2", Feed: ".atom"}},
	{regexp.MustCompile(`^(.*?)/(?:feed|feed/rss2?|feed/rdf|rss)$`), OldParent{Path: "$1/", Feed: ".rss"}},
	{regexp.MustCompile(`^(.*?)/(?:feed/)?atom$`), OldParent{Path: "$1/", Feed: ".atom"}},
	{regexp.MustCompile(`^(.*)/([0-9]{4})_[0-9]{2}_[0-9]{2}_archive$`), OldParent{Path: "$1/$2"}}, // Blogger
	{regexp.MustCompile(`^(.*)/day/([0-9]{4})/[0-9/]+$`), OldParent{Path: "$1/archive/$2"}},       // Tumblr
	{regexp.MustCompile(`^(.*/post/[0-9]+)/[^/]+$`), OldParent{Path: "$1", PostOnly: true}},
	{regexp.MustCompile(`^(.*/tagged)/[^/]+$`), OldParent{Path: "$1"}},
	{regexp.MustCompile(`^(.*/[0-9]{4})(?:/[0-9]{1,2}){1,2}$`), OldParent{Path: "$1"}},
	{regexp.MustCompile(`^(.+)/[0-9]{1,3}$`), OldParent{Path: "$1"}}, // a part of a post, or a page of a list
	{regexp.MustCompile(`^(.+)/(?:amp|embed|trackback|comments|comment-page-[0-9]{1,6})$`),
		OldParent{Path: "$1", PostOnly: true}},
}

// ParentOf returns the post or list to which an address in the form of OldPath or OldFeed may belong, although no
// import stores it: "/tag/go/feed/atom" is the feed of "/tag/go", and "/2019/05/post/amp" is "/2019/05/post".
func ParentOf(old string) (parent OldParent, ok bool) {
	for _, p := range oldParents {
		if p.form.MatchString(old) {
			parent = p.OldParent
			parent.Path = path.Clean(p.form.ReplaceAllString(old, parent.Path))
			return parent, true
		}
	}
	return OldParent{}, false
}

// commentsFeeds matches the feeds of comments of WordPress and Blogger. This site has none.
var commentsFeeds = regexp.MustCompile(`/(?:comments/feed(?:/(?:rss2?|rdf|atom))?|wp-commentsrss2\.php|` +
	`feeds/(?:[0-9]+/)?comments/(?:default|summary))$`)

// IsCommentsFeed reports whether an address in the form of OldPath was that of a feed of comments.
func IsCommentsFeed(old string) bool { return commentsFeeds.MatchString(old) }

// isLinkAddress reports whether an address may be a link of the site: a path of this site, or an address on the web
// or for mail.
func isLinkAddress(address string) bool {
	u, err := url.Parse(address)
	if err != nil || strings.ContainsAny(address, "\\ ") {
		return false
	}
	switch u.Scheme {
	case "https", "http":
		return u.Host != ""
	case "mailto":
		return u.Opaque != ""
	case "":
		return strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//")
	}
	return false
}
