package domain

import (
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Redirect leads from the address that a post had elsewhere to the post, for ever.
type Redirect struct {
	Path    string // see OldPath
	OwnerID string // the post's author
	PostID  string
}

// maxOldPath is longer, in bytes, than addresses of pages are.
const maxOldPath = 1000

// OldPath is the one form of the path of a page that used to be at another site:
// unescaped, without the endings that servers add or leave out ("/", "/index.html",
// ".html"). It is false when the path cannot be a page's: that of an image, say, is
// none, and neither is that of the front page.
func OldPath(raw string) (string, bool) {
	if unescaped, err := url.PathUnescape(raw); err == nil {
		raw = unescaped
	}
	if raw == "" || len(raw) > maxOldPath || strings.ContainsFunc(raw, unicode.IsControl) {
		return "", false
	}
	p := path.Clean("/" + norm.NFC.String(strings.ToValidUTF8(raw, "\uFFFD")))
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
	// Digest is of the post as the import wrote it, or is about to; Former of what it was
	// before, while that has not come to pass.
	Digest string
	Former string
	// Done says that all that belongs to the post has been written.
	Done  bool
	Paths []string // that lead to it, or are to
	// Job is the ImportJob that created the post, empty: the command, or the post was there.
	Job string
	// ChangedBy is the ImportJob that changed the post last, and Before the digest that the post had then.
	ChangedBy, Before string
}

// ImportGeneration is the id of what a user imports by a key after as many imports were undone.
// The ids of posts that an undone import had created are not free again: their markers stay for
// MarkerTime.
func ImportGeneration(userID, key string, undone int) string {
	if undone == 0 {
		return ImportedID(userID, key)
	}
	return derivedID("import", userID, strconv.Itoa(undone), key)
}
