package views

import (
	"net/url"
	"strconv"
	"time"

	"inkfeed/domain"
)

// siteName is what the site calls itself.
const siteName = "Inkfeed"

// count is a number with its noun: "1 like", "12,000 likes".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func date(t time.Time) string { return t.UTC().Format("2 January 2006") }

func minute(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04") }

func moment(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// edited says of a post that it was, and when if that was on a later day.
func edited(created, at time.Time) string {
	if date(created) == date(at) {
		return "edited"
	}
	return "edited " + minute(at)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func postPath(id string) string { return "/posts/" + id }

func userPath(username string) string { return "/@" + username }

// areaText is the content of a textarea or a pre, whose first line break an HTML
// parser drops.
func areaText(s string) string { return "\n" + s }

// CommentsPath is the address of a page of a post's comments.
func CommentsPath(postID string, page int) string {
	return pagePath(postPath(postID)+"/comments", page)
}

func deleteCommentPath(c domain.Comment) string {
	return postPath(c.PostID) + "/comments/" + c.ID + "/delete"
}

// pagePath is the address of a page of the list at base: the first has no
// number, so that every page has one address.
func pagePath(base string, page int) string {
	if page <= 1 {
		return base
	}
	return base + "?page=" + strconv.Itoa(page)
}

// LoginPath is the log-in page that leads back to next, a path on this site.
func LoginPath(next string) string { return withNext("/login", next) }

func withNext(path, next string) string {
	if next == "" || next == "/" {
		return path
	}
	return path + "?next=" + url.QueryEscape(next)
}
