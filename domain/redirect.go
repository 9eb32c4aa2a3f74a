package domain

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

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

// ImportedID returns the id of an imported item, given its key in the source. The same key always results in the same
// id, so repeated imports create it once.
func ImportedID(userID, key string) string { return derivedID("import", userID, key) }

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
	if page, _, ok := strings.Cut(address, "/?"); ok { // a front page with the number of a post or list
		if page == "" {
			return ClaimAsked
		}
		address = page
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
