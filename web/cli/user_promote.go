package cli

import (
	"context"
	"fmt"

	"inkfeed/domain"
	"inkfeed/web/cli/config"
)

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
