package projection

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// Usernames keeps usernames and records how far a rename has spread.
type Usernames interface {
	ConfirmName(ctx context.Context, u domain.User) (bool, error)
	MarkPropagated(ctx context.Context, userID string, nameVersion int) error
}

// Administration is told what has become of an account that administers the site, or did.
type Administration interface {
	SettleAdministration(ctx context.Context, userID string) error
}

// Accounts takes a user's rename or deletion on, step by step.
type Accounts interface {
	// Again lets the user come by the change feed once more, for the next step.
	Again(ctx context.Context, userID string) error
	// FinishErasure is the last step of a deletion.
	FinishErasure(ctx context.Context, userID string) error
}

// Authored is all that a user wrote. Each call takes a bounded step and tells
// whether there may be more to do.
type Authored interface {
	PropagateName(ctx context.Context, userID string, as domain.Author) (changed int, more bool, err error)
	// PropagateSuspension hides what a suspended user wrote, or shows it again.
	PropagateSuspension(ctx context.Context, userID string, suspended bool) (changed int, more bool, err error)
	EraseAuthored(ctx context.Context, userID string) (more bool, err error)
}

// Schedule stores the scheduled items of one kind.
type Schedule interface {
	Put(ctx context.Context, item domain.ScheduledItem) error
}

// DraftEraser takes a draft away with the account that it belongs to. One that is gone is
// no error.
type DraftEraser interface {
	Erase(ctx context.Context, userID, postID string) error
}

// ImageEraser takes the pictures of a deleted account away, files and records. It takes
// a bounded step and tells whether there may be more to do.
type ImageEraser interface {
	EraseImages(ctx context.Context, userID string) (more bool, err error)
}

// UsersProjector finishes sign-ups, renames, suspensions and deletions. It confirms the
// reservation of the name and brings a changed name to every post, comment and like,
// whose own change feed then refreshes the copies; what a suspended user wrote it hides, and
// of a deleted user it takes all that away. A change of a user that leaves the name alone costs one point read.
//
// It also notes when drafts publish themselves and accounts are to be deleted, and takes a draft away that was begun
// while its author's account was being deleted.
type UsersProjector struct {
	Users interface {
		Usernames
		Administration
		Accounts
		Authors
	}
	Posts              Authored
	Drafts             DraftEraser
	ScheduledPosts     Schedule
	ScheduledDeletions Schedule
	Images             ImageEraser
	Logger             *slog.Logger
}

// Project handles the latest state of each changed user. Names are confirmed
// before any is spread: a reservation expires, and spreading takes its time.
func (p *UsersProjector) Project(ctx context.Context, changes []domain.UserChange) error {
	live, deleted := make(map[string]domain.User), make(map[string]domain.User)
	drafts := make(map[draftRef]domain.Draft)
	for _, c := range changes {
		switch {
		case c.Draft != nil:
			drafts[draftRef{c.Draft.AuthorID, c.Draft.PostID}] = *c.Draft
		case c.User == nil:
		case c.User.Deleted.IsZero():
			live[c.User.ID] = *c.User
		default:
			deleted[c.User.ID] = *c.User
		}
	}
	if err := p.note(ctx, drafts); err != nil {
		return err
	}
	if err := each(ctx, live, p.confirm); err != nil {
		return err
	}
	if err := each(ctx, live, p.settle); err != nil {
		return err
	}
	if err := each(ctx, live, p.scheduleDeletion); err != nil {
		return err
	}
	if err := each(ctx, live, p.spread); err != nil {
		return err
	}
	return each(ctx, deleted, p.erase)
}

// each handles several users at a time.
func each(ctx context.Context, users map[string]domain.User, do func(context.Context, domain.User) error) error {
	return loop.InParallel(ctx, slices.Collect(maps.Values(users)), do)
}

// draftRef is whose draft it is, and of which post: whose that is it does not say.
type draftRef struct{ authorID, postID string }

// note brings drafts to the schedule. Whoever deletes an account looks for its drafts
// after marking it, so of those that were begun before, none is left; and whoever begins
// one later comes by here, where the author is looked up.
func (p *UsersProjector) note(ctx context.Context, drafts map[draftRef]domain.Draft) error {
	if len(drafts) == 0 {
		return nil
	}
	authorIDs := make(map[string]bool)
	for _, d := range drafts {
		authorIDs[d.AuthorID] = true
	}
	authors, err := p.Users.Authors(ctx, slices.Collect(maps.Keys(authorIDs)))
	if err != nil {
		return err
	}
	return loop.InParallel(ctx, slices.Collect(maps.Values(drafts)), func(ctx context.Context, d domain.Draft) error {
		switch {
		case authors[d.AuthorID].Deleted:
			return p.Drafts.Erase(ctx, d.AuthorID, d.PostID)
		case d.Publish.IsZero():
			return nil
		}
		return p.ScheduledPosts.Put(ctx, domain.ScheduledItem{UserID: d.AuthorID, PostID: d.PostID, At: d.Publish})
	})
}

func (p *UsersProjector) confirm(ctx context.Context, user domain.User) error {
	own, err := p.Users.ConfirmName(ctx, user)
	if err == nil && !own {
		p.Logger.Error("a username belongs to somebody else", "user", user.ID, "username", user.Username)
	}
	return err
}

func (p *UsersProjector) settle(ctx context.Context, user domain.User) error {
	if !user.Unsettled {
		return nil
	}
	return p.Users.SettleAdministration(ctx, user.ID)
}

func (p *UsersProjector) scheduleDeletion(ctx context.Context, user domain.User) error {
	if user.ScheduledDeletion.IsZero() {
		return nil
	}
	return p.ScheduledDeletions.Put(ctx, domain.ScheduledItem{UserID: user.ID, At: user.ScheduledDeletion})
}

func (p *UsersProjector) spread(ctx context.Context, user domain.User) error {
	if user.SpreadVersion >= user.NameVersion {
		return nil
	}
	if again, err := p.spreadSuspension(ctx, user); again || err != nil {
		return err
	}
	changed, more, err := p.Posts.PropagateName(ctx, user.ID, domain.Author{Name: user.Username, DisplayName: user.DisplayName})
	if err != nil {
		return err
	}
	p.Logger.Info("names spread", "user", user.ID, "username", user.Username, "items", changed, "more", more)
	if more {
		return p.Users.Again(ctx, user.ID)
	}
	return p.Users.MarkPropagated(ctx, user.ID, user.NameVersion)
}

// spreadSuspension is what spread does besides the name: a suspension, and its end, raise the
// name's version too. What counts is what the user is now, not what the change says: a page
// of changes may come late, after the user was restored. What is spread by then all the same
// Authorship corrects, as it does a name.
func (p *UsersProjector) spreadSuspension(ctx context.Context, user domain.User) (again bool, err error) {
	authors, err := p.Users.Authors(ctx, []string{user.ID})
	if err != nil {
		return false, err
	}
	suspended := !user.Suspended.IsZero()
	if author, ok := authors[user.ID]; ok { // on an account, a replica may not know of the user yet
		suspended = author.Suspended
	}
	changed, more, err := p.Posts.PropagateSuspension(ctx, user.ID, suspended)
	if err != nil {
		return false, err
	}
	if changed > 0 {
		p.Logger.Info("suspension spread", "user", user.ID, "suspended", suspended, "items", changed, "more", more)
	}
	if more {
		return true, p.Users.Again(ctx, user.ID)
	}
	return false, nil
}

func (p *UsersProjector) erase(ctx context.Context, user domain.User) error {
	if user.Erased {
		return nil
	}
	for _, erase := range []func(context.Context, string) (bool, error){p.Posts.EraseAuthored, p.Images.EraseImages} {
		more, err := erase(ctx, user.ID)
		if err != nil {
			return err
		}
		if more {
			return p.Users.Again(ctx, user.ID)
		}
	}
	p.Logger.Info("account erased", "user", user.ID)
	return p.Users.FinishErasure(ctx, user.ID)
}
