package domain

import (
	"cmp"
	"time"

	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
)

// Limits of titles and comments, in characters and four times as many bytes.
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

// Post is a blog post with its denormalised author's name and counts.
type Post struct {
	ID         string
	AuthorID   string
	AuthorName string // the username
	// AuthorDisplayName is the author's name in full, empty: the username.
	AuthorDisplayName string
	Title             string
	// Slug is what the post's address ends with when that is not made of the title: a
	// post that came from elsewhere keeps the one it had. It never changes.
	Slug         string
	Content      string // Markdown
	Tags         Tags
	Details      Details
	Status       Status
	CommentCount int
	LikeCount    int
	Created      time.Time
	Edited       time.Time // zero: never
	// Deleted is when the author deleted the post, zero: never. What is left of a
	// deleted post is a marker, without title and text, for the workers.
	Deleted time.Time
	// Erased says of a deleted post that its comments, likes and copies are gone.
	Erased bool
	// FormerTags are those the post had, and may still be listed under, until the posts
	// projector has taken it away there.
	FormerTags Tags
	// Withdrawn says of a post that is no longer listed that the posts projector has not
	// taken it out of the lists yet. Whatever changes the status from listed to another
	// sets it in the same write.
	Withdrawn bool
	// Held says why others do not see the post, if they do not. AuthorSuspended says the
	// same of all that a suspended user wrote; the users projector brings it there.
	Held            Hold
	AuthorSuspended bool
	// CommentsClosed says that its author takes no more comments.
	CommentsClosed bool
	// Bookmarked is Shown as it was when the readers who bookmarked the post were last
	// told of it, empty: nobody ever did.
	Bookmarked string
	// Revision counts what the author has published of the post. An edit names the
	// revision it began from, so that likes and comments, which change the item
	// as well, are no conflict.
	Revision int
	// Version counts every change of the item. It orders the copies: one with a
	// higher version is newer.
	Version int
}

// NewPost makes a post by author, without tags. The error names each bad field.
// Draft.Post makes any.
func NewPost(author User, title, content string, now time.Time) (Post, error) {
	title, content, err := CleanPost(title, content)
	if err != nil {
		return Post{}, err
	}
	return Post{ID: NewID(), AuthorID: author.ID, AuthorName: author.Username, AuthorDisplayName: author.DisplayName, Title: title,
		Content: content, Created: Timestamp(now), Revision: 1, Version: 1}, nil
}

// CleanPost validates and normalises what a form sent for a post.
func CleanPost(title, content string) (string, string, error) {
	title = plaintext.CleanLine(title)
	if len(content) <= 2*MaxDraftContent { // more is refused as it is
		content = plaintext.Clean(content)
	}
	errs := fieldErrors{}
	errs.add("title", checkText("The title", title, MaxTitle))
	errs.add("content", checkContent(content))
	return title, content, errs.err()
}

// Hidden tells whether somebody else than its author has made the post one that others do
// not find.
func (p Post) Hidden() bool { return p.Held != NotHeld || p.AuthorSuspended }

// Standing is who finds the post, all told: the status that its copies have.
func (p Post) Standing() Status {
	if p.Hidden() && p.Status != Unpublished {
		return Hidden
	}
	return p.Status
}

// Open tells whether others than its author find the post.
func (p Post) Open() bool { return p.Deleted.IsZero() && p.Standing().Shown() }

// Listed tells whether the post stands in lists.
func (p Post) Listed() bool { return p.Deleted.IsZero() && p.Standing().Listed() }

// Path is the canonical address of a post on this site.
func (p Post) Path() string { return PostPath(p.ID, cmp.Or(p.Slug, p.Title)) }

// PostPath is the canonical address of the post with that id and title or, if it has
// one of its own, slug. With the title instead of that it redirects.
func PostPath(id, title string) string { return "/posts/" + id + "/" + names.Slug(title) }

// Edit is a change of a post's own fields by its author.
type Edit struct {
	PostID   string
	Revision int // the revision the author edited
	Title    string
	Content  string
	Tags     Tags
	Details  Details
	Status   Status // that the post has from then on
	At       time.Time
	// Held holds the post from then on, if nothing does yet.
	Held Hold
}

// NewEdit makes an edit of a published post without tags. The error names each bad
// field. Draft.Edit makes any.
func NewEdit(postID string, revision int, title, content string, now time.Time) (Edit, error) {
	title, content, err := CleanPost(title, content)
	if err != nil {
		return Edit{}, err
	}
	return Edit{PostID: postID, Revision: revision, Title: title, Content: content, At: Timestamp(now)}, nil
}

// Rewrites tells whether the edit changes what p says. If not, it changes at most who
// finds p: then p is not edited, and there is no past version to keep.
func (e Edit) Rewrites(p Post) bool {
	return e.Title != p.Title || e.Content != p.Content || e.Tags != p.Tags || e.Details != p.Details
}

// Replaced is the version that the post is of, to be kept when another takes its place.
func (p Post) Replaced() PostVersion {
	v := PostVersion{PostID: p.ID, Revision: p.Revision, Title: p.Title, Content: p.Content, Tags: p.Tags, Details: p.Details, Saved: p.Edited}
	if v.Saved.IsZero() {
		v.Saved = p.Created
	}
	return v
}

// Like says that a user likes a post. There is at most one for both.
type Like struct {
	PostID   string
	UserID   string
	Username string
	// DisplayName is the user's name in full, empty: the username.
	DisplayName string
	Created     time.Time
	// AuthorSuspended says that the user is suspended: the like counts, but is in no list.
	AuthorSuspended bool
}

// NewLike makes user's like of a post.
func NewLike(user User, postID string, now time.Time) Like {
	return Like{PostID: postID, UserID: user.ID, Username: user.Username, DisplayName: user.DisplayName, Created: Timestamp(now)}
}

// ID is the like's id within its post, derived from the user's: a second like
// by the same user is the same item.
func (l Like) ID() string { return LikeID(l.UserID) }

// LikeID is the id of that user's like within any post.
func LikeID(userID string) string { return "like-" + userID }
