package workers

import (
	"context"
	"log/slog"

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

// Project handles the latest state of each changed user.
func (p *UsersProjector) Project(ctx context.Context, changes []domain.UserChange) error {
	latest := make(map[string]domain.User)
	for _, c := range changes {
		latest[c.User.ID] = c.User
	}
	for _, user := range latest {
		if err := p.project(ctx, user); err != nil {
			return err
		}
	}
	return nil
}

func (p *UsersProjector) project(ctx context.Context, user domain.User) error {
	own, err := p.Users.ConfirmName(ctx, user)
	if err != nil {
		return err
	}
	if !own {
		p.Logger.Error("a username belongs to somebody else", "user", user.ID, "username", user.Username)
	}
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
