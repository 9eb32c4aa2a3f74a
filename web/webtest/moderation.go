package webtest

import (
	"testing"
	"time"

	"inkfeed/domain"
)

// Hold holds a post, or a comment on it, directly in the store.
func (s *Site) Hold(postID, commentID string, hold domain.Hold) {
	s.T.Helper()
	if commentID == "" {
		s.ChangePost(postID, func(p *domain.Post) { p.Held = hold })
		return
	}
	_, err := s.Data.Store.Posts.HoldComment(s.Data.Context(), postID, commentID, hold)
	s.Data.Must(err)
}

// SetSuspended suspends or restores a user without ending sessions.
func (s *Site) SetSuspended(v *Visitor, suspended bool) {
	s.T.Helper()
	s.Data.ChangeUser(v.User.ID, func(item map[string]any) {
		item["nameVersion"] = item["nameVersion"].(float64) + 1 // so that the change is propagated
		if suspended {
			item["suspensionDate"] = v.User.Created.AddDate(1, 0, 0)
		} else {
			delete(item, "suspensionDate")
		}
	})
}

// SpamText is a text with a link, which is held for review if its author is new.
const SpamText = "Buy at https://spam.example/ now."

// NewScreeningSite returns a site on which links of new accounts are held for review.
func NewScreeningSite(t *testing.T) *Site {
	s := NewSite(t)
	s.SetSettings(domain.Settings{})
	return s
}

// Trust marks a user as trusted.
func (s *Site) Trust(v *Visitor) { s.Data.Store.Accounts.Trust(s.T.Context(), v.User.ID) }

// Suspend suspends a user directly in the store, without ending sessions.
func (s *Site) Suspend(v *Visitor) {
	s.T.Helper()
	if _, err := s.Data.Store.Accounts.Suspend(s.T.Context(), v.User.ID, "Sold <pills>.", time.Now()); err != nil {
		s.T.Fatal(err)
	}
}

// SignUpAs signs up a user with this role.
func (s *Site) SignUpAs(name string, role domain.Role) *Visitor {
	s.T.Helper()
	v := s.SignUp(name)
	s.SetRole(v, role)
	return v
}

// SetSettings changes the settings directly in the store.
func (s *Site) SetSettings(settings domain.Settings) {
	s.Data.SetSettings(settings)
}

// User reads the account with this username, also a suspended one. It returns the zero user if
// there is none.
func (s *Site) User(name string) domain.User {
	s.T.Helper()
	u, err := s.Data.Store.Users.AccountByName(s.Data.Context(), name)
	if err != nil && !domain.Is(err, domain.NotFound) {
		s.T.Fatal(err)
	}
	return u
}
