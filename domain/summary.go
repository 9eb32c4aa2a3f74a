package domain

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
)

// SummaryLimit is the maximum length of a summary's text, in characters.
const SummaryLimit = 280

// Summary is the short form of a post that lists show.
type Summary struct {
	PostID     string
	AuthorID   string
	AuthorName string // the username
	// AuthorDisplayName is the author's display name, or empty.
	AuthorDisplayName string
	// AuthorAvatar is the name of the author's avatar, or empty.
	AuthorAvatar string
	Title        string
	Slug         string // see Post
	Text         string // plain text, at most SummaryLimit characters
	Tags         Tags
	Details      Details
	// Length is the length of the text. It is zero in copies that an earlier release made, and if there are no words.
	Length plaintext.Length
	// Cover is zero in copies that an earlier release made, and if the post has none.
	Cover        Cover
	Status       Status // the result of Post.Standing
	CommentCount int
	LikeCount    int
	Created      time.Time
	Edited       time.Time // zero: never
	Revision     int
	Version      int // the version of the post that it was made from
	// Trashed is when the author moved the post to the trash, or zero.
	Trashed time.Time
	// Deleted is when the post was deleted, or zero. The copies of a deleted post are kept as tombstones for
	// TombstoneTime.
	Deleted time.Time
}

// TombstoneTime is how long the copies of a deleted post are kept as tombstones. Without them, a worker that lost its
// lease in the middle of a page could restore copies that its successor has deleted. No worker takes that long for a
// page.
const TombstoneTime = time.Hour

// MarkerTime is how long the marker of a deleted post or user stays in the change feed after all its data has been
// erased. Readers that maintain an index of their own need it.
const MarkerTime = 30 * 24 * time.Hour

// ShownAuthor returns the author as the summary shows them: id, names and avatar.
func (s Summary) ShownAuthor() User {
	return User{ID: s.AuthorID, Username: s.AuthorName, DisplayName: s.AuthorDisplayName, Avatar: s.AuthorAvatar}
}

// Listed reports whether the post is shown in lists.
func (s Summary) Listed() bool { return s.Deleted.IsZero() && s.Status.Listed() }

// Path returns the canonical address of the post.
func (s Summary) Path() string { return PostPath(s.PostID, s.Details.Slug(s.Slug, s.Title)) }

// NewestFirst compares summaries for slices.SortFunc, newest first. The order is total: posts of the same millisecond
// are ordered by id.
func NewestFirst(a, b Summary) int {
	return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.PostID, a.PostID))
}

// Found is a page of search results, best first.
type Found struct {
	Posts ListPage[Hit]
	// Total is the number of matching posts. If More is true, there are more.
	Total int
	More  bool
	// Empty reports that the query has no word, tag or author to search for.
	Empty bool
	// Authors are the authors of listed posts who have the words in their names. Only the first page has them.
	Authors []User
	// Suggestion is the query with the probable spelling of its words, if that finds more.
	Suggestion string
	// Corrected reports that nothing matches the query itself, so that these are the results of Suggestion.
	Corrected bool
	// Building reports that the index is incomplete, so that posts may be missing.
	Building bool
}

// Hit is a post that matches a search. Its Summary has no Text; Extract replaces it.
type Hit struct {
	Summary
	Headline []Fragment // the title
	Extract  []Fragment // the text around the matches; nil if the post has no text
}

// Fragment is a piece of a text that either matches the search or does not.
type Fragment struct {
	Text   string
	Marked bool
}

// TagUse is the most common spelling of a tag and the number of posts that have it.
type TagUse struct {
	Name  string
	Posts int
}

// AuthorUse is an author of listed posts and the number of them.
type AuthorUse struct {
	User
	Posts int
}

// Listing is a listed post in a list of all posts, such as a sitemap.
type Listing struct {
	Post    Summary   // only the fields that its address needs
	Changed time.Time // the time of its creation or last edit
}

// The number of rows on a page of each list.
const (
	PostsPerPage         = 20
	CommentsPerPage      = 50
	LikesPerPage         = 100
	ImagesPerPage        = 24
	NotificationsPerPage = 20
	SearchPerPage        = 10 // posts in search results
	TagsPerPage          = 100
	AuthorsPerPage       = 20
)

// FeedLimit is the number of posts, the newest, that the feed keeps.
const FeedLimit = 100

// ListPage is one page of a list.
type ListPage[T any] struct {
	Items  []T
	Number int  // begins with 1
	More   bool // whether there is a next page
}

// Cut returns the page of rows that were read with one row more than size. Reading one row more is the cheapest way
// to find out whether a next page exists.
func Cut[T any](rows []T, number, size int) ListPage[T] {
	if len(rows) > size {
		return ListPage[T]{Items: rows[:size], Number: number, More: true}
	}
	return ListPage[T]{Items: rows, Number: number}
}

// Pages returns the number of pages of the given size for total rows, at least one.
func Pages(total, size int) int { return max(1, (total+size-1)/size) }

// SeriesKey returns what identifies a series among those of its author, and the end of its address: see names.Key. The
// signs + and # count within and after words, so "C", "C++" and "C#" differ. Titles with one key are the same series.
// The key is empty for a title without letters and digits.
func SeriesKey(title string) string {
	return names.Cut(names.Key(title, func(r rune, within bool) bool { return within && (r == '+' || r == '#') }))
}

// FormerSeriesKey returns the SeriesKey of the earlier releases, which ignored all signs, as it is in an address now.
func FormerSeriesKey(title string) string { return SeriesKey(names.Hyphenated(title)) }

// SeriesPlace returns the key of the series of a post and its place within the series, or "" if it is in none. The
// places of a series begin with SeriesPlaces and sort in the order of the parts.
func (s Summary) SeriesPlace() string {
	key := SeriesKey(s.Details.Series)
	if key == "" {
		return ""
	}
	part := "~" // after all digits
	if number, err := strconv.Atoi(s.Details.SeriesPart); err == nil {
		part = fmt.Sprintf("%04d", number)
	}
	return key + "/" + part + "/" + Timestamp(s.Created).Format("2006-01-02T15:04:05.000Z") + "/" + s.PostID
}

// SeriesPlaces returns the range of the places of a series: from the first one, to the one after the last.
func SeriesPlaces(key string) (from, to string) { return key + "/", key + "0" } // '0' follows '/'

// Series is a series of an author that has listed posts.
type Series struct {
	Key    string // see SeriesKey
	Title  string // the spelling in the newest post
	Posts  int
	Newest time.Time // when the newest post was published
	// Language is the one that the author says the newest post is written in, or empty.
	Language string
}

// SeriesTitle returns the title of a series: the spelling in its newest listed post. A series without a listed post has
// that of its newest post.
func SeriesTitle(posts []Summary) string { return newestPart(posts).Details.Series }

// SeriesLanguage returns the language that the post which SeriesTitle takes the title from names.
func SeriesLanguage(posts []Summary) string { return newestPart(posts).Details.Language }

func newestPart(posts []Summary) (newest Summary) {
	for i, s := range posts {
		if i == 0 || s.Listed() && !newest.Listed() || s.Listed() == newest.Listed() && NewestFirst(s, newest) < 0 {
			newest = s
		}
	}
	return newest
}

// Language returns the language of a post as a BCP 47 tag: the one that its author set, or that its text is in. If
// neither is known, it is otherwise, if there is a text that may be in it: see plaintext.LanguageOf.
func (s Summary) Language(otherwise string) string {
	if s.Text == "" { // as in archives
		return s.Details.Language
	}
	return cmp.Or(s.Details.Language, plaintext.LanguageOf(s.Text, otherwise))
}

// InLanguage returns a copy of a list of an author's posts, in which the posts that name no language are in that of the
// author.
func InLanguage(list []Summary, language string) []Summary {
	list = slices.Clone(list)
	for i := range list {
		list[i].Details.Language = cmp.Or(list[i].Details.Language, language)
	}
	return list
}

// BookmarksPerPage is the number of bookmarks on a page.
const BookmarksPerPage = 20

// Bookmark records that a user wants to read a post later. There is at most one per user and post. It is stored in
// the post's partition; BookmarkedPost is the user's own copy.
type Bookmark struct {
	PostID  string
	UserID  string
	Created time.Time
	// Version orders the states of a bookmark, including its removal and re-creation: a later state has a higher
	// version. It increases by at least one and is never behind the clock.
	Version int64
	// Deleted is when the user removed the bookmark, or zero. The marker is kept for MarkerTime, because the change
	// feed shows no deletions.
	Deleted time.Time
}

// ID returns the bookmark's id within its post, which is derived from the user's id.
func (b Bookmark) ID() string { return BookmarkID(b.UserID) }

const bookmarkPrefix = "bookmark-"

// BookmarkID returns the id of a user's bookmark within any post.
func BookmarkID(userID string) string { return bookmarkPrefix + userID }

// BookmarkedPost is a bookmark with the summary of its post, as the user's list of bookmarks shows it. The summary
// omits the counts, the times of the last edit and of the move to the trash, and the revision. For a post that others
// cannot see it omits the title and the text too.
type BookmarkedPost struct {
	Bookmark
	Post Summary
}

// BookmarkDigest returns a digest of all fields of a post that BookmarkedPost contains. While it stays the same, the
// users' copies need no update.
func (p Post) BookmarkDigest() string {
	sum := sha256.New()
	for _, part := range []string{p.Title, p.Slug, p.Content, p.AuthorName, p.AuthorDisplayName,
		string(p.Tags), string(p.Standing()),
		p.Created.UTC().Format(placeLayout)} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	// Both are empty for a post without details and avatar, which keeps the digest of earlier releases.
	io.WriteString(sum, p.Details.JSON())
	io.WriteString(sum, p.AuthorAvatar)
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12])
}
