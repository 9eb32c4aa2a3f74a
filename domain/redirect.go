package domain

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/names"
)

// Redirect leads from an address of another site to a post, a list of posts or a feed, for ever. It has either
// a PostID or a To.
type Redirect struct {
	Path    string // see OldPath; "/" is the home page
	OwnerID string // the user who imported it: the post's author
	PostID  string
	// To is the path of a list or feed. One that begins with OwnerPage is below the page of
	// the owner, whose name may change.
	To string
}

// OwnerPage stands in Redirect.To for the path of the owner's page.
const OwnerPage = "/@"

// belowOwner returns what follows OwnerPage in To.
func (r Redirect) belowOwner() (rest string, ok bool) {
	rest, ok = strings.CutPrefix(r.To, OwnerPage)
	return rest, ok && (rest == "" || rest[0] == '/')
}

// NeedsOwner reports whether Target depends on the owner's name.
func (r Redirect) NeedsOwner() bool {
	_, ok := r.belowOwner()
	return ok
}

// IsList reports whether the redirect leads to a list of posts or a feed of this site.
func (r Redirect) IsList() bool {
	return r.NeedsOwner() || strings.HasPrefix(r.To, "/tags/") && r.To == path.Clean(r.To)
}

// Target returns the path of the list that the redirect leads to or, when feed is an ending
// such as ".rss", of the list's feed. The username is the owner's.
func (r Redirect) Target(username, feed string) string {
	to := r.To
	if strings.HasPrefix(path.Base(to), "feed.") {
		feed = "" // it is one already
	}
	if rest, ok := r.belowOwner(); ok {
		if feed != "" {
			rest = "" // an archive has no feed of its own
		}
		to = names.UserPath(username) + rest
	}
	if feed != "" {
		to += "/feed" + feed
	}
	return to
}

// maxOldPath is longer, in bytes, than addresses of pages are.
const maxOldPath = 1000

// OldPath is the one form of the path of a page that used to be at another site:
// unescaped, without the endings that servers add or leave out ("/", "/index.html",
// ".html"). It is false when the path cannot be a page's: that of an image, say, is
// none, and neither is that of the front page.
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

// cleanOld is the path of an address without escapes, and with one form of each character.
func cleanOld(raw string) (string, bool) {
	if unescaped, err := url.PathUnescape(raw); err == nil {
		raw = unescaped
	}
	if raw == "" || len(raw) > maxOldPath || strings.ContainsFunc(raw, unicode.IsControl) {
		return "", false
	}
	return path.Clean("/" + norm.NFC.String(strings.ToValidUTF8(raw, "\uFFFD"))), true
}

// OldFeed is OldPath for feeds in files of any name.
func OldFeed(raw string) (string, bool) {
	p, ok := cleanOld(raw)
	switch strings.ToLower(path.Ext(p)) {
	case ".xml", ".rss", ".rdf", ".atom":
		return p, ok
	}
	return "", false
}

// oldFeeds are the names of files that generators write feeds to, with the ending of the
// feed of the same form here. Posts have no such names.
var oldFeeds = map[string]string{
	"index.xml": ".rss", "rss.xml": ".rss", "rss2.xml": ".rss", "index.rss": ".rss", "feed.rss": ".rss",
	"feed.xml": ".atom", "atom.xml": ".atom", "index.atom": ".atom", "feed.atom": ".atom",
	"feed.json": ".json",
}

// isPageNumber matches the end of an address of a list's page, such as /page/2 or /page2.
var isPageNumber = regexp.MustCompile(`/page/?[1-9][0-9]{0,5}$`)

// OldList is OldPath for the pages of a list, and for the feed of a list if it is a file of the
// usual name: all are found by the path of the list. So "/tags/go/page/2" and "/tags/go/index.xml" give
// "/tags/go", and "/page/2" gives "/". For a feed it also returns the ending, such as ".rss",
// of the feed of the same form here.
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

// isFileEnding knows what addresses of files end with. A page's last word may have a
// dot too, as in "/release-1.2".
func isFileEnding(ending string) bool {
	switch ending {
	case ".css", ".js", ".mjs", ".map", ".json", ".xml", ".txt", ".ico", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp",
		".avif", ".woff", ".woff2", ".ttf", ".pdf", ".zip", ".gz", ".mp3", ".mp4", ".webm", ".webmanifest", ".env", ".yml", ".yaml",
		".sql", ".bak", ".log", ".ini", ".cgi":
		return true
	}
	return false
}

// ImportedID is the id of what a user imports from elsewhere, where it is known by a
// key: the same each time, so that it is there once.
func ImportedID(userID, key string) string { return derivedID("import", userID, key) }

// OldQuery is the form, as OldPath has one, of an address of the front page that names a
// post by its number, as WordPress writes them: /?p=12.
func OldQuery(query url.Values) (string, bool) {
	for _, name := range []string{"p", "page_id"} {
		if n := query.Get(name); n != "" && len(n) < 20 && strings.Trim(n, "0123456789") == "" {
			return "/?p=" + n, true
		}
	}
	return "", false
}

// Import is what is remembered of a post that its author imported.
type Import struct {
	UserID string
	PostID string
	// Digest is of the post as the import wrote it, or is about to; Previous of what it was
	// before, while that has not come to pass.
	Digest   string
	Previous string
	// Done says that all that belongs to the post has been written.
	Done  bool
	Paths []string // that lead to it, or are to
	// Publish is when the import let the draft publish itself, zero: not at all.
	Publish time.Time
	// Job is the ImportJob that created the post, empty: the command, or the post was there.
	Job string
	// ChangedBy is the ImportJob that changed the post last, and Before the digest that the post had then.
	ChangedBy, Before string
}

// ImportGeneration returns the key under which an import derives a post's id, given the number of the user's
// undone imports. The ids of posts that an undone import created are not free again, because their markers stay
// for MarkerTime.
func ImportGeneration(userID, key string, undone int) string {
	if undone == 0 {
		return ImportedID(userID, key)
	}
	return derivedID("import", userID, strconv.Itoa(undone), key)
}
