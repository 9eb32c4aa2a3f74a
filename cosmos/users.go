package cosmos

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// Users is the container of users, partitioned by /userId. A user's partition
// holds the user, the credentials and short forms of the user's posts. Each
// username is an item of a partition of its own, whose key is the name: unique
// by construction, found by a point read, and no hot partition.
type Users struct{ c *container }

// ReservationTime is how long a username stays reserved for a sign-up or rename
// that ended half-way. After it the name is free again.
const ReservationTime = 5 * time.Minute

type userItem struct {
	ID            string  `json:"id"`
	Type          string  `json:"type"`
	UserID        string  `json:"userId"`
	Username      string  `json:"username"`
	CreationDate  instant `json:"creationDate"`
	NameVersion   int     `json:"nameVersion"`
	SpreadVersion int     `json:"spreadVersion"`
	// Of a deleted user only: see Delete.
	DeletionDate *instant `json:"deletionDate,omitempty"`
	Erased       bool     `json:"erased,omitempty"`
}

func (i userItem) domain() domain.User {
	u := domain.User{ID: i.UserID, Username: i.Username, Created: time.Time(i.CreationDate),
		NameVersion: i.NameVersion, SpreadVersion: i.SpreadVersion}
	if i.DeletionDate != nil {
		u.Deleted, u.Erased = time.Time(*i.DeletionDate), i.Erased
	}
	return u
}

// credentialsItem is apart from the user so that reading one, and the change
// feed, never carries a secret.
type credentialsItem struct {
	ID           string `json:"id"`
	Type         string `json:"type"`
	UserID       string `json:"userId"`
	PasswordHash string `json:"passwordHash"`
}

const credentialsID = "credentials"

type usernameItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	UserID  string `json:"userId"` // the name itself: the partition
	OwnerID string `json:"ownerId"`
	// TTL in seconds: positive while only reserved, -1 once the user has the name.
	TTL  int    `json:"ttl"`
	ETag string `json:"_etag,omitempty"`
}

const forever = -1

// Create is C1. It reserves the name, writes the user with its credentials in
// one transaction and confirms the reservation. A crash in between leaves a
// reservation that expires or, once the user is written, is confirmed by the
// users projector. A taken name is an Invalid error about "username".
func (u *Users) Create(ctx context.Context, user domain.User, passwordHash string) error {
	ctx = operation(ctx, "C1")
	if err := u.reserve(ctx, user.ID, user.Username); err != nil {
		return translate(err)
	}
	batch := u.c.batch(user.ID)
	batch.CreateItem(encode(userItem{ID: user.ID, Type: typeUser, UserID: user.ID, Username: user.Username,
		CreationDate: instant(user.Created), NameVersion: user.NameVersion, SpreadVersion: user.SpreadVersion}), nil)
	batch.CreateItem(encode(credentialsItem{ID: credentialsID, Type: typeCredentials, UserID: user.ID,
		PasswordHash: passwordHash}), nil)
	// Ids are never used twice: a conflict is this call's own earlier attempt.
	if _, err := u.c.execute(ctx, batch, false); err != nil && statusOf(err) != http.StatusConflict {
		return translate(err)
	}
	u.tryConfirm(ctx, user.ID, user.Username)
	return nil
}

// reserve takes a name for a user, or finds that the user holds it already. A
// reservation left by an earlier attempt is given its full time again, so that
// it cannot expire before the user is written.
func (u *Users) reserve(ctx context.Context, userID, username string) error {
	name, seconds := domain.NameKey(username), int(ReservationTime.Seconds())
	err := u.c.create(ctx, name, usernameItem{ID: name, Type: typeUsername, UserID: name, OwnerID: userID, TTL: seconds})
	if statusOf(err) != http.StatusConflict {
		return err
	}
	item, err := read[usernameItem](ctx, u.c, name, name)
	switch {
	case err == nil && item.OwnerID != userID:
		return domain.ErrUsernameTaken(username)
	case err == nil && item.TTL == forever:
		return nil
	case err == nil:
		err = u.setTTL(ctx, name, userID, seconds)
	}
	if status := statusOf(err); status == http.StatusNotFound || status == http.StatusPreconditionFailed {
		return domain.Errorf(domain.Conflict, "The name has just become free. Please try again.")
	}
	return err
}

func (u *Users) confirm(ctx context.Context, userID, username string) error {
	return u.setTTL(ctx, domain.NameKey(username), userID, forever)
}

// setTTL has the condition that the name is the user's: it may have expired, or been
// freed, and be somebody else's since it was read.
func (u *Users) setTTL(ctx context.Context, name, ownerID string, seconds int) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.ownerId = '%s'", ownerID))
	ops.AppendSet("/ttl", seconds)
	return u.c.patch(ctx, name, name, ops)
}

// ByID is Q1: one point read. A deleted user is not found.
func (u *Users) ByID(ctx context.Context, userID string) (domain.User, error) {
	ctx = operation(ctx, "Q1")
	if !domain.IsUserID(userID) {
		return domain.User{}, errNoUser()
	}
	item, err := read[userItem](ctx, u.c, userID, userID)
	if err == nil && item.DeletionDate != nil {
		return domain.User{}, errNoUser()
	}
	return item.domain(), translate(err)
}

func errNoUser() error { return domain.Errorf(domain.NotFound, "There is no such user.") }

// ByName finds the user who has, or once had, that name: two point reads.
// Compare the result's Username to learn which.
func (u *Users) ByName(ctx context.Context, username string) (domain.User, error) {
	ctx = operation(ctx, "Q1")
	if domain.CheckUsername(username) != nil {
		return domain.User{}, errNoUser()
	}
	name := domain.NameKey(username)
	item, err := read[usernameItem](ctx, u.c, name, name)
	if err != nil {
		return domain.User{}, translate(err)
	}
	return u.ByID(ctx, item.OwnerID)
}

// PasswordHash reads a user's credentials.
func (u *Users) PasswordHash(ctx context.Context, userID string) (string, error) {
	item, err := read[credentialsItem](operation(ctx, "credentials"), u.c, userID, credentialsID)
	return item.PasswordHash, translate(err)
}

// Rename is C1 too: it reserves the new name, changes the user in one write and
// confirms. The users projector brings the name to everything the user wrote.
// The old name stays the user's, so that its address can redirect. A taken name
// is an Invalid error about "username".
func (u *Users) Rename(ctx context.Context, userID, username string) (domain.User, error) {
	ctx = operation(ctx, "C1")
	if err := domain.CheckUsername(username); err != nil {
		return domain.User{}, err
	}
	user, err := u.ByID(ctx, userID)
	if err != nil || user.Username == username {
		return user, err
	}
	if err := u.reserve(ctx, userID, username); err != nil {
		return domain.User{}, translate(err)
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.nameVersion = %d", ifLive, user.NameVersion))
	ops.AppendSet("/username", username)
	ops.AppendIncrement("/nameVersion", 1)
	item, err := patchReturning[userItem](ctx, u.c, userID, userID, ops)
	if statusOf(err) == http.StatusPreconditionFailed {
		// Another rename came first, unless it was this call's own earlier attempt, or
		// the account was deleted.
		if user, err = u.ByID(ctx, userID); err == nil && user.Username != username {
			return domain.User{}, domain.Errorf(domain.Conflict, "Your username was changed meanwhile.")
		}
		if err == nil {
			u.tryConfirm(ctx, userID, username)
		}
		return user, err
	}
	if err != nil {
		return domain.User{}, translate(err)
	}
	u.tryConfirm(ctx, userID, username)
	return item.domain(), nil
}

// tryConfirm confirms a name whose user is written. Its failure is nobody's
// error: the sign-up or rename is done, and the users projector, which sees the
// written user, confirms what this could not.
func (u *Users) tryConfirm(ctx context.Context, userID, username string) {
	_ = u.confirm(ctx, userID, username)
}

// ConfirmName makes sure that a user's name is reserved for good: it finishes
// what a sign-up or rename left undone. It reports false when the name belongs
// to somebody else, which only a lost worker and an expired reservation could
// bring about, and which verify reports.
func (u *Users) ConfirmName(ctx context.Context, user domain.User) (bool, error) {
	ctx = operation(ctx, "confirm-name")
	name := domain.NameKey(user.Username)
	item, err := read[usernameItem](ctx, u.c, name, name)
	switch {
	case statusOf(err) == http.StatusNotFound:
		err = u.c.create(ctx, name, usernameItem{ID: name, Type: typeUsername, UserID: name, OwnerID: user.ID,
			TTL: int(ReservationTime.Seconds())})
		if statusOf(err) == http.StatusConflict {
			return u.ConfirmName(ctx, user) // somebody else's by now, or this call's own earlier attempt
		}
		if err != nil {
			return false, translate(err)
		}
	case err != nil:
		return false, translate(err)
	case item.OwnerID != user.ID:
		return false, nil
	case item.TTL == forever:
		return true, nil
	}
	return u.confirmReserved(ctx, user, name)
}

// confirmReserved makes a reservation one for good, unless the account was deleted
// since user was read. Whoever deletes it looks for its names after marking it. So a
// user who is live while the reservation is there is not robbed of it, and of one who
// is not the name is taken away here; where that is not reached it expires.
func (u *Users) confirmReserved(ctx context.Context, user domain.User, name string) (bool, error) {
	if _, err := u.ByID(ctx, user.ID); domain.Is(err, domain.NotFound) {
		return true, translate(u.freeName(ctx, name, user.ID))
	} else if err != nil {
		return false, err
	}
	err := u.confirm(ctx, user.ID, user.Username)
	if statusOf(err) == http.StatusPreconditionFailed {
		return false, nil
	}
	return true, translate(err)
}

// MarkSpread records that every copy of the user's name is current up to that
// name version.
func (u *Users) MarkSpread(ctx context.Context, userID string, nameVersion int) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.spreadVersion < %d", nameVersion))
	ops.AppendSet("/spreadVersion", nameVersion)
	err := u.c.patch(operation(ctx, "spread-name"), userID, userID, ops)
	if statusOf(err) == http.StatusPreconditionFailed {
		return nil // already further
	}
	return translate(err)
}

// fewNames is up to how many users point reads, at 1 RU each, cost less than one
// query for all of them.
const fewNames = 5

// Authors looks up several users at once as the authors of what they wrote. Users
// that were never there are missing from the result, and so are deleted ones whose
// marker is gone.
func (u *Users) Authors(ctx context.Context, userIDs []string) (map[string]domain.Author, error) {
	ctx = operation(ctx, "current-names")
	authors := make(map[string]domain.Author, len(userIDs))
	for len(userIDs) > 0 {
		n := min(len(userIDs), maxBatch)
		if n <= fewNames {
			for _, id := range userIDs {
				item, err := read[userItem](ctx, u.c, id, id)
				if err == nil {
					authors[id] = item.author()
				} else if kindOf(err) != domain.NotFound {
					return nil, translate(err)
				}
			}
			return authors, nil
		}
		identities := make([]azcosmos.ItemIdentity, n)
		for i, id := range userIDs[:n] {
			identities[i] = azcosmos.ItemIdentity{ID: id, PartitionKey: key(id)}
		}
		userIDs = userIDs[n:]
		resp, err := returning(ctx, func() (azcosmos.ReadManyItemsResponse, error) {
			return u.c.client.ReadManyItems(ctx, identities, nil)
		})
		if err != nil {
			return nil, translate(err)
		}
		for _, body := range resp.Items {
			var item userItem
			if err := decode(body, &item); err != nil {
				return nil, translate(err)
			}
			authors[item.UserID] = item.author()
		}
	}
	return authors, nil
}

func (i userItem) author() domain.Author {
	return domain.Author{Name: i.Username, Deleted: i.DeletionDate != nil}
}

// PostsOf is Q3: one page of a user's posts in short form, newest first, from
// the user's own partition.
func (u *Users) PostsOf(ctx context.Context, userID string, page int) (domain.Page[domain.Summary], error) {
	rows, err := query[summaryItem](operation(ctx, "Q3"), u.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'post'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		pageOf(page, domain.PostsPerPage, parameters{"user": userID}))
	return domain.Cut(summaries(rows), page, domain.PostsPerPage), translate(err)
}

// pageOf adds the bounds of a page, with one row more than it shows.
func pageOf(page, size int, params parameters) parameters {
	params["offset"] = (page - 1) * size
	params["limit"] = size + 1
	return params
}
