package moderation

import (
	"context"
	"iter"
	"time"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// Store is the storage that moderation and administration use. Errors are of the kinds of package domain.
type Store struct {
	Posts         Posts
	Drafts        Drafts
	Texts         Texts
	Users         Users
	Accounts      Accounts
	AccountRows   AccountRows
	Notifications Notifications
	Reports       Reports
	Reviews       Reviews
	Audit         Audit
	Settings      Settings
	Invitations   Invitations
	Redirects     Redirects
	Deliveries    Deliveries
	CommentRows   CommentRows
}

// CommentRows is the overview of the comments of the whole site.
type CommentRows interface {
	// List returns a page of the comments before a place, the newest first, and the place of the next page. If state is
	// not empty, it lists the comments in this state only.
	List(ctx context.Context, state domain.CommentState, before string) (rows []domain.CommentRow, next string,
		err error)
}

// Deliveries knows what waits to be delivered to receivers outside, and what was dropped.
type Deliveries interface {
	Destinations(ctx context.Context) ([]domain.Destination, error)
	// Destination fails with NotFound if nothing was ever sent to a destination.
	Destination(ctx context.Context, name string) (domain.Destination, error)
	Count(ctx context.Context, d domain.Destination) (domain.DeliveryCounts, error)
	// List returns a page of the deliveries that have failed.
	List(ctx context.Context, destination string, page int) (domain.ListPage[domain.Delivery], error)
	// Repeat and GiveUp return how many of the deliveries there still were, also with an error.
	Repeat(ctx context.Context, destination string, ids []string) (int, error)
	GiveUp(ctx context.Context, destination string, ids []string) (int, error)
}

// Redirects stores the former addresses of imported posts and lists, and those that imports ask for.
type Redirects interface {
	// Find returns where a former address leads. It fails with NotFound for an unknown address.
	Find(ctx context.Context, path string) (domain.Redirect, error)
	// ListRequests returns a page of the users who have imported. Those whose imports ask for addresses come first.
	ListRequests(ctx context.Context, page int) (domain.ListPage[domain.AddressRequests], error)
	// Requests returns the addresses that a user's imports ask for.
	Requests(ctx context.Context, userID string) (domain.AddressRequests, error)
	// SetRequests fails with Conflict if the requests were changed since they were read.
	SetRequests(ctx context.Context, r domain.AddressRequests) error
	// Named returns the addresses that the records of a user's imports name.
	Named(ctx context.Context, userID string) ([]string, error)
	// Approve redirects requested addresses that are free, and returns the requests that are left.
	Approve(ctx context.Context, all domain.AddressRequests, chosen func(domain.Redirect) bool) (domain.AddressRequests,
		error)
	// Assign makes an address lead elsewhere. It fails with Conflict if the address does not lead to before.
	Assign(ctx context.Context, before, after domain.Redirect) error
}

// Drafts publishes the sample posts of a new site, and knows which of them are being edited.
type Drafts interface {
	// Get returns a user's draft of a post. It fails with NotFound if there is none.
	Get(ctx context.Context, userID, postID string) (domain.Draft, error)
	// Publish makes a post of a draft. It fails with Conflict, and changes nothing, if the post exists or was deleted.
	Publish(ctx context.Context, author domain.User, d domain.Draft, now time.Time) (domain.Post, error)
}

// Texts reads all that an author, or the site, has written.
type Texts interface {
	// Posts yields an author's posts of every status.
	Posts(ctx context.Context, userID string) iter.Seq2[domain.Post, error]
	// Drafts yields an author's drafts.
	Drafts(ctx context.Context, userID string) iter.Seq2[domain.Draft, error]
}

// Posts reads posts and comments, and hides them or shows them again. It deletes sample posts.
type Posts interface {
	site.Posts
	// DeleteRevision fails with Conflict if the post has another revision or author. It changes nothing if the post is
	// already deleted.
	DeleteRevision(ctx context.Context, postID, authorID string, revision int) error
	// Comment returns a comment.
	Comment(ctx context.Context, postID, commentID string) (domain.Comment, error)
	// Hold hides a post.
	Hold(ctx context.Context, postID string, hold domain.Hold) (domain.Post, error)
	// Release shows a hidden post again. It fails with Conflict if the post has another revision.
	Release(ctx context.Context, postID string, revision int) (domain.Post, error)
	// HoldComment hides a comment.
	HoldComment(ctx context.Context, postID, commentID string, hold domain.Hold) (domain.Post, error)
	// ReleaseComment shows a hidden comment again. It fails with Conflict if the comment was last edited at another
	// time.
	ReleaseComment(ctx context.Context, postID, commentID string, edited time.Time) (domain.Post, error)
	// Unhide restores the hold from before a moderator hid a post. It fails like Release.
	Unhide(ctx context.Context, postID string, revision int, before domain.Hold) (domain.Post, error)
	// UnhideComment restores the hold from before a moderator hid a comment. It fails like ReleaseComment.
	UnhideComment(ctx context.Context, postID, commentID string, edited time.Time,
		before domain.Hold) (domain.Post, error)
}

// Users reads accounts.
type Users interface {
	// Account returns a user, also a suspended one.
	Account(ctx context.Context, userID string) (domain.User, error)
	// AccountByName returns the user with this username, also a suspended one.
	AccountByName(ctx context.Context, username string) (domain.User, error)
	// Authors returns the names of users by their ids.
	Authors(ctx context.Context, userIDs []string) (map[string]domain.Author, error)
	// Staff returns the moderators and administrators.
	Staff(ctx context.Context) ([]domain.User, error)
	// CountPosts counts a user's posts and drafts.
	CountPosts(ctx context.Context, userID string) (posts, drafts int, err error)
}

// AccountRows is the list of all accounts.
type AccountRows interface {
	// List returns the accounts that a filter selects and that follow a place, the last active ones first.
	List(ctx context.Context, f domain.AccountFilter, after domain.Place) (domain.ListPage[domain.AccountRow], error)
}

// Accounts changes the roles and the standing of accounts.
type Accounts interface {
	// ChangeRole stores the decision with the change. It fails with Conflict if the site would have no administrator.
	ChangeRole(ctx context.Context, userID string, role domain.Role, decision domain.AccountDecision) (domain.User,
		error)
	// Suspend fails with Conflict if the account is suspended for another reason, or if the site would have no
	// administrator.
	Suspend(ctx context.Context, userID, reason string, at time.Time) (domain.User, error)
	// EndSuspension stores the decision with the change. Without a suspension it changes nothing.
	EndSuspension(ctx context.Context, userID string, decision domain.AccountDecision) (domain.User, error)
	// Trust exempts all further posts and comments of a user from review.
	Trust(ctx context.Context, userID string) error
}

// Notifications stores the notifications of users.
type Notifications interface {
	// Notify adds a notification of a decision. Adding it again changes nothing.
	Notify(ctx context.Context, list ...domain.Notification) error
}

// Reports stores the reports about posts and comments, and the decisions about them.
type Reports interface {
	site.Reports
	// Report adds a user's report about a target. Edited is when the target was last edited, zero: never.
	Report(ctx context.Context, target domain.Target, r domain.Report, edited time.Time) (domain.Reported, error)
	// Open returns a page of the targets whose reports need a decision.
	Open(ctx context.Context, order domain.Queue, page int) (domain.ListPage[domain.Reported], error)
	// CountOpen counts these targets up to most.
	CountOpen(ctx context.Context, most int) (int, error)
	// Decide records a decision about a target of this version. It fails with Conflict, and returns the current
	// state, if the target has another version.
	Decide(ctx context.Context, target domain.Target, version int, d domain.Decision, by, why string,
		now time.Time) (domain.Reported, error)
	// Hide is Decide for hiding a target. It also stores the previous state.
	Hide(ctx context.Context, target domain.Target, version int, held domain.Hold, text, by, why string,
		now time.Time) (domain.Reported, error)
	// UndoHiding restores the decision from before the moderator by hid a target.
	UndoHiding(ctx context.Context, target domain.Target, by string) (domain.Reported, error)
}

// Reviews is the queue of posts and comments that are held for review.
type Reviews interface {
	// List returns a page of the queue.
	List(ctx context.Context, page int) (domain.ListPage[domain.Review], error)
	// Count counts the queue up to most.
	Count(ctx context.Context, most int) (int, error)
	// Done removes a target from the queue.
	Done(ctx context.Context, target domain.Target) error
}

// Audit is the log of what moderators and administrators did.
type Audit interface {
	site.AuditLog
	// List returns a page of the entries of a month.
	List(ctx context.Context, month time.Time, page int) (domain.ListPage[domain.AuditEntry], error)
}

// Settings stores the settings of the whole site.
type Settings interface {
	// Get returns the settings.
	Get(ctx context.Context) (domain.Settings, error)
	// Set stores the settings together with new pictures of the site. It fails with Conflict if the stored settings
	// have another version.
	Set(ctx context.Context, s domain.Settings, pictures ...domain.SitePicture) (domain.Settings, error)
}

// Invitations stores the invitations to sign up.
type Invitations interface {
	// Create stores an invitation.
	Create(ctx context.Context, i domain.Invitation) error
	// List returns all invitations that are still valid.
	List(ctx context.Context) ([]domain.Invitation, error)
	// Revoke makes an invitation invalid.
	Revoke(ctx context.Context, code string) error
}
