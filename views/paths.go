package views

import (
	"net/url"
	"strconv"
	"strings"

	"inkfeed/domain"
)

func PostPath(id string) string { return "/posts/" + id }

// TagPath is the address of the page of the tag with that key.
func TagPath(key string) string { return "/tags/" + url.PathEscape(key) }

// CommentsPath is the address of a page of a post's comments.
func CommentsPath(postID string, page int) string {
	return PagePath(PostPath(postID)+"/comments", page)
}

// CommentPath is the address of one comment for good, which leads to wherever it
// stands.
func CommentPath(postID, commentID string) string {
	return PostPath(postID) + "/comments/" + commentID
}

func CommentAction(c domain.Comment, action string) string {
	return CommentPath(c.PostID, c.ID) + "/" + action
}

// targetPath is the address of a post or a comment for good.
func TargetPath(t domain.Target) string {
	if t.CommentID != "" {
		return CommentPath(t.PostID, t.CommentID)
	}
	return PostPath(t.PostID)
}

// ModeratePath is where moderators decide about a target.
func ModeratePath(t domain.Target) string { return TargetPath(t) + "/moderate" }

// LoginPath is the log-in page that leads back to next, a path on this site.
func LoginPath(next string) string { return WithNext("/login", next) }

func WithNext(path, next string) string {
	if next == "" || next == "/" {
		return path
	}
	return path + "?next=" + url.QueryEscape(next)
}

// BlocksPath is the address of that page, which also blocks.
const BlocksPath = "/settings/blocks"

const unblockPath = BlocksPath + "/remove"

// ImportPath is where users import a blog.
const ImportPath = "/settings/import"

// pagePath is the address of a page of the list at base: the first has no
// number, so that every page has one address.
func PagePath(base string, page int) string {
	if page <= 1 {
		return base
	}
	separator := "?"
	if strings.Contains(base, "?") {
		separator = "&"
	}
	return base + separator + "page=" + strconv.Itoa(page)
}
