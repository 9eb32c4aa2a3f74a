package web_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"inkfeed/domain"
)

type fakeSessions struct{ *fake }

func (f fakeSessions) Create(_ context.Context, s domain.Session) error {
	leave, err := f.enter("Sessions.Create")
	defer leave()
	if err == nil {
		f.sessions[s.ID] = s
	}
	return err
}

func (f fakeSessions) Get(_ context.Context, userID, id string) (domain.Session, error) {
	leave, err := f.enter("Sessions.Get")
	defer leave()
	if err != nil {
		return domain.Session{}, err
	}
	s, there := f.sessions[id]
	if !there || s.UserID != userID || time.Since(s.LastUsed) >= domain.SessionTime {
		return domain.Session{}, errMissing
	}
	return s, nil
}

func (f fakeSessions) Touch(_ context.Context, userID, id string, at time.Time) error {
	return f.note("Sessions.Touch", userID, id, func(s *domain.Session) { s.LastUsed = at })
}

func (f fakeSessions) Confirm(_ context.Context, userID, id string, at time.Time) error {
	return f.note("Sessions.Confirm", userID, id, func(s *domain.Session) { s.Confirmed = at })
}

func (f fakeSessions) SetVersion(_ context.Context, userID, id string, version int) error {
	return f.note("Sessions.SetVersion", userID, id, func(s *domain.Session) { s.SessionVersion = version })
}

func (f fakeSessions) note(method, userID, id string, change func(*domain.Session)) error {
	leave, err := f.enter(method)
	defer leave()
	if err != nil {
		return err
	}
	s, there := f.sessions[id]
	if !there || s.UserID != userID {
		return errMissing
	}
	change(&s)
	f.sessions[id] = s
	return nil
}

func (f fakeSessions) List(_ context.Context, userID string) ([]domain.Session, error) {
	leave, err := f.enter("Sessions.List")
	defer leave()
	if err != nil {
		return nil, err
	}
	of := slices.DeleteFunc(slices.Collect(maps.Values(f.sessions)), func(s domain.Session) bool { return s.UserID != userID })
	slices.SortFunc(of, func(a, b domain.Session) int {
		return cmp.Or(b.LastUsed.Compare(a.LastUsed), cmp.Compare(a.ID, b.ID))
	})
	return of, nil
}

func (f fakeSessions) Delete(_ context.Context, userID, id string) error {
	leave, err := f.enter("Sessions.Delete")
	defer leave()
	if err == nil && f.sessions[id].UserID == userID {
		delete(f.sessions, id)
	}
	return err
}

func (f fakeSessions) DeleteOthers(_ context.Context, userID, keep string) error {
	leave, err := f.enter("Sessions.DeleteOthers")
	defer leave()
	if err == nil {
		maps.DeleteFunc(f.sessions, func(id string, s domain.Session) bool { return s.UserID == userID && id != keep })
	}
	return err
}
