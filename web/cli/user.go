package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/web/cli/config"
)

// subject is what the commands about one account work on. They do what administrators do on
// the site, and what nobody can do there: make the first administrator of a site that has
// none, or let somebody in again who has lost every way.
type subject struct {
	domain.User
	store *cosmos.Store
	out   output
}

// aboutUser registers what a command obeys that is about the account which it is given by
// name, suspended or not, in a database that must be there.
func aboutUser(c *config.Config, do func(context.Context, subject) error) func(context.Context, output) error {
	c.BindStore()
	c.Operand = "NAME"
	return func(ctx context.Context, out output) error {
		store, closeStore, err := openUsers(ctx, c, out)
		if err != nil {
			return err
		}
		defer closeStore()
		u, err := namedUser(ctx, store.Users, c.Operands[0])
		if err != nil {
			return err
		}
		return do(ctx, subject{u, store, out})
	}
}

func openUsers(ctx context.Context, c *config.Config, out output) (*cosmos.Store, func(), error) {
	logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return c.Open(ctx, cosmos.Options{Existing: true}, logger)
}

// namedUser finds who has that name. Who had it once is somebody whom it might not be about.
func namedUser(ctx context.Context, users *cosmos.Users, name string) (domain.User, error) {
	name = strings.TrimPrefix(name, "@") // as the site writes it
	u, err := users.AccountByName(ctx, name)
	switch {
	case domain.Is(err, domain.NotFound):
		return u, fmt.Errorf("there is no user %q", name)
	case err != nil:
		return u, err
	case names.NameKey(u.Username) != names.NameKey(name):
		return u, fmt.Errorf("%q is a former name of %s: give the name of today", name, u.Username)
	}
	return u, nil
}

// plainly is what an error says to people.
func plainly(err error) string {
	e, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return err.Error()
	}
	for _, message := range e.Fields {
		return message
	}
	return cmp.Or(e.Message, e.Error())
}

// record notes in the audit log what was done, and nothing undoes.
func (s subject) record(ctx context.Context, action domain.AuditAction, detail, reason string) error {
	e := domain.NewAuditEntry(domain.User{}, action, time.Now()).About(s.User)
	e.Detail, e.Reason = detail, reason
	if err := s.store.Audit.Record(context.WithoutCancel(ctx), e); err != nil {
		return fmt.Errorf("it is done, but not in the audit log: %w", err)
	}
	return nil
}

// deleteSessions deletes the sessions of a user after a change that has already ended them. Running
// servers notice within seconds.
func (s subject) deleteSessions(ctx context.Context) error {
	if err := s.store.Sessions.DeleteOthers(ctx, s.ID, ""); err != nil {
		return fmt.Errorf(
			"the change is made and %s is logged out everywhere, but the ended sessions could not be deleted; they will expire: %w",
			s.Username,
			err,
		)
	}
	return nil
}

func (s subject) say(format string, args ...any) { fmt.Fprintf(s.out.stdout, format+"\n", args...) }
