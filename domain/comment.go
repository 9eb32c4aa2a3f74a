package domain

import (
	"time"

	"inkfeed/domain/plaintext"
)

// Comment is one reader's answer to a post, or to another comment on it.
type Comment struct {
	ID         string
	PostID     string
	AuthorID   string
	AuthorName string // the username
	// AuthorDisplayName is the author's name in full, empty: the username.
	AuthorDisplayName string
	Content           string // Markdown
	Created           time.Time
	Edited            time.Time // zero: never
	// ParentID is the comment that this one answers, empty: it answers the post. A
	// reply has no replies of its own.
	ParentID string
	// ParentCreated is the parent's Created, zero without one: replies are listed
	// below their parent.
	ParentCreated time.Time
	// Replies counts those that are there, hidden ones too.
	Replies int
	// Deleted is when it was deleted, zero: never. Only a comment that has replies is
	// still there then, without text and author, to hold them.
	Deleted time.Time
	// Held says why others do not see the comment, if they do not, and AuthorSuspended that
	// its author is suspended. Then it does not count; what answers it stays.
	Held            Hold
	AuthorSuspended bool
}

// Hidden tells whether somebody else than its author has taken the comment out of sight.
func (c Comment) Hidden() bool { return c.Held != NotHeld || c.AuthorSuspended }

// Counts tells whether the comment is one of those that its post counts.
func (c Comment) Counts() bool { return c.Deleted.IsZero() && !c.Hidden() }

// ShownTo tells whether a viewer sees the comment: everybody one that is not hidden, and
// otherwise its author, moderators and, if the post's author hid it, that one.
func (c Comment) ShownTo(viewer User, p Post) bool {
	switch {
	case !c.Hidden():
		return true
	case viewer.ID == "":
		return false
	case viewer.ID == c.AuthorID, viewer.Role.MayModerate():
		return true
	}
	return viewer.ID == p.AuthorID && c.Held == HeldByAuthor && !c.AuthorSuspended
}

// NewComment makes a comment by author. The error names each bad field.
func NewComment(author User, postID, content string, now time.Time) (Comment, error) {
	content, err := cleanComment(content)
	if err != nil {
		return Comment{}, err
	}
	return Comment{ID: NewID(), PostID: postID, AuthorID: author.ID, AuthorName: author.Username,
		AuthorDisplayName: author.DisplayName, Content: content, Created: Timestamp(now)}, nil
}

// NewReply makes a comment by author that answers to. What answers a reply stands
// beside it, for replies are one level deep. The error names each bad field.
func NewReply(author User, to Comment, content string, now time.Time) (Comment, error) {
	c, err := NewComment(author, to.PostID, content, now)
	c.ParentID, c.ParentCreated = to.Thread()
	return c, err
}

func cleanComment(content string) (string, error) {
	content = plaintext.Clean(content)
	errs := fieldErrors{}
	errs.add("content", checkText("The comment", content, MaxComment))
	return content, errs.err()
}

// Thread names the comment that heads what c belongs to, c itself or its parent.
func (c Comment) Thread() (id string, created time.Time) {
	if c.ParentID != "" {
		return c.ParentID, c.ParentCreated
	}
	return c.ID, c.Created
}

// placeLayout is of one width, so that places sort as times do.
const placeLayout = "2006-01-02T15:04:05.000Z"

// Place is where the comment stands among those of its post: they are listed in the
// order of these texts, the oldest first and replies below their parent.
func (c Comment) Place() string {
	own := c.Created.UTC().Format(placeLayout) + "~" + c.ID
	if c.ParentID == "" {
		return own
	}
	return c.ParentCreated.UTC().Format(placeLayout) + "~" + c.ParentID + "~" + own
}

// PastAllComments comes after the place of each comment.
const PastAllComments = "~"

// CommentEdit is a change of a comment's text by its author.
type CommentEdit struct {
	PostID  string
	ID      string
	Began   time.Time // Edited of the version that the author changed
	Content string
	At      time.Time
	// Held holds the comment from then on, unless it is held by somebody whose word stands.
	Held Hold
}

// NewCommentEdit makes an edit of what c was when its author began. The error names
// each bad field.
func NewCommentEdit(c Comment, content string, now time.Time) (CommentEdit, error) {
	content, err := cleanComment(content)
	if err != nil {
		return CommentEdit{}, err
	}
	at := Timestamp(now)
	if !at.After(c.Edited) { // a clock went back: each version has a time of its own
		at = c.Edited.Add(time.Millisecond)
	}
	return CommentEdit{PostID: c.PostID, ID: c.ID, Began: c.Edited, Content: content, At: at}, nil
}

// CommentRemoval is what a comment's deletion left.
type CommentRemoval struct {
	Post Post // as it has become
	// Kept says that the comment stays as a placeholder, since it has replies.
	Kept bool
	// Parent is the placeholder that went as well, for this was its last reply; empty:
	// none did.
	Parent string
}
