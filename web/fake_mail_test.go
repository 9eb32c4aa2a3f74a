package web_test

import (
	"context"
	"sync"

	"inkfeed/domain"
)

// fakePost is a mailer that keeps what it is to send. Later is done at once, unless a test
// takes it up itself.
type fakePost struct {
	mu    sync.Mutex
	away  bool // mail is not set up
	mails []sentMail
	hold  bool
	later []func(context.Context)
}

type sentMail struct{ to, subject, text string }

func (p *fakePost) Sends() bool { return !p.away }

func (p *fakePost) Send(to, subject, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mails = append(p.mails, sentMail{to, subject, text})
}

func (p *fakePost) Later(do func(context.Context)) {
	if p.hold {
		p.later = append(p.later, do)
		return
	}
	do(context.Background())
}

func (f fakeUsers) VerifyEmail(_ context.Context, read domain.Credentials, email string) (string, error) {
	leave, err := f.enter("VerifyEmail")
	defer leave()
	id := read.UserID
	if err == nil && f.credentials[id].Version != read.Version {
		err = domain.Errorf(domain.Conflict, "The credentials have changed.")
	}
	if err != nil {
		return "", err
	}
	for other, c := range f.credentials {
		if other != id && c.EmailVerified && domain.EmailKey(c.Email) == domain.EmailKey(email) {
			return "", domain.ErrEmailTaken
		}
	}
	c, former := f.credentials[id], ""
	if c.EmailVerified && c.Email != email {
		former = c.Email
	}
	c.Email, c.EmailVerified, c.PendingEmail, c.Version = email, true, "", c.Version+1
	f.credentials[id] = c
	return former, nil
}

func (f fakeUsers) RemoveEmail(_ context.Context, read domain.Credentials) (string, error) {
	leave, err := f.enter("RemoveEmail")
	defer leave()
	id := read.UserID
	if err == nil && f.credentials[id].Version != read.Version {
		err = domain.Errorf(domain.Conflict, "The credentials have changed.")
	}
	if err != nil {
		return "", err
	}
	c := f.credentials[id]
	former := c.Email
	c.Email, c.EmailVerified, c.PendingEmail, c.Version = "", false, "", c.Version+1
	f.credentials[id] = c
	return former, nil
}

func (f fakeUsers) AccountByEmail(_ context.Context, email string) (domain.User, error) {
	leave, err := f.enter("AccountByEmail")
	defer leave()
	for id, c := range f.credentials {
		if u, there := f.users[id]; there && c.EmailVerified && domain.EmailKey(c.Email) == domain.EmailKey(email) {
			return u, err
		}
	}
	if err == nil {
		err = errMissing
	}
	return domain.User{}, err
}
