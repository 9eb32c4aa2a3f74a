package account

import (
	"context"

	"inkfeed/domain"
)

// admission decides who may make an account.
type admission struct {
	settings    Settings
	invitations Invitations
}

// admit carries a sign-up out for whom the settings of the site admit, and takes one use
// of an invitation where one is needed: in the end none for an account that was not made.
func (a admission) admit(ctx context.Context, code string, u domain.User,
	signUp func(domain.User) (domain.User, error)) (domain.User, error) {
	settings, err := a.settings.Get(ctx)
	if err != nil {
		return domain.User{}, err
	}
	u.Role = settings.NewRole
	switch settings.Registration {
	case domain.RegistrationClosed:
		return domain.User{}, domain.Errorf(domain.Forbidden, "Sign-up is closed at the moment.")
	case domain.RegistrationOpen:
		return signUp(u)
	}
	if err := a.invitations.Use(ctx, code, u.ID); err != nil {
		return domain.User{}, err
	}
	u.Trusted = !settings.DoubtInvited
	made, err := signUp(u)
	// Neither's failure is anybody's error: whoever next needs a use makes up for it.
	if ctx := context.WithoutCancel(ctx); err != nil {
		_ = a.invitations.GiveBack(ctx, code, u.ID)
	} else {
		_ = a.invitations.Settle(ctx, code, u.ID)
	}
	return made, err
}

// check tells early, before what costs time, of whom admit would not admit.
func (a admission) check(ctx context.Context, code string) error {
	settings, err := a.settings.Get(ctx)
	switch {
	case err != nil:
		return err
	case settings.Registration == domain.RegistrationClosed:
		return domain.Errorf(domain.Forbidden, "Sign-up is closed at the moment.")
	case settings.Registration == domain.RegistrationByCode:
		return a.invitations.Check(ctx, code)
	}
	return nil
}
