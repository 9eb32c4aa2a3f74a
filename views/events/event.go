// Package events says what notifications are about.
package events

import (
	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
)

// Event is a notification with the post, comment and person that it is about.
type Event struct {
	domain.Notification
	New     bool
	Post    domain.Post
	Comment domain.Comment // zero: the notification is about the post
	Extract string         // the beginning of the comment, or why a post was put back
	Actor   domain.User    // the person who did it, or zero
	Others  int            // further people who liked the post
	More    bool           // there are even more than Others
}

// Path returns the address of the text that the notification is about.
func (e Event) Path() string {
	switch {
	case e.Kind == domain.NotifyPutBack:
		return views.PostPath(e.PostID) + "/edit"
	case e.CommentID != "":
		return views.CommentPath(e.PostID, e.CommentID)
	}
	return e.Post.Path()
}

// Text says what happened, with slots for the post and the person.
func (e Event) Text() locale.Message {
	ofComment := e.CommentID != ""
	switch {
	case e.Kind == domain.NotifyReply:
		return locale.M("{author} replied to your comment on {post}")
	case e.Kind == domain.NotifyMention && ofComment:
		return locale.M("{author} mentioned you in a comment on {post}")
	case e.Kind == domain.NotifyMention:
		return locale.M("{author} mentioned you in {post}")
	case e.Kind == domain.NotifyComment:
		return locale.M("{author} commented on {post}")
	case e.Kind == domain.NotifyLike && e.More:
		return locale.M("{author} and many others liked {post}")
	case e.Kind == domain.NotifyLike && e.Others > 0:
		return locale.M("{author} and {n} others liked {post}", "n", e.Others)
	case e.Kind == domain.NotifyLike:
		return locale.M("{author} liked {post}")
	case e.Kind == domain.NotifyFollower:
		return locale.M("{author} follows you now")
	case e.Kind == domain.NotifyPublished && e.Post.Held == domain.HeldForReview:
		return locale.M("Your scheduled post {post} waits for a moderator's review.")
	case e.Kind == domain.NotifyPublished:
		return locale.M("Your scheduled post {post} was published.")
	case e.Kind == domain.NotifyPutBack:
		return locale.M("Your scheduled post {post} couldn't be published and is a draft again.")
	case e.Kind == domain.NotifyApproved && ofComment:
		return locale.M("Your comment on {post} was approved. Everyone can see it now.")
	case e.Kind == domain.NotifyApproved:
		return locale.M("Your post {post} was approved. Everyone can see it now.")
	case e.Kind == domain.NotifyHidden && ofComment:
		return locale.M("Your comment on {post} was hidden by a moderator. Open it to see why.")
	case e.Kind == domain.NotifyHidden:
		return locale.M("Your post {post} was hidden by a moderator. Open it to see why.")
	case ofComment:
		return locale.M("Your comment on {post} is visible to everyone again.")
	}
	return locale.M("Your post {post} is visible to everyone again.")
}
