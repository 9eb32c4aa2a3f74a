package account

import (
	"context"

	"inkfeed/domain"
)

// admission decides who may sign up.
type admission struct {
	settings    Settings
	invitations Invitations
}

// admit calls signUp if the site's settings allow it. It uses the invitation with the given code, which may give a
// role, and returns the use if signUp fails. If the invitation cannot be used, admit fails on a site that requires
// one. Otherwise, it signs the user up without it.
func (a admission) admit(ctx context.Context, code string, u domain.User,
	signUp func(domain.User) (domain.User, error)) (domain.User, error) {
	settings, err := a.settings.Get(ctx)
	if err != nil {
		return domain.User{}, err
	}
	u.Role = settings.NewRole
	isOpen := settings.Registration == domain.RegistrationOpen
	if settings.Registration == domain.RegistrationClosed {
		return domain.User{}, domain.NewError(domain.Forbidden, "Sign-up is closed at the moment.")
	}
	if isOpen && code == "" {
		return signUp(u)
	}
	err = a.invitations.Use(ctx, code, u.ID)
	if isOpen && domain.Is(err, domain.Invalid) {
		return signUp(u)
	}
	if err != nil {
		return domain.User{}, err
	}
	u.Trusted = !settings.DoubtInvited
	invitation, err := a.invitations.UsedBy(ctx, code, u.ID)
	if role, ok := invitation.Role(); ok {
		u.Role = role
	}
	var made domain.User
	if err == nil {
		made, err = signUp(u)
	}
	// Both calls may fail without harm: the next use of the invitation repeats them.
	if ctx := context.WithoutCancel(ctx); err != nil {
		_ = a.invitations.GiveBack(ctx, code, u.ID)
	} else {
		_ = a.invitations.Settle(ctx, code, u.ID)
	}
	return made, err
}

// check fails early, before expensive work, if admit would fail.
func (a admission) check(ctx context.Context, code string) error {
	settings, err := a.settings.Get(ctx)
	switch {
	case err != nil:
		return err
	case settings.Registration == domain.RegistrationClosed:
		return domain.NewError(domain.Forbidden, "Sign-up is closed at the moment.")
	case settings.Registration == domain.RegistrationByCode:
		return a.invitations.Check(ctx, code)
	}
	return nil
}
