package views

import (
	"net/url"
	"strconv"

	"inkfeed/domain"
)

// Comment is a comment with its content rendered and sanitised.
type Comment struct {
	domain.Comment
	HTML string
	Own  bool // the reader's, who may change and delete it
	// HiddenFor is why a moderator hid it, for its author to read; empty: it is not known.
	HidingReason string
	// Withheld says that the reader is not shown the comment, which is hidden. Nothing of it
	// is here.
	Withheld bool
}

// placeholder tells whether the comment only holds its replies.
func (c Comment) Placeholder() bool { return !c.Deleted.IsZero() || c.Withheld }

// holdNotice is why others do not see the comment, for those who do.
func (c Comment) holdNotice() string {
	switch {
	case c.AuthorSuspended:
		return "Hidden: the author's account is suspended"
	case c.Held == domain.HeldForReview:
		return "In review: comments with links from new accounts are checked first. Others can't see it yet."
	case c.Held == domain.HeldByModerator:
		if c.HidingReason != "" {
			return "Hidden by a moderator: " + c.HidingReason
		}
		return "Hidden by a moderator. Others can't see it."
	case c.Held == domain.HeldByAuthor:
		return "Hidden by the author of the post. Others can't see it."
	}
	return ""
}

// CommentList is one page of a post's comments, in their order.
type CommentList struct {
	PostID string
	Items  []Comment
	Number int
	More   bool
	Paged  bool // it stands on a page of its own, not below its post
	// SignedIn says that the reader may answer in place; others are asked to log in.
	SignedIn bool
	// Closed says that the post takes no more comments, PostIsOwn that it is the reader's.
	Closed    bool
	PostIsOwn bool
	// Moderates says that the reader is a moderator, Administers an administrator: who may
	// decide about what they wrote themselves, too.
	Moderates, Administers bool
	// Last is the place of the last comment of the page, also if that is not shown.
	Last string
}

// WithoutEmpty leaves out placeholders of hidden comments whose replies are hidden as well.
// That at the end of a page may have replies on the next one.
func (l CommentList) WithoutEmpty() CommentList {
	var kept []Comment
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

// page is the number of the page that the comments stand on, 0: their post's.
func (l CommentList) page() int {
	if l.Paged {
		return l.Number
	}
	return 0
}

// last is the place of the last comment shown.
func (l CommentList) last() string {
	if l.Last != "" {
		return l.Last
	}
	if len(l.Items) == 0 {
		return ""
	}
	return l.Items[len(l.Items)-1].Place()
}

// followingPath gives htmx what follows: by place, so that what others write
// meanwhile makes it neither repeat nor miss any.
func (l CommentList) followingPath() string {
	return PostPath(l.PostID) + "/comments?" + url.Values{"page": {strconv.Itoa(l.Number + 1)},
		"after": {l.last()}}.Encode()
}

// thread is a comment with its replies, or replies whose comment stands on an earlier
// page.
type Thread struct {
	Head      Comment
	replies   []Comment
	Continued bool // there is no head
}

// id is that of the comment which heads the thread.
func (t Thread) id() string {
	if t.Continued {
		return t.replies[0].ParentID
	}
	return t.Head.ID
}

func (l CommentList) Threads() []Thread {
	var threads []Thread
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

func threadOf(c Comment) string {
	id, _ := c.Thread()
	return id
}

// Ids of elements.
func commentID(id string) string { return "comment-" + id }
func RepliesID(id string) string { return "replies-" + id }
func answerID(id string) string  { return "answer-" + id }

// CommentAnchor names a comment on its page.
func CommentAnchor(id string) string { return "#" + commentID(id) }
