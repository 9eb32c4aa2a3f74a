package cli

import (
	"context"
	"errors"

	"inkfeed/domain"
	"inkfeed/web/cli/config"
)

func setupUserFactors(c *config.Config) func(context.Context, output) error {
	return aboutUser(c, func(ctx context.Context, s subject) error {
		before, err := s.store.Users.Credentials(ctx, s.ID)
		if err != nil {
			return err
		}
		after, err := s.store.Users.ClearFactors(ctx, s.ID)
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
			s.say("There is no password. So the passkeys stay: the only way in. Where they are lost too, set one with user password first.")
		}
		return err
	})
}
