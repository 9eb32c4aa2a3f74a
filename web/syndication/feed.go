package syndication

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/names"
	"inkfeed/web/site"
)

// feed is a list of posts as it is sent to readers elsewhere.
type feed struct {
	base        string // the site's address
	id          string // never changes
	title       string
	description string
	page        string // the path of the page that shows the same
	path        string // its own, with the extension
	author      string // the username when all is by one
	called      string // and all that the author is called
	begun       time.Time
	posts       []domain.Post
	summaries   map[string]string // of the posts, by their ids, as the list has them
}

// feedFormat writes feeds.
type feedFormat struct {
	ext, contentType string
	write            func(feed, *markdown.Renderer) ([]byte, error)
}

var feedFormats = []feedFormat{
	{".atom", "application/atom+xml; charset=utf-8", writeAtom},
	{".rss", "application/rss+xml; charset=utf-8", writeRSS},
	{".json", "application/feed+json; charset=utf-8", writeJSONFeed},
}

// postVersion is what changes with whatever a feed shows of a post: likes and comments are
// not in it.
type postVersion struct {
	id       string
	revision int
	author   string
}

func versionsOf(posts []domain.Post) []postVersion {
	var versions []postVersion
	for _, p := range posts {
		versions = append(versions, postVersion{p.ID, p.Revision, names.Called(p.AuthorName, p.AuthorDisplayName)})
	}
	return versions
}

// tag is the strong entity tag of a feed of posts of those versions.
func (f feed) tag(versions []postVersion) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %q %q %q %q %v", build(), f.base, f.path, f.id, f.title, versions)
	return `"` + hex.EncodeToString(sum.Sum(nil)[:16]) + `"`
}

// build says which program this is: another may write the same posts otherwise.
func build() string {
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

// changed is when the newest change of what it shows was made; of an empty feed, when
// its author came.
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

// updated is changed, or for a site without posts the beginning of time: a date is required.
func (f feed) updated() time.Time { return later(time.Unix(0, 0), f.changed()) }

// A post's id in feeds is its address without the title, which may change.
func (f feed) postID(p domain.Post) string { return f.base + "/posts/" + p.ID }

func (f feed) postURL(p domain.Post) string { return site.AbsoluteURL(f.base, p.Path()) }

func (f feed) authorURL(name string) string { return f.base + names.UserPath(name) }

func modified(p domain.Post) time.Time { return later(p.Created, p.Edited) }
