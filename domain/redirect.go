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

// Redirect leads permanently from an address of an imported blog to a post, a list of posts or a feed. It has either
// a PostID or a To.
type Redirect struct {
	Path    string // see OldPath; "/" is the home page
	OwnerID string // the user who imported it: the post's author
	PostID  string
	// To is the path of a list or feed. A path that begins with OwnerPage is below the owner's page, whose address
	// changes with the username.
	To string
}

// OwnerPage stands in Redirect.To for the path of the owner's page.
const OwnerPage = "/@"

// belowOwner returns the rest of To after OwnerPage.
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
		feed = "" // the target is a feed already
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
	"feed.json": ".json",
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

// ImportedID returns the id of an imported item, given its key in the source. The same key always results in the same
// id, so repeated imports create it once.
func ImportedID(userID, key string) string { return derivedID("import", userID, key) }

// OldQuery normalises an address of the front page that names a post by its number, as WordPress writes them: /?p=12.
func OldQuery(query url.Values) (string, bool) {
	for _, name := range []string{"p", "page_id"} {
		if n := query.Get(name); n != "" && len(n) < 20 && strings.Trim(n, "0123456789") == "" {
			return "/?p=" + n, true
		}
	}
	return "", false
}

// Import is the record of a post that its author imported.
type Import struct {
	UserID string
	PostID string
	// Digest is the digest of the post as the import wrote it or is about to write it. Previous is the digest before,
	// while the write is not complete.
	Digest   string
	Previous string
	// Done reports that everything that belongs to the post has been written.
	Done  bool
	Paths []string // addresses that redirect, or will redirect, to the post
	// Publish is the time for which the import scheduled the draft, or zero.
	Publish time.Time
	// Job is the ImportJob that created the post. It is empty if the command created it or if it existed before.
	Job string
	// ChangedBy is the ImportJob that changed the post last, and Before the digest that the post had then.
	ChangedBy, Before string
	// BeforePublish is the time for which the draft was scheduled when ChangedBy changed it, or zero.
	BeforePublish time.Time
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

// Claim says how an import may claim the former address of a post or list.
type Claim int

const (
	ClaimFree  Claim = iota // the first import claims it
	ClaimAsked              // an administrator's import claims it; other imports ask an administrator for it
	ClaimNever              // no import claims it, and it never redirects
)

// isLanguage matches the first segment of the addresses of a blog in several languages.
var isLanguage = regexp.MustCompile(`^[a-z]{2}(-[a-z]{2,4})?$`)

// isDate matches the addresses of archives by year, month and day.
var isDate = regexp.MustCompile(`^[0-9]{4}(/[0-9]{1,2}){0,2}$`)

// ClaimOf decides about an address in the form of OldPath, OldFeed, OldList or OldQuery. Addresses of one segment, and
// those of lists and feeds at the root, are what visitors take for addresses of the site itself. So are those below
// words that they trust.
func ClaimOf(address string) Claim {
	if query, err := url.Parse(address); err == nil && query.Path == "/" && query.RawQuery != "" {
		return ClaimAsked // the front page with the number of a post
	}
	p, ok := cleanOld(address)
	if !ok {
		return ClaimNever
	}
	segments := strings.Split(p[1:], "/")
	if len(segments) > 1 && strings.EqualFold(segments[0], "index.php") {
		segments = segments[1:]
	}
	first, trusted := segments[0], names.IsTrustedAddress(segments[0])
	if strings.HasPrefix(first, ".") || names.IsReservedAddress(first) || trusted && len(segments) == 1 {
		return ClaimNever
	}
	root := segments
	if len(segments) > 1 && isLanguage.MatchString(strings.ToLower(first)) {
		root = segments[1:]
	}
	_, isFeed := OldFeed(root[0])
	isFeed = isFeed || oldFeeds[strings.ToLower(root[0])] != ""
	if trusted || len(segments) == 1 || strings.HasPrefix(first, "@") || names.IsListAddress(root[0]) ||
		len(root) == 1 && isFeed || isDate.MatchString(strings.Join(root, "/")) {
		return ClaimAsked
	}
	return ClaimFree
}
