package syndication

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
	"inkfeed/web/site"
)

// feed is a list of posts for feed readers.
type feed struct {
	base        string // the site's address
	id          string // never changes
	title       string
	description string
	page        string // the path of the page with the same list
	path        string // the path of the feed, with its extension
	author      string // the username, if all posts are by one user
	called      string // the author's display name and username
	language    string // of posts that name none; empty: detected
	begun       time.Time
	site        siteinfo.Info
	private     bool // only for the readers who know its address
	posts       []domain.Post
	list        map[string]domain.Summary // the posts as the list has them, by id
}

// feedFormat is a format of feeds.
type feedFormat struct {
	ext, contentType string
	write            func(feed, []feedText) ([]byte, error)
}

var feedFormats = []feedFormat{
	{".atom", "application/atom+xml; charset=utf-8", writeAtom},
	{".rss", "application/rss+xml; charset=utf-8", writeRSS},
	{".json", "application/feed+json; charset=utf-8", writeJSONFeed},
}

// postVersion is everything that a feed shows of a post and that can change, except its text, which
// changes with the revision and the time of the edit. A restored backup repeats revisions.
type postVersion struct {
	id              string
	revision        int
	created, edited int64 // in milliseconds
	author          string
}

func newPostVersion(id string, revision int, created, edited time.Time, author string) postVersion {
	return postVersion{id, revision, created.UnixMilli(), edited.UnixMilli(), author}
}

func (f feed) versionsOf(posts []domain.Post) []postVersion {
	var versions []postVersion
	for _, p := range posts {
		versions = append(versions, newPostVersion(p.ID, f.revision(p.Revision), p.Created, p.Edited,
			names.Called(p.AuthorName, p.AuthorDisplayName)))
	}
	return versions
}

// revision returns the revision of a post, or 0 in a private feed, whose list does not know it.
func (f feed) revision(n int) int {
	if f.private {
		return 0
	}
	return n
}

// tag returns the strong entity tag of a feed with these versions of posts.
func (f feed) tag(versions []postVersion) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %q %q %q %q %q %q %q %q %v %v", buildID(), f.base, f.path, f.page, f.id, f.title,
		f.description, f.language, f.site.Language, []siteinfo.Picture{f.site.Logo, f.site.Icon}, versions)
	return `"` + hex.EncodeToString(sum.Sum(nil)[:16]) + `"`
}

// buildID identifies this build of the program: another build may render the same posts differently.
func buildID() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var b strings.Builder
	b.WriteString(info.Main.Version)
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
			b.WriteString(s.Value)
		}
	}
	return b.String()
}

// changed returns the time of the newest change in the feed or, for an empty feed, when its author
// signed up.
func (f feed) changed() time.Time {
	changed := f.begun
	for _, p := range f.posts {
		changed = later(changed, p.Created, p.Edited)
	}
	return changed
}

func later(first time.Time, others ...time.Time) time.Time {
	for _, t := range others {
		if t.After(first) {
			first = t
		}
	}
	return first
}

// updated returns changed, or the Unix epoch for a site without posts, because a date is required.
func (f feed) updated() time.Time { return later(time.Unix(0, 0), f.changed()) }

// postID returns the id of a post in feeds: its address without the title, which may change.
func (f feed) postID(p domain.Post) string { return f.base + "/posts/" + p.ID }

func (f feed) postURL(p domain.Post) string { return site.AbsoluteURL(f.base, p.Path()) }

func (f feed) authorURL(name string) string { return f.base + names.UserPath(name) }

// icon returns the address of the site's icon in a size.
func (f feed) icon(size int) string { return f.base + views.IconPath(f.site, size) }

func modified(p domain.Post) time.Time { return later(p.Created, p.Edited) }
