package workers

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"inkfeed/domain"
)

// Names keeps usernames and records how far a rename has spread.
type Names interface {
	ConfirmName(ctx context.Context, u domain.User) (bool, error)
	MarkSpread(ctx context.Context, userID string, nameVersion int) error
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
	SpreadName(ctx context.Context, userID, username string) (changed int, more bool, err error)
	EraseAuthored(ctx context.Context, userID string) (more bool, err error)
}

// UsersProjector finishes sign-ups, renames and deletions. It confirms the
// reservation of the name and brings a changed name to every post, comment and like,
// whose own change feed then refreshes the copies; of a deleted user it takes all that
// away. A change of a user that leaves the name alone costs one point read.
type UsersProjector struct {
	Users interface {
		Names
		Accounts
	}
	Posts  Authored
	Logger *slog.Logger
}

// Project handles the latest state of each changed user. Names are confirmed
// before any is spread: a reservation expires, and spreading takes its time.
func (p *UsersProjector) Project(ctx context.Context, changes []domain.UserChange) error {
	live, deleted := make(map[string]domain.User), make(map[string]domain.User)
	for _, c := range changes {
		if c.User.Deleted.IsZero() {
			live[c.User.ID] = c.User
		} else {
			deleted[c.User.ID] = c.User
		}
	}
	if err := each(ctx, live, p.confirm); err != nil {
		return err
	}
	if err := each(ctx, live, p.spread); err != nil {
		return err
	}
	return each(ctx, deleted, p.erase)
}

// each handles several users at a time.
func each(ctx context.Context, users map[string]domain.User, do func(context.Context, domain.User) error) error {
	return inParallel(ctx, slices.Collect(maps.Values(users)), do)
}

func (p *UsersProjector) confirm(ctx context.Context, user domain.User) error {
	own, err := p.Users.ConfirmName(ctx, user)
	if err == nil && !own {
		p.Logger.Error("a username belongs to somebody else", "user", user.ID, "username", user.Username)
	}
	return err
}

func (p *UsersProjector) spread(ctx context.Context, user domain.User) error {
	if user.SpreadVersion >= user.NameVersion {
		return nil
	}
	changed, more, err := p.Posts.SpreadName(ctx, user.ID, user.Username)
	if err != nil {
		return err
	}
	p.Logger.Info("username spread", "user", user.ID, "username", user.Username, "items", changed, "more", more)
	if more {
		return p.Users.Again(ctx, user.ID)
	}
	return p.Users.MarkSpread(ctx, user.ID, user.NameVersion)
}

func (p *UsersProjector) erase(ctx context.Context, user domain.User) error {
	if user.Erased {
		return nil
	}
	more, err := p.Posts.EraseAuthored(ctx, user.ID)
	if err != nil {
		return err
	}
	if more {
		return p.Users.Again(ctx, user.ID)
	}
	p.Logger.Info("account erased", "user", user.ID)
	return p.Users.FinishErasure(ctx, user.ID)
}
