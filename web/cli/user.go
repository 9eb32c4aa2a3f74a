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

// subject is the account that a command changes, with its storage and output. These commands do what administrators
// can do on the site. They also appoint the first administrator, and restore access for a user who has lost every way
// to log in.
type subject struct {
	domain.User
	store *cosmos.Store
	out   output
}

// aboutUser sets up a command on one account, suspended or not, which its argument names. The database must exist.
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

// namedUser returns the account with a username. It rejects former usernames, because the operator may mean another
// account.
func namedUser(ctx context.Context, users *cosmos.Users, name string) (domain.User, error) {
	name = strings.TrimPrefix(name, "@") // the site shows names with @
	u, err := users.AccountByName(ctx, name)
	switch {
	case domain.Is(err, domain.NotFound):
		return u, fmt.Errorf("there is no user %q", name)
	case err != nil:
		return u, err
	case names.NameKey(u.Username) != names.NameKey(name):
		return u, fmt.Errorf("%q is a former name of %s: use the current name", name, u.Username)
	}
	return u, nil
}

// plainly returns the message of an error for people, without its cause.
func plainly(err error) string {
	e, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return err.Error()
	}
	for _, message := range e.Fields {
		return message.String()
	}
	return cmp.Or(e.Message.String(), e.Error())
}

// record adds an action that has been carried out to the audit log.
func (s subject) record(ctx context.Context, action domain.AuditAction, detail, reason string) error {
	e := domain.NewAuditEntry(domain.User{}, action, time.Now()).About(s.User)
	e.Detail, e.Reason = detail, reason
	if err := s.store.Audit.Record(context.WithoutCancel(ctx), e); err != nil {
		return fmt.Errorf("the change is made, but could not be recorded in the audit log: %w", err)
	}
	return nil
}

// deleteSessions deletes the sessions of a user after a change that has already ended them. Running
// servers notice within seconds.
func (s subject) deleteSessions(ctx context.Context) error {
	if err := s.store.Sessions.DeleteOthers(ctx, s.ID, ""); err != nil {
		return fmt.Errorf(
			"the change is made and %s is logged out everywhere, but the ended sessions could not be deleted; "+
				"they will expire: %w",
			s.Username,
			err,
		)
	}
	return nil
}

func (s subject) say(format string, args ...any) { fmt.Fprintf(s.out.stdout, format+"\n", args...) }
