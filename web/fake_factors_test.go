package web_test

import (
	"context"
	"fmt"
	"time"

	"inkfeed/domain"
)

func (f fakeUsers) CreateWith(ctx context.Context, u domain.User, c domain.Credentials) error {
	if err := f.Create(ctx, u, c.PasswordHash); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	c.UserID = u.ID
	f.credentials[u.ID] = c
	return nil
}

// Credentials are kept without the password's hash, which is among hashes.
func (f fakeUsers) Credentials(_ context.Context, id string) (domain.Credentials, error) {
	leave, err := f.enter("Credentials")
	defer leave()
	if err != nil {
		return domain.Credentials{}, err
	}
	if _, there := f.users[id]; !there {
		return domain.Credentials{}, errMissing
	}
	c := f.credentials[id]
	c.UserID, c.PasswordHash = id, f.hashes[id]
	return c, nil
}

func (f fakeUsers) SetCredentials(_ context.Context, c domain.Credentials) (domain.Credentials, error) {
	leave, err := f.enter("SetCredentials")
	defer leave()
	if err != nil {
		return domain.Credentials{}, err
	}
	if _, there := f.users[c.UserID]; !there {
		return domain.Credentials{}, errMissing
	}
	if f.credentials[c.UserID].Version != c.Version {
		return domain.Credentials{}, domain.Errorf(domain.Conflict, "Changed meanwhile.")
	}
	before := f.credentials[c.UserID]
	before.PasswordHash = f.hashes[c.UserID]
	if before.EndsSessions(c) {
		u := f.users[c.UserID]
		u.SessionVersion++
		f.users[c.UserID] = u
	}
	c.Version++
	f.credentials[c.UserID], f.hashes[c.UserID] = c, c.PasswordHash
	return c, nil
}

// fakeSecrets counts the tries of each.
type fakeSecrets struct{ *fake }

func (f fakeSecrets) Put(_ context.Context, s domain.Secret) error {
	leave, err := f.enter("Secrets.Put")
	defer leave()
	if err == nil {
		f.secrets[s.Digest] = s
	}
	return err
}

func (f fakeSecrets) Get(_ context.Context, kind domain.SecretKind, digest string) (domain.Secret, error) {
	leave, err := f.enter("Secrets.Get")
	defer leave()
	if err != nil {
		return domain.Secret{}, err
	}
	return f.secret(kind, digest)
}

func (f fakeSecrets) secret(kind domain.SecretKind, digest string) (domain.Secret, error) {
	s, there := f.secrets[digest]
	if !there || s.Kind != kind || !time.Now().Before(s.Expires) {
		return domain.Secret{}, errMissing
	}
	return s, nil
}

func (f fakeSecrets) Try(_ context.Context, kind domain.SecretKind, digest string, most int) (domain.Secret, error) {
	leave, err := f.enter("Secrets.Try")
	defer leave()
	if err != nil {
		return domain.Secret{}, err
	}
	s, err := f.secret(kind, digest)
	if err == nil && f.tries[digest] >= most {
		err = errMissing
	}
	if err == nil {
		f.tries[digest]++
	}
	return s, err
}

func (f fakeSecrets) Take(_ context.Context, kind domain.SecretKind, digest string) (domain.Secret, error) {
	leave, err := f.enter("Secrets.Take")
	defer leave()
	if err != nil {
		return domain.Secret{}, err
	}
	s, err := f.secret(kind, digest)
	delete(f.secrets, digest)
	return s, err
}

// kept is all that the store has, as text.
func (f *fake) kept() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fmt.Sprint(f.users, f.hashes, f.credentials, f.names, f.posts, f.comments, f.likes, f.deleted, f.drafts, f.versions, f.images,
		f.redirects, f.bookmarks, f.saved, f.reported, f.reviews, f.log, f.government)
}
