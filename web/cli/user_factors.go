package cli

import (
	"context"
	"errors"

	"inkfeed/domain"
	"inkfeed/web/cli/config"
)

func setupUserFactors(c *config.Config) func(context.Context, output) error {
	return aboutUser(c, func(ctx context.Context, s subject) error {
		before, err := s.store.Credentials.Get(ctx, s.ID)
		if err != nil {
			return err
		}
		after, err := s.store.Credentials.ClearFactors(ctx, s.ID)
		if err != nil {
			return err
		}
		if after.Version != before.Version {
			err = errors.Join(s.record(ctx, domain.AuditFactors, "", ""), s.deleteSessions(ctx))
			s.say("The second factors of %s are gone, and %s is logged out everywhere.", s.Username, s.Username)
		} else {
			s.say("%s has no second factor.", s.Username)
		}
		if after.PasswordHash == "" {
			s.say("The account has no password, so its passkeys stay: they are the only way to log in. " +
				"If they are lost too, set a password with user password first.")
		}
		return err
	})
}
