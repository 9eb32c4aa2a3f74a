package writing

import (
	"bytes"
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"

	"inkfeed/domain"
)

// postIDs issues the ids of new posts. The second half of an id signs its first half for one user. So no user can
// publish under an id that another user's form or draft has. It signs with the first key and accepts all keys, so keys
// can be rotated.
type postIDs struct{ keys [][]byte }

// seedLength is the number of characters in the first half of an id, and in the signature. Each has 65 bits.
const seedLength = 13

func newPostIDs(secrets [][]byte) (ids postIDs, err error) {
	ids.keys = make([][]byte, len(secrets))
	for i, secret := range secrets {
		if ids.keys[i], err = hkdf.Key(sha256.New, secret, nil, "inkfeed id of a post: HMAC-SHA256", 32); err != nil {
			return postIDs{}, fmt.Errorf("derive the key for the ids of posts: %w", err)
		}
	}
	return ids, nil
}

func signedID(key []byte, userID, seed string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(userID + " " + seed[:seedLength]))
	return seed[:seedLength] + domain.NewIDFrom(bytes.NewReader(mac.Sum(nil)))[:seedLength]
}

// issued reports whether an id was issued to a user.
func (p postIDs) issued(userID, id string) bool {
	for _, key := range p.keys {
		if domain.IsID(id) && hmac.Equal([]byte(signedID(key, userID, id)), []byte(id)) {
			return true
		}
	}
	return false
}

// issue returns id if it was issued to the user. Otherwise it issues one: for the same id always the same, and a new
// one if id does not have the form of ids.
func (p postIDs) issue(userID, id string) string {
	if p.issued(userID, id) {
		return id
	}
	return signedID(p.keys[0], userID, domain.AttemptID(id, userID))
}

// acceptedID returns the id under which the text of a form is stored. It differs from the id in the form if that was
// not issued to the author, and the author has no draft or post with it. Forms of earlier releases have such ids.
// Repeated forms get the same id. The ids of static pages need no check, because only administrators write them.
func (h editor) acceptedID(ctx context.Context, d domain.Draft) (string, error) {
	if domain.IsPageID(d.PostID) || d.Revision > 0 || h.ids.issued(d.AuthorID, d.PostID) {
		return d.PostID, nil
	}
	_, err := h.store.Drafts.Get(ctx, d.AuthorID, d.PostID)
	if domain.Is(err, domain.NotFound) {
		_, err = h.store.Posts.Own(ctx, d.PostID, d.AuthorID)
	}
	if domain.Is(err, domain.NotFound) {
		return h.ids.issue(d.AuthorID, d.PostID), nil
	}
	return d.PostID, err
}
