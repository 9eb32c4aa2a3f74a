package projection

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/throttle"
	"inkfeed/workers/loop"
)

// UserStore reads users, and stores how far the projector is with each.
type UserStore interface {
	AuthorLookup
	// MarkPropagated records that a version of the name is on all posts, comments and likes of the user.
	MarkPropagated(ctx context.Context, userID string, nameVersion int) error
	// Touch makes the change feed deliver the user once more, for the next step.
	Touch(ctx context.Context, userID string) error
}

// Usernames stores the reservations of usernames.
type Usernames interface {
	// ConfirmName makes the reservation of the user's name permanent. It reports whether the user owns the name.
	ConfirmName(ctx context.Context, u domain.User) (own bool, err error)
}

// Administrators stores the list of administrators.
type Administrators interface {
	// Settle brings the list in line with the user.
	Settle(ctx context.Context, userID string) error
}

// AccountRows is the list of all accounts.
type AccountRows interface {
	// Put brings the row of a user in line with a change of the account, which may have been deleted.
	Put(ctx context.Context, u domain.User) error
}

// AccountDeletions deletes what belongs to a deleted account, beside AuthoredItems and ImageEraser.
type AccountDeletions interface {
	// EraseImports deletes redirects of a deleted account. It takes one bounded step and reports whether there may be
	// more to do.
	EraseImports(ctx context.Context, userID string) (more bool, err error)
	// ErasePersonal deletes the names, the profile and all else that only concerns the account.
	ErasePersonal(ctx context.Context, userID string) error
	// FinishErasure is the last step of a deletion. It includes ErasePersonal.
	FinishErasure(ctx context.Context, userID string) error
}

// AuthoredItems stores everything that a user wrote. Each call takes one step of at most as many items as the limit.
type AuthoredItems interface {
	PropagateName(ctx context.Context, userID string, as domain.Author, limit int) (domain.Step, error)
	// PropagateSuspension hides what a suspended user wrote, or shows it again. Its steps have a limit of their own.
	PropagateSuspension(ctx context.Context, userID string, suspended bool) (changed int, more bool, err error)
	EraseAuthored(ctx context.Context, userID string, limit int) (domain.Step, error)
}

// Schedule stores the scheduled items of one kind.
type Schedule interface {
	Put(ctx context.Context, item domain.ScheduledItem) error
}

// DraftStore counts drafts, and deletes those of deleted accounts. A missing draft is no error.
type DraftStore interface {
	// Count counts a draft of an earlier release towards the quota of its author.
	Count(ctx context.Context, userID, postID string) error
	Erase(ctx context.Context, userID, postID string) error
}

// ImageEraser deletes pictures, both files and records.
type ImageEraser interface {
	// DeleteOldAvatars deletes the former avatars of a user, except the one named shown, which posts and comments have.
	// If again is not zero, it has to be called again after that time.
	DeleteOldAvatars(ctx context.Context, userID, shown string) (again time.Duration, err error)
	// EraseImages deletes the pictures of a deleted account. It takes one bounded step and reports whether there may be
	// more to do.
	EraseImages(ctx context.Context, userID string) (more bool, err error)
}

// UsersProjector finishes sign-ups, renames, suspensions and deletions:
//
//   - It makes the reservation of a new name permanent.
//   - It writes a changed name or avatar to every post, comment and like of the user, and then deletes the former
//     avatar. The change feed of posts then refreshes the copies.
//   - It keeps the list of all accounts current.
//   - It hides what a suspended user wrote, and deletes what a deleted user wrote.
//   - It puts scheduled drafts and scheduled deletions into the schedule, and counts drafts of earlier releases.
//   - It completes follows, and ends those between users of whom one has blocked the other.
//   - It completes subscriptions by mail, and ends those to deleted authors.
//   - It forwards the deliveries that changes of accounts cause, such as mails about them.
//   - It deletes a draft that was begun while the account of its author was being deleted.
//
// It works in steps, so that other changes in the feed have their turn. Suspensions go on at once. Names and deletions
// of users who are not administrators are paced by what their steps cost: see step.
//
// A change of a user that does not concern the name costs three point reads, of the reservations of name and skeleton
// and of the row in the list of accounts, or four if the name has two keys.
type UsersProjector struct {
	Users              UserStore
	Usernames          Usernames
	Administrators     Administrators
	AccountRows        AccountRows
	AccountDeletions   AccountDeletions
	Posts              AuthoredItems
	Drafts             DraftStore
	ScheduledPosts     Schedule
	ScheduledDeletions Schedule
	Continuations      Schedule
	Images             ImageEraser
	Deliveries         Deliveries
	Follows            FollowStore
	Blocks             BlockStore
	Subscriptions      SubscriptionStore
	// Notifications notifies users of new followers. It is nil in a rebuild.
	Notifications *Notifier
	Pace          *throttle.Pace // nil paces nothing
	Logger        *slog.Logger

	// Rewrite propagates every name and suspension, even if it is marked as propagated. Rebuilds of users alone and
	// retries of dead letters set it. All steps of a user then follow one another, because neither waits for later
	// changes.
	Rewrite bool
}

// Project handles the latest state of each changed user. It confirms all names before it propagates any, because a
// reservation expires and propagating a name can take long.
func (p *UsersProjector) Project(ctx context.Context, changes []feeds.UserChange) error {
	live, deleted := make(map[string]domain.User), make(map[string]domain.User)
	drafts := make(map[draftRef]domain.Draft)
	var outgoing []domain.Delivery
	for _, c := range changes {
		switch {
		case c.Draft != nil:
			drafts[draftRef{c.Draft.AuthorID, c.Draft.PostID}] = *c.Draft
		case c.Outgoing != nil:
			outgoing = append(outgoing, *c.Outgoing)
		case c.User == nil:
		case c.User.Deleted.IsZero():
			live[c.User.ID] = *c.User
		default:
			deleted[c.User.ID] = *c.User
		}
	}
	if err := loop.InParallel(ctx, outgoing, p.forward); err != nil { // first, because people wait for them
		return err
	}
	if err := p.scheduleDrafts(ctx, drafts); err != nil {
		return err
	}
	if err := p.follows(ctx, changes); err != nil {
		return err
	}
	if err := p.subscribers(ctx, changes); err != nil {
		return err
	}
	for _, step := range []func(context.Context, domain.User) error{p.confirm, p.settle, p.scheduleDeletion,
		p.AccountRows.Put, p.propagate} {
		if err := each(ctx, live, step); err != nil {
			return err
		}
	}
	return each(ctx, deleted, p.erase)
}

// each calls do for all users, for several at a time.
func each(ctx context.Context, users map[string]domain.User, do func(context.Context, domain.User) error) error {
	return loop.InParallel(ctx, slices.Collect(maps.Values(users)), do)
}

// confirm makes the reservation of the user's name permanent.
func (p *UsersProjector) confirm(ctx context.Context, user domain.User) error {
	own, err := p.Usernames.ConfirmName(ctx, user)
	if err == nil && !own {
		p.Logger.ErrorContext(ctx, "the username belongs to another user", "user", user.ID)
	}
	return err
}

// settle brings the list of administrators in line with the user, if the user says that it may not be.
func (p *UsersProjector) settle(ctx context.Context, user domain.User) error {
	if !user.Unsettled {
		return nil
	}
	return p.Administrators.Settle(ctx, user.ID)
}

// scheduleDeletion puts the scheduled deletion of an account into the schedule.
func (p *UsersProjector) scheduleDeletion(ctx context.Context, user domain.User) error {
	if user.ScheduledDeletion.IsZero() {
		return nil
	}
	return p.ScheduledDeletions.Put(ctx, domain.ScheduledItem{UserID: user.ID, At: user.ScheduledDeletion})
}

// propagate writes the user's name and suspension to everything that the user wrote, one bounded step at a time.
func (p *UsersProjector) propagate(ctx context.Context, user domain.User) error {
	if user.PropagatedVersion >= user.NameVersion && !p.Rewrite {
		return nil
	}
	for more := true; more; {
		present, err := p.present(ctx, user)
		if err != nil {
			return err
		}
		if p.Rewrite && present != author(user, present.Suspended) {
			return nil // the live projector propagates the new name, and each would undo the changes of the other
		}
		more, err = p.propagateSuspension(ctx, user.ID, present.Suspended)
		if err == nil && more && !p.Rewrite {
			return p.Users.Touch(ctx, user.ID)
		}
		if err == nil && !more {
			more, err = p.step(ctx, user, p.propagateName)
		}
		if err != nil || more && !p.Rewrite {
			return err
		}
	}
	again, err := p.Images.DeleteOldAvatars(ctx, user.ID, user.Avatar)
	switch {
	case err != nil:
		return err
	case again > 0 && !p.Rewrite:
		return p.continueAfter(ctx, user, again)
	}
	return p.Users.MarkPropagated(ctx, user.ID, user.NameVersion)
}

// present returns the user as they are now. A replica of the account may not have the user yet. Then it returns what
// the change says.
func (p *UsersProjector) present(ctx context.Context, user domain.User) (domain.Author, error) {
	authors, err := p.Users.Authors(ctx, []string{user.ID})
	if present, ok := authors[user.ID]; ok || err != nil {
		return present, err
	}
	return author(user, !user.Suspended.IsZero()), nil
}

// propagateName takes one step of writing a user's name to everything that the user wrote.
func (p *UsersProjector) propagateName(ctx context.Context, user domain.User, limit int) (domain.Step, error) {
	done, err := p.Posts.PropagateName(ctx, user.ID, author(user, false), limit)
	if err == nil {
		p.Logger.InfoContext(ctx, "name propagated", "user", user.ID, "items", done.Items, "more", done.More)
	}
	return done, err
}

// propagateSuspension takes one step of hiding what a suspended user wrote, or of showing it again. A suspension and
// its end raise the version of the name too. The user's present state decides, not the change: a batch of changes may
// come late, after the suspension has ended. AuthorCorrector repairs items that get an outdated state all the same.
func (p *UsersProjector) propagateSuspension(ctx context.Context, userID string,
	suspended bool) (more bool, err error) {
	changed, more, err := p.Posts.PropagateSuspension(ctx, userID, suspended)
	if err == nil && changed > 0 {
		p.Logger.InfoContext(ctx, "suspension propagated", "user", userID, "suspended", suspended, "items", changed,
			"more", more)
	}
	return more, err
}
