package domain

import (
	"time"

	"inkfeed/domain/plaintext"
)

// Comment is a reader's comment on a post, or a reply to another comment.
type Comment struct {
	ID         string
	PostID     string
	AuthorID   string
	AuthorName string // the username
	// AuthorDisplayName is the author's display name, or empty.
	AuthorDisplayName string
	// AuthorAvatar is the name of the author's avatar, or empty.
	AuthorAvatar string
	Content      string   // Markdown
	Mentions     Mentions // of Content
	Created      time.Time
	Edited       time.Time // zero: never
	// ParentID is the comment that this one replies to, or empty for a comment on the post. Replies have no replies
	// of their own.
	ParentID string
	// ParentCreated is the creation time of the parent, or zero. Replies are listed below their parent.
	ParentCreated time.Time
	// Replies is the number of replies, including hidden ones.
	Replies int
	// Deleted is when the comment was deleted, or zero. A deleted comment is kept only while it has replies, as a
	// placeholder without text and author.
	Deleted time.Time
	// Held is why the comment is hidden from others, and AuthorSuspended reports that its author is suspended. A
	// hidden comment does not count; its replies stay.
	Held            Hold
	AuthorSuspended bool
}

// ShownAuthor returns the author as the comment shows them: id, names and avatar.
func (c Comment) ShownAuthor() User {
	return User{ID: c.AuthorID, Username: c.AuthorName, DisplayName: c.AuthorDisplayName, Avatar: c.AuthorAvatar}
}

// Hidden reports whether the comment is hidden from others than its author.
func (c Comment) Hidden() bool { return c.Held != NotHeld || c.AuthorSuspended }

// Counts reports whether the comment is included in its post's count.
func (c Comment) Counts() bool { return c.Deleted.IsZero() && !c.Hidden() }

// ShownTo reports whether a viewer may see the comment. A comment that is not hidden is visible to everyone. A hidden
// comment is visible to its author, to moderators and, if the post's author hid it, to the post's author.
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

// NewComment returns a comment by author. The error names each invalid field.
func NewComment(author User, postID, content string, now time.Time) (Comment, error) {
	content, err := cleanComment(content)
	if err != nil {
		return Comment{}, err
	}
	return Comment{ID: NewID(), PostID: postID, AuthorID: author.ID, AuthorName: author.Username,
		AuthorDisplayName: author.DisplayName, AuthorAvatar: author.Avatar, Content: content,
		Created: Timestamp(now)}, nil
}

// NewReply returns a reply by author. A reply to a reply becomes its sibling, because replies are one level deep. The
// error names each invalid field.
func NewReply(author User, to Comment, content string, now time.Time) (Comment, error) {
	c, err := NewComment(author, to.PostID, content, now)
	c.ParentID, c.ParentCreated = to.Thread()
	return c, err
}

func cleanComment(content string) (string, error) {
	content = plaintext.Clean(content)
	errs := fieldErrors{}
	errs.addMessage("content", textProblem(commentTexts, content, MaxComment))
	if !shown(content) {
		errs.addMessage("content", commentTexts.empty)
	}
	return content, errs.err()
}

// Thread returns the id and creation time of the comment that heads the thread of c: its parent, or c itself.
func (c Comment) Thread() (id string, created time.Time) {
	if c.ParentID != "" {
		return c.ParentID, c.ParentCreated
	}
	return c.ID, c.Created
}

// placeLayout has a fixed width, so that places sort in the order of time.
const placeLayout = "2006-01-02T15:04:05.000Z"

// Place returns the sort key of the comment within its post: oldest first, with replies below their parent.
func (c Comment) Place() string {
	own := c.Created.UTC().Format(placeLayout) + "~" + c.ID
	if c.ParentID == "" {
		return own
	}
	return c.ParentCreated.UTC().Format(placeLayout) + "~" + c.ParentID + "~" + own
}

// PastAllComments sorts after the place of every comment.
const PastAllComments = "~"

// CommentEdit is an edit of a comment's text by its author.
type CommentEdit struct {
	PostID  string
	ID      string
	Began   time.Time // Edited time of the version that the author began from
	Content string
	// Mentions are those of Content.
	Mentions Mentions
	At       time.Time
	// Held is applied to the comment from then on, unless a stronger hold is in place: see Hold.After.
	Held Hold
}

// NewCommentEdit returns an edit of the comment that its author began from. The error names each invalid field.
func NewCommentEdit(c Comment, content string, now time.Time) (CommentEdit, error) {
	content, err := cleanComment(content)
	if err != nil {
		return CommentEdit{}, err
	}
	at := Timestamp(now)
	if !at.After(c.Edited) { // the clock went back; each version needs a time of its own
		at = c.Edited.Add(time.Millisecond)
	}
	return CommentEdit{PostID: c.PostID, ID: c.ID, Began: c.Edited, Content: content, At: at}, nil
}

// CommentRow is a comment in the overview of the comments of the whole site.
type CommentRow struct {
	Target
	AuthorID          string
	AuthorName        string
	AuthorDisplayName string
	Text              string // the beginning, as plain text
	Created           time.Time
	Edited            time.Time
	Held              Hold
	AuthorSuspended   bool
}

const (
	// CommentRowText is the maximum length of the text of a CommentRow, in characters.
	CommentRowText = 300
	// CommentRowsPerPage is the number of comments on a page of the overview.
	CommentRowsPerPage = 50
)

// Row returns the row of a comment with a text. A deleted comment has no row.
func (c Comment) Row(text string) CommentRow {
	return CommentRow{Target: Target{c.PostID, c.ID}, AuthorID: c.AuthorID, AuthorName: c.AuthorName,
		AuthorDisplayName: c.AuthorDisplayName, Text: text, Created: c.Created, Edited: c.Edited, Held: c.Held,
		AuthorSuspended: c.AuthorSuspended}
}

// CommentState is a state by which the overview can be filtered.
type CommentState string

// The states of comments.
const (
	CommentShown    CommentState = "" // as a filter: any state
	CommentInReview CommentState = "review"
	CommentHidden   CommentState = "hidden" // by a moderator or the author of the post, or with its suspended author
)

// Valid reports whether the overview can be filtered by the state.
func (s CommentState) Valid() bool {
	return s == CommentShown || s == CommentInReview || s == CommentHidden
}

// State returns the state of the comment.
func (r CommentRow) State() CommentState {
	switch {
	case r.Held == HeldForReview:
		return CommentInReview
	case r.Held != NotHeld || r.AuthorSuspended:
		return CommentHidden
	}
	return CommentShown
}

// Place returns the sort key of the comment among those of the site. It has the time of creation and the target.
func (r CommentRow) Place() string { return r.Created.UTC().Format(placeLayout) + "~" + r.Target.ID() }

// ErrCommentDeleted is the error for a form that was sent again after its comment was deleted.
var ErrCommentDeleted = NewError(Conflict, "You have deleted this comment. Send it again to publish it once more.")

// CommentRemoval is the result of deleting a comment.
type CommentRemoval struct {
	Post Post // after the deletion
	// Placeholder reports that the comment stays as a placeholder because it has replies.
	Placeholder bool
	// Parent is the placeholder that was deleted with its last reply, or empty.
	Parent string
}
