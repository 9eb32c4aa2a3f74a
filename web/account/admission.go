package account

import (
	"context"

	"inkfeed/domain"
)

// settingsGetter reads what administrators decide about the whole site.
type settingsGetter interface {
	Get(ctx context.Context) (domain.Settings, error)
}

// admission decides who may make an account.
type admission struct {
	settings    settingsGetter
	invitations InvitationUser
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

// InvitationUser takes uses of invitations.
type InvitationUser interface {
	// Check and Use fail with Invalid about "invitation" when nobody can come by it.
	Check(ctx context.Context, code string) error
	Use(ctx context.Context, code, userID string) error
	// Settle notes that the account is there for which Use was.
	Settle(ctx context.Context, code, userID string) error
	// GiveBack undoes Use, unless there is an account of that id.
	GiveBack(ctx context.Context, code, userID string) error
}
