package web_test

import (
	"context"
	"slices"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/names"
)

func (f fakeUsers) SignUp(ctx context.Context, u domain.User, credentials domain.Credentials) (domain.User, error) {
	if f.vacant {
		u.Role, f.vacant = domain.RoleAdministrator, false
	}
	return u, f.CreateWith(ctx, u, credentials)
}

func (f fakeUsers) AccountByName(_ context.Context, name string) (domain.User, error) {
	leave, err := f.enter("ByName")
	defer leave()
	if err != nil {
		return domain.User{}, err
	}
	u, ok := f.users[f.names[names.NameKey(name)]]
	if !ok {
		return domain.User{}, errMissing
	}
	return u, nil
}

// change changes an account, unless the last administrator would go.
func (f fakeUsers) change(method, id string, change func(*domain.User) error) (domain.User, error) {
	leave, err := f.enter(method)
	defer leave()
	if err != nil {
		return domain.User{}, err
	}
	u, ok := f.users[id]
	if !ok {
		return domain.User{}, errMissing
	}
	before := u
	if err := change(&u); err != nil {
		return domain.User{}, err
	}
	if administers(before) && !administers(u) {
		others := 0
		for _, other := range f.users {
			if other.ID != id && administers(other) {
				others++
			}
		}
		if others == 0 {
			return domain.User{}, domain.Errorf(domain.Conflict, "This site has no other administrator.")
		}
	}
	f.users[id] = u
	return u, nil
}

func administers(u domain.User) bool {
	return u.Role.MayAdminister() && u.Suspended.IsZero()
}

func (f fakeUsers) ScheduleDeletion(_ context.Context, id string, at time.Time) (domain.User, error) {
	leave, err := f.enter("ScheduleDeletion")
	defer leave()
	u, ok := f.users[id]
	switch {
	case err != nil:
		return domain.User{}, err
	case !ok:
		return domain.User{}, errMissing
	case u.ScheduledDeletion.IsZero():
		u.ScheduledDeletion, u.DeletionProblem = at, ""
		f.users[id] = u
	}
	return u, nil
}

func (f fakeUsers) CancelDeletion(_ context.Context, id string) error {
	leave, err := f.enter("CancelDeletion")
	defer leave()
	u, ok := f.users[id]
	switch {
	case err != nil:
		return err
	case !ok:
		return errMissing
	}
	u.ScheduledDeletion, u.DeletionProblem = time.Time{}, ""
	f.users[id] = u
	return nil
}

func (f fakeUsers) SetRole(_ context.Context, id string, role domain.Role) (domain.User, error) {
	return f.change("SetRole", id, func(u *domain.User) error { u.Role = role; return nil })
}

func (f fakeUsers) Suspend(_ context.Context, id, reason string, at time.Time) (domain.User, error) {
	return f.change("Suspend", id, func(u *domain.User) error {
		if !u.Suspended.IsZero() {
			return domain.Errorf(domain.Conflict, "This account is already suspended.")
		}
		u.Suspended, u.SuspendedFor = at, reason
		return nil
	})
}

func (f fakeUsers) Restore(_ context.Context, id string) (domain.User, error) {
	return f.change("Restore", id, func(u *domain.User) error {
		u.Suspended, u.SuspendedFor = time.Time{}, ""
		u.SessionVersion++
		return nil
	})
}

func (f fakeUsers) EndSessions(_ context.Context, id string) error {
	_, err := f.change("EndSessions", id, func(u *domain.User) error { u.SessionVersion++; return nil })
	return err
}

func (f fakeUsers) Staff(context.Context) ([]domain.User, error) {
	leave, err := f.enter("Staff")
	defer leave()
	var staff []domain.User
	for _, u := range f.users {
		if u.Role.MayModerate() {
			staff = append(staff, u)
		}
	}
	return staff, err
}

func (f fakeUsers) CountPosts(_ context.Context, id string) (posts, drafts int, err error) {
	leave, err := f.enter("CountPosts")
	defer leave()
	for _, p := range f.posts {
		if p.AuthorID == id {
			posts++
		}
	}
	for _, d := range f.drafts {
		if d.AuthorID == id {
			drafts++
		}
	}
	return posts, drafts, err
}

// fakeGovernment is what administrators decide, and the log of it.
type fakeGovernment struct {
	settings    domain.Settings
	invitations []domain.Invitation
	uses        map[string]bool
}

type (
	fakeSettings    struct{ *fake }
	fakeInvitations struct{ *fake }
)

func (f fakeSettings) Get(context.Context) (domain.Settings, error) {
	leave, err := f.enter("Settings.Get")
	defer leave()
	return f.government.settings, err
}

func (f fakeSettings) Set(_ context.Context, s domain.Settings) (domain.Settings, error) {
	leave, err := f.enter("Settings.Set")
	defer leave()
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		return domain.Settings{}, err
	}
	if s.Version != f.government.settings.Version {
		return domain.Settings{}, domain.Errorf(domain.Conflict, "Another administrator changed the settings.")
	}
	s.Version++
	f.government.settings = s
	return s, nil
}

func (f fakeInvitations) find(code string) *domain.Invitation {
	i := slices.IndexFunc(f.government.invitations, func(i domain.Invitation) bool { return i.Code == code })
	if i < 0 || !f.government.invitations[i].Open(time.Now()) {
		return nil
	}
	return &f.government.invitations[i]
}

func (f fakeInvitations) Check(_ context.Context, code string) error {
	leave, err := f.enter("Invitations.Check")
	defer leave()
	if err == nil && f.find(code) == nil {
		err = domain.ErrInvitation()
	}
	return err
}

func (f fakeInvitations) Use(_ context.Context, code, userID string) error {
	leave, err := f.enter("Invitations.Use")
	defer leave()
	if err != nil {
		return err
	}
	i := f.find(code)
	if i == nil {
		return domain.ErrInvitation()
	}
	i.Uses++
	if f.government.uses == nil {
		f.government.uses = map[string]bool{}
	}
	f.government.uses[code+userID] = true
	return nil
}

func (f fakeInvitations) Settle(_ context.Context, code, userID string) error {
	leave, err := f.enter("Invitations.Settle")
	defer leave()
	if err == nil {
		delete(f.government.uses, code+userID)
	}
	return err
}

func (f fakeInvitations) GiveBack(_ context.Context, code, userID string) error {
	leave, err := f.enter("Invitations.GiveBack")
	defer leave()
	if _, made := f.users[userID]; err != nil || made || !f.government.uses[code+userID] {
		return err
	}
	delete(f.government.uses, code+userID)
	for i := range f.government.invitations {
		if f.government.invitations[i].Code == code {
			f.government.invitations[i].Uses--
		}
	}
	return nil
}

func (f fakeInvitations) Create(_ context.Context, i domain.Invitation) error {
	leave, err := f.enter("Invitations.Create")
	defer leave()
	if err == nil {
		f.government.invitations = append([]domain.Invitation{i}, f.government.invitations...)
	}
	return err
}

func (f fakeInvitations) List(context.Context) ([]domain.Invitation, error) {
	leave, err := f.enter("Invitations.List")
	defer leave()
	return slices.Clone(f.government.invitations), err
}

func (f fakeInvitations) Revoke(_ context.Context, code string) error {
	leave, err := f.enter("Invitations.Revoke")
	defer leave()
	if err == nil {
		f.government.invitations = slices.DeleteFunc(f.government.invitations, func(i domain.Invitation) bool { return i.Code == code })
	}
	return err
}

func (f fakeAudit) List(_ context.Context, month time.Time, page int) (domain.Page[domain.AuditEntry], error) {
	leave, err := f.enter("Audit.List")
	defer leave()
	var entries []domain.AuditEntry
	for _, e := range slices.Backward(f.log) {
		if e.At.Format("2006-01") == month.Format("2006-01") {
			entries = append(entries, e)
		}
	}
	return cut(entries, page, domain.AuditPerPage), err
}
