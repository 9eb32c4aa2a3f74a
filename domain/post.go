package domain

import (
	"strings"
	"time"

	"inkfeed/domain/embed"
	"inkfeed/domain/plaintext"
)

// Maximum lengths of titles and comments, in characters. They may take four times as many bytes.
const (
	MaxTitle   = 200
	MaxComment = 10_000
)

// Limits of the text of a post and of a draft, in bytes as StoredBytes counts them. Cosmos DB takes
// 2 MB in a request, and an edit sends the new text and the one that it replaces in one transaction.
// A draft may be longer than a post, so that a text is not lost while its author shortens it.
const (
	MaxContent      = 1_000_000
	MaxDraftContent = 1_500_000
)

// Post is a blog post. The author's name and the counts are copies.
type Post struct {
	ID         string
	AuthorID   string
	AuthorName string // the username
	// AuthorDisplayName is the author's display name, or empty.
	AuthorDisplayName string
	// AuthorAvatar is the name of the author's avatar, or empty.
	AuthorAvatar string
	Title        string
	// Slug is the end of the address that an imported post had, if it is not made of the title. It never changes:
	// Details.Address replaces it.
	Slug         string
	Content      string   // Markdown
	Mentions     Mentions // of Content
	Tags         Tags
	Details      Details
	Status       Status
	CommentCount int
	LikeCount    int
	Created      time.Time
	Edited       time.Time // zero: never
	// Trashed is when the author moved the post to the trash, or zero. It is deleted for good after TrashTime, unless
	// the author restores it.
	Trashed time.Time
	// Deleted is when the post was deleted for good, or zero. A deleted post is a marker for the workers, without title
	// and text.
	Deleted time.Time
	// Erased reports that the comments, likes and copies of a deleted post have been deleted.
	Erased bool
	// FormerTags are tags that the post no longer has. The post may still be listed under them until the posts
	// projector has removed it there.
	FormerTags Tags
	// Withdrawn reports that the posts projector still has to remove the post from the lists of posts, or the post or a
	// comment on it from the review queue. A write sets it if it changes the status from listed to not listed, or if it
	// ends a review: a decision, or the author's deletion or edit of the text.
	Withdrawn bool
	// Held is the reason why the post is hidden from others, if it is. AuthorSuspended reports that its author is
	// suspended; the users projector copies it to all texts of the user.
	Held            Hold
	AuthorSuspended bool
	// CommentsClosed reports that the author has closed the comments.
	CommentsClosed bool
	// News reports that the post is new and that its followers have not been told yet. Only the first publication by
	// the author sets it: imports, sample data and edits do not.
	News bool
	// Bookmarked is the result of BookmarkDigest when the bookmarks' copies were last updated. It is empty if the post
	// was never bookmarked.
	Bookmarked string
	// Embeds are what was fetched about the embeds of the text.
	Embeds embed.Cards
	// Revision counts the published versions of the post. An edit names the revision that it began from. Likes and
	// comments change the item, but not the revision, so they do not conflict with edits.
	Revision int
	// Version counts all changes of the item. A copy with a higher version is newer.
	Version int
}

// NewPost returns a post by author, without tags. The error names each invalid field. Draft.Post returns a complete
// post.
func NewPost(author User, title, content string, now time.Time) (Post, error) {
	title, content, err := CleanPost(title, content)
	if err != nil {
		return Post{}, err
	}
	return Post{ID: NewID(), AuthorID: author.ID, AuthorName: author.Username,
		AuthorDisplayName: author.DisplayName, AuthorAvatar: author.Avatar, Title: title,
		Content: content, Created: Timestamp(now), Revision: 1, Version: 1}, nil
}

// CleanPost validates and normalises the title and content that a form sent.
func CleanPost(title, content string) (string, string, error) {
	title = plaintext.CleanLine(title)
	if len(content) <= 2*MaxDraftContent { // a longer text is rejected unchanged
		content = plaintext.Clean(content)
	}
	errs := fieldErrors{}
	errs.addMessage("title", textProblem(titleTexts, title, MaxTitle))
	errs.addMessage("content", contentProblem(content))
	return title, content, errs.err()
}

// Hidden reports whether a hold or the author's suspension hides the post from others.
func (p Post) Hidden() bool { return p.Held != NotHeld || p.AuthorSuspended }

// Standing returns the effective status of the post, which its copies have.
func (p Post) Standing() Status {
	switch {
	case p.InTrash():
		return Trashed
	case p.Hidden() && p.Status != Unpublished:
		return Hidden
	}
	return p.Status
}

// TrashTime is how long a post stays in the trash before it is deleted for good.
const TrashTime = 30 * 24 * time.Hour

// InTrash reports whether the post is in the trash of its author.
func (p Post) InTrash() bool { return !p.Trashed.IsZero() && p.Deleted.IsZero() }

// Purge returns the scheduled item that deletes a post in the trash for good when its time is over.
func (p Post) Purge() ScheduledItem {
	return ScheduledItem{UserID: p.AuthorID, PostID: p.ID, At: p.Trashed.Add(TrashTime)}
}

// ErrInTrash is the error for changing a post that is in the trash.
func ErrInTrash() error {
	return NewError(Conflict, "This post is in the trash. Restore it first.")
}

// Open reports whether others than the author can see the post.
func (p Post) Open() bool { return p.Deleted.IsZero() && p.Standing().Shown() }

// Listed reports whether the post is shown in lists.
func (p Post) Listed() bool { return p.Deleted.IsZero() && p.Standing().Listed() }

// ShownAuthor returns the author as the post shows them: id, names and avatar.
func (p Post) ShownAuthor() User {
	return User{ID: p.AuthorID, Username: p.AuthorName, DisplayName: p.AuthorDisplayName, Avatar: p.AuthorAvatar}
}

// Path returns the post's canonical address on this site.
func (p Post) Path() string { return PostPath(p.ID, p.Details.Slug(p.Slug, p.Title)) }

// PostPath returns the canonical address of a post, given its id and its slug. The same address with another slug
// redirects there.
func PostPath(id, slug string) string { return "/posts/" + id + "/" + slug }

// PostIDIn returns the id in an address below that of a post, such as PostPath. It reports false for other addresses.
func PostIDIn(path string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(path, "/posts/")
	id, _, _ = strings.Cut(rest, "/")
	return id, ok && IsID(id)
}

// Edit is an author's change of a post.
type Edit struct {
	PostID   string
	Revision int // the revision that the author began from
	Title    string
	Content  string
	Mentions Mentions // of Content
	Tags     Tags
	Details  Details
	Status   Status // the new status
	At       time.Time
	// Held is applied to the post from then on, unless the post is held already. ReviewOver ends its review.
	Held Hold
}

// NewEdit returns an edit of a published post, without tags. The error names each invalid field. Draft.Edit returns a
// complete edit.
func NewEdit(postID string, revision int, title, content string, now time.Time) (Edit, error) {
	title, content, err := CleanPost(title, content)
	if err != nil {
		return Edit{}, err
	}
	return Edit{PostID: postID, Revision: revision, Title: title, Content: content, At: Timestamp(now)}, nil
}

// Rewrites reports whether the edit changes the post's title, content, tags or details. An edit that only changes the
// status does not mark the post as edited and keeps no past version.
func (e Edit) Rewrites(p Post) bool {
	return e.Title != p.Title || e.Content != p.Content || e.Tags != p.Tags || e.Details != p.Details
}

// PastVersion returns the post's current version as a past version, to be stored when another replaces it.
func (p Post) PastVersion() PostVersion {
	v := PostVersion{PostID: p.ID, Revision: p.Revision, Title: p.Title, Content: p.Content, Tags: p.Tags,
		Details: p.Details, Saved: p.Edited}
	if v.Saved.IsZero() {
		v.Saved = p.Created
	}
	return v
}

// Like records that a user likes a post. There is at most one per user and post.
type Like struct {
	PostID   string
	UserID   string
	Username string
	// DisplayName is the user's display name, or empty.
	DisplayName string
	// Avatar is the name of the user's avatar, or empty.
	Avatar  string
	Created time.Time
	// AuthorSuspended reports that the user is suspended. The like still counts, but is not listed.
	AuthorSuspended bool
}

// NewLike returns a user's like of a post.
func NewLike(user User, postID string, now time.Time) Like {
	return Like{PostID: postID, UserID: user.ID, Username: user.Username, DisplayName: user.DisplayName,
		Avatar: user.Avatar, Created: Timestamp(now)}
}

// User returns the user as the like shows them: id, names and avatar.
func (l Like) User() User {
	return User{ID: l.UserID, Username: l.Username, DisplayName: l.DisplayName, Avatar: l.Avatar}
}

// ID returns the like's id within its post. It is derived from the user's id, so a second like by the same user is the
// same item.
func (l Like) ID() string { return LikeID(l.UserID) }

// LikeID returns the id of a user's like within any post.
func LikeID(userID string) string { return "like-" + userID }
