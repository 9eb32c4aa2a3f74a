package views

import (
	"net/url"
	"strconv"

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// Comment is a comment with its content rendered and sanitised.
type Comment struct {
	domain.Comment
	HTML string
	Own  bool // written by the viewer
	// HidingReason tells the author why a moderator hid the comment; empty if unknown.
	HidingReason locale.Message
	// Withheld reports that the comment is hidden from the viewer. Its content is not included.
	Withheld bool
}

// Placeholder reports whether the comment is shown only to hold its replies.
func (c Comment) Placeholder() bool { return !c.Deleted.IsZero() || c.Withheld }

// holdNotice explains why the comment is hidden from others.
func (c Comment) holdNotice() locale.Message {
	switch {
	case c.AuthorSuspended:
		return locale.M("Hidden: the author's account is suspended")
	case c.Held == domain.HeldForReview:
		return locale.M("In review: a moderator will check this comment. Others can't see it yet.")
	case c.Held == domain.HeldByModerator:
		if !c.HidingReason.IsZero() {
			return locale.M("Hidden by a moderator: {reason}", "reason", c.HidingReason)
		}
		return locale.M("Hidden by a moderator. Others can't see it.")
	case c.Held == domain.HeldByAuthor:
		return locale.M("Hidden by the author of the post. Others can't see it.")
	}
	return locale.Message{}
}

// CommentList is a page of a post's comments in chronological order, each followed by its replies.
type CommentList struct {
	PostID string
	Items  []Comment
	Number int
	More   bool
	Paged  bool // on a page of its own, not below the post
	// SignedIn reports whether the viewer may reply in place. Others are asked to log in.
	SignedIn  bool
	Closed    bool // the post's comments are closed
	PostIsOwn bool // the viewer wrote the post
	// BlockedByAuthor reports that the post's author has blocked the viewer.
	BlockedByAuthor bool
	// Moderates reports that the viewer is a moderator, Administers an administrator, who may also moderate their own
	// comments.
	Moderates, Administers bool
	// Last is the position of the last comment on the page, even if that comment is not shown.
	Last string
}

// WithoutEmpty leaves out placeholders of hidden comments whose replies are all hidden. It keeps the placeholder at the
// end of a page, because its replies may be on the next page. It changes the items of the list.
func (l CommentList) WithoutEmpty() CommentList {
	kept := l.Items[:0]
	for i, c := range l.Items {
		last := i == len(l.Items)-1
		replied := last && l.More || !last && l.Items[i+1].ParentID == c.ID
		if !c.Withheld || replied {
			kept = append(kept, c)
		}
	}
	l.Items = kept
	return l
}

// page is the number of the page of comments; 0 for the comments below their post.
func (l CommentList) page() int {
	if l.Paged {
		return l.Number
	}
	return 0
}

// last is the position of the last comment of the page.
func (l CommentList) last() string {
	if l.Last != "" {
		return l.Last
	}
	if len(l.Items) == 0 {
		return ""
	}
	return l.Items[len(l.Items)-1].Place()
}

// nextPath is the address of the comments after those shown. It names the last position, so that comments written
// meanwhile are neither repeated nor missed.
func (l CommentList) nextPath() string {
	return PostPath(l.PostID) + "/comments?" + url.Values{"page": {strconv.Itoa(l.Number + 1)},
		"after": {l.last()}}.Encode()
}

// Thread is a comment with its replies, or replies to a comment on an earlier page.
type Thread struct {
	Head      Comment
	replies   []Comment
	Continued bool // Head is on an earlier page
}

// id is the id of the comment that begins the thread.
func (t Thread) id() string {
	if t.Continued {
		return t.replies[0].ParentID
	}
	return t.Head.ID
}

// Threads groups the comments of the page with their replies.
func (l CommentList) Threads() []Thread {
	threads := make([]Thread, 0, len(l.Items))
	for _, c := range l.Items {
		n := len(threads) - 1
		switch {
		case c.ParentID == "":
			threads = append(threads, Thread{Head: c})
		case n < 0 || threads[n].id() != c.ParentID:
			threads = append(threads, Thread{replies: []Comment{c}, Continued: true})
		default:
			threads[n].replies = append(threads[n].replies, c)
		}
	}
	return threads
}

func threadID(c Comment) string {
	id, _ := c.Thread()
	return id
}

func commentID(id string) string   { return "comment-" + id }
func replyFormID(id string) string { return "answer-" + id }

// RepliesID is the id of the list of replies to a comment.
func RepliesID(id string) string { return "replies-" + id }

// CommentAnchor is the fragment of an address that leads to a comment on its page.
func CommentAnchor(id string) string { return "#" + commentID(id) }
