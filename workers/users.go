package workers

import (
	"context"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
)

// Names keeps usernames and records how far a rename has spread.
type Names interface {
	ConfirmName(ctx context.Context, u domain.User) (bool, error)
	MarkSpread(ctx context.Context, userID string, nameVersion int) error
}

// NameSpreader writes a user's name to everything the user wrote.
type NameSpreader interface {
	SpreadName(ctx context.Context, userID, username string) (changed int, err error)
}

// UsersProjector finishes sign-ups and renames: it confirms the reservation of
// the name and brings a changed name to every post, comment and like, whose own
// change feed then refreshes the copies. A change of a user that leaves the name
// alone costs one point read.
type UsersProjector struct {
	Users  Names
	Posts  NameSpreader
	Logger *slog.Logger
}

// Project handles the latest state of each changed user. Names are confirmed
// before any is spread: a reservation expires, and spreading takes its time.
func (p *UsersProjector) Project(ctx context.Context, changes []domain.UserChange) error {
	latest := make(map[string]domain.User)
	for _, c := range changes {
		latest[c.User.ID] = c.User
	}
	if err := each(ctx, latest, p.confirm); err != nil {
		return err
	}
	return each(ctx, latest, p.spread)
}

// each handles several users at a time.
func each(ctx context.Context, users map[string]domain.User, do func(context.Context, domain.User) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, user := range users {
		group.Go(func() error { return do(ctx, user) })
	}
	return group.Wait()
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
	changed, err := p.Posts.SpreadName(ctx, user.ID, user.Username)
	if err != nil {
		return err
	}
	p.Logger.Info("username spread", "user", user.ID, "username", user.Username, "items", changed)
	return p.Users.MarkSpread(ctx, user.ID, user.NameVersion)
}
