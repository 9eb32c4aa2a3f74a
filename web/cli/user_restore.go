package cli

import (
	"context"

	"inkfeed/domain"
	"inkfeed/web/cli/config"
)

func setupUserRestore(c *config.Config) func(context.Context, output) error {
	return aboutUser(c, func(ctx context.Context, s subject) error {
		if s.Suspended.IsZero() {
			s.say("%s is not suspended.", s.Username)
			return nil
		}
		if _, err := s.store.Users.Restore(ctx, s.ID); err != nil {
			return err
		}
		err := s.record(ctx, domain.AuditRestore, "", "")
		s.say("%s is no longer suspended. A running server makes the posts and comments visible again.", s.Username)
		return err
	})
}
