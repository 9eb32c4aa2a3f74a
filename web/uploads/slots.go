package uploads

import (
	"context"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/web/site"
)

// MaxUploads is how many uploads are in memory at a time, each of at most domain.MaxUpload bytes.
// Other uploads wait.
const MaxUploads = 16

// userUploads are the slots of one user.
type userUploads struct {
	slots    site.Slots
	requests int // requests that have a slot or wait for one
}

// maxWait is how long an upload waits for a slot. It leaves time to read the rest of the form.
const maxWait = time.Minute

// maxUserUploads is how many slots one user can have, so that one user's slow uploads leave slots
// for others.
const maxUserUploads = MaxUploads / 4

// acquire waits for one of the user's slots, and then for one of the slots of all users. The caller
// must call end when the upload is done.
func (u *Uploads) acquire(ctx context.Context, userID string) (end func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	own, leave := u.userSlots(userID)
	releaseOwn, err := own.Acquire(ctx)
	if err != nil {
		leave()
		return nil, errManyUploads(err)
	}
	release, err := u.slots.Acquire(ctx)
	if err != nil {
		releaseOwn()
		leave()
		return nil, errManyUploads(err)
	}
	return func() { release(); releaseOwn(); leave() }, nil
}

// userSlots returns the slots of a user. They are deleted when the user's last request has left.
func (u *Uploads) userSlots(userID string) (own site.Slots, leave func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	of := u.users[userID]
	if of == nil {
		of = &userUploads{slots: make(site.Slots, maxUserUploads)}
		u.users[userID] = of
	}
	of.requests++
	return of.slots, func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		if of.requests--; of.requests == 0 {
			delete(u.users, userID)
		}
	}
}

// errManyUploads reports that no slot was free in time; err is the cause.
func errManyUploads(err error) error {
	return &domain.Error{Kind: domain.Unavailable, Err: err,
		Message: locale.M("Too many pictures are being processed right now. Please try again in a moment.")}
}
