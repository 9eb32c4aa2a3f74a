package views

import (
	"net/url"
	"strconv"
	"strings"

	"inkfeed/domain"
	"inkfeed/domain/names"
)

// PostPath is the short address of a post, which redirects to the canonical one (domain.Post.Path).
func PostPath(id string) string { return "/posts/" + id }

// Addresses of the lists of all tags and all authors.
const (
	TagsPath    = "/tags"
	AuthorsPath = "/authors"
)

// NewestPostsPath is the address of the newest posts where the front page is something else.
const NewestPostsPath = "/posts"

// FollowedPostsPath is the address of the personal feed. FollowingPath shows it too, unless a static page or an old
// address has that path.
const (
	FollowingPath     = "/following"
	FollowedPostsPath = FollowingPath + "/posts"
	// PrivateFeedPrefix begins the addresses of the personal feeds for feed readers.
	PrivateFeedPrefix     = FollowingPath + "/feed/"
	FollowingSettingsPath = "/settings/following"
	FrontChoicePath       = FollowingPath + "/front"
)

// TagPath is the address of the posts that have the tag with a key.
func TagPath(key string) string { return "/tags/" + url.PathEscape(key) }

// SearchPath is the address of the results of a query.
func SearchPath(query string) string { return "/search?q=" + url.QueryEscape(query) }

// SeriesListPath is the address of the list of an author's series.
func SeriesListPath(username string) string { return names.UserPath(username) + "/series" }

// SeriesPath is the address of the series of an author that has a key: see domain.SeriesKey.
func SeriesPath(username, key string) string {
	return SeriesListPath(username) + "/" + url.PathEscape(key)
}

// CommentsPath is the address of a page of a post's comments.
func CommentsPath(postID string, page int) string {
	return PagePath(PostPath(postID)+"/comments", page)
}

// CommentPath is the permanent address of a comment. It redirects to the page that shows the comment.
func CommentPath(postID, commentID string) string {
	return PostPath(postID) + "/comments/" + commentID
}

// CommentAction is the address of an action on a comment, such as "edit".
func CommentAction(c domain.Comment, action string) string {
	return CommentPath(c.PostID, c.ID) + "/" + action
}

// TargetPath is the permanent address of a post or comment.
func TargetPath(t domain.Target) string {
	if t.CommentID != "" {
		return CommentPath(t.PostID, t.CommentID)
	}
	return PostPath(t.PostID)
}

// ModeratePath is the address of the page for moderating a post or comment.
func ModeratePath(t domain.Target) string { return TargetPath(t) + "/moderate" }

// LoginPath is the address of the log-in page that leads back to next, a path on this site.
func LoginPath(next string) string { return WithNext("/login", next) }

// WithNext adds the path that a log-in leads back to.
func WithNext(path, next string) string {
	if next == "" || next == "/" {
		return path
	}
	return path + "?next=" + url.QueryEscape(next)
}

// InspectorPath is the address of the page that turns the cost inspector on and off. Its forms are sent there too.
const InspectorPath = "/admin/inspector"

// BlocksPath is the address of the list of blocked people. Forms that block a user are sent there.
const BlocksPath = "/settings/blocks"

// MutesPath is the address of the list of what the viewer has muted.
const MutesPath = "/settings/mutes"

// MutedPath is the address of the notifications after something was muted there.
const MutedPath = "/notifications?muted=yes"

// NotificationSettingsPath is the address of the form for switching off kinds of notifications.
const NotificationSettingsPath = "/settings/notifications"

const unblockPath = BlocksPath + "/remove"

// ImportPath is the address of the page for importing a blog.
const ImportPath = "/settings/import"

// PagePath is the address of a page of the list at base. The first page has no number, so each page has one address.
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

// PrivateFeedPath is the address of a user's private feed, or empty if there is none.
func PrivateFeedPath(u domain.User) string {
	if key := u.FeedKey(); key != "" {
		return PrivateFeedPrefix + key + ".atom"
	}
	return ""
}

// NewsletterPath is the address of the page of an author's newsletter.
const NewsletterPath = "/settings/newsletter"

// MailSettingsPath is the address of a member's subscriptions by mail.
const MailSettingsPath = "/settings/mail"
