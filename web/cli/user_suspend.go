package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"inkfeed/domain"
	"inkfeed/web/cli/config"
)

func setupUserSuspend(c *config.Config) func(context.Context, output) error {
	var reason string
	c.Bind(config.Flag("reason", "", func(text string) (err error) {
		if reason, err = domain.CleanReason(text); err != nil {
			return errors.New(plainly(err))
		}
		return nil
	}, "`reason` of the suspension, which the user and the moderators can read"))
	return aboutUser(c, func(ctx context.Context, s subject) error {
		if _, err := s.store.Accounts.Suspend(ctx, s.ID, reason, time.Now()); domain.Is(err, domain.Conflict) {
			return fmt.Errorf("%s cannot be suspended: %s", s.Username, plainly(err))
		} else if err != nil {
			return err
		}
		// The ended sessions stay, so that each open browser can say why, once.
		err := s.record(ctx, domain.AuditSuspend, "", reason)
		s.say("%s is suspended. The pages are hidden; a running server removes the posts from lists.", s.Username)
		return err
	})
}

func setupUserRestore(c *config.Config) func(context.Context, output) error {
	return aboutUser(c, func(ctx context.Context, s subject) error {
		if s.Suspended.IsZero() {
			s.say("%s is not suspended.", s.Username)
			return nil
		}
		if _, err := s.store.Accounts.Restore(ctx, s.ID); err != nil {
			return err
		}
		err := s.record(ctx, domain.AuditRestore, "", "")
		s.say("%s is no longer suspended. A running server makes the posts and comments visible again.", s.Username)
		return err
	})
}

func setupUserPromote(c *config.Config) func(context.Context, output) error {
	var role domain.Role
	c.Bind(config.Flag("role", domain.RoleAdministrator.String(), func(text string) (err error) {
		if role, err = domain.ParseRole(text); err != nil {
			return fmt.Errorf("%q is not reader, author, moderator or administrator", text)
		}
		return nil
	}, "new `role`: reader, author, moderator or administrator"))
	return aboutUser(c, func(ctx context.Context, s subject) error {
		now, err := s.store.Accounts.SetRole(ctx, s.ID, role)
		if domain.Is(err, domain.Conflict) {
			return fmt.Errorf("%s cannot be %s: %s", s.Username, role, plainly(err))
		}
		if err != nil {
			return err
		}
		if s.Role != role {
			err = s.record(ctx, domain.AuditRole, s.Role.String()+" → "+role.String(), "")
			s.say("%s is %s now.", s.Username, role)
		} else {
			s.say("%s was %s already.", s.Username, role)
		}
		if !now.Suspended.IsZero() {
			s.say("The account is still suspended: see user restore.")
		}
		return err
	})
}
