package writing

import (
	"bytes"
	"testing"

	"inkfeed/domain"
)

func TestPostIDsAreSignedForOneUser(t *testing.T) {
	ada, ben := domain.NewUserID(nil), domain.NewUserID(nil)
	secret := func(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }
	before, err := newPostIDs([][]byte{secret(1)})
	if err != nil {
		t.Fatal(err)
	}
	rotated, _ := newPostIDs([][]byte{secret(2), secret(1)})
	after, _ := newPostIDs([][]byte{secret(2)})
	id := before.issue(ada, "")
	if !domain.IsID(id) || !before.issued(ada, id) || before.issue(ada, id) != id || !rotated.issued(ada, id) {
		t.Errorf("%s is not an id of its user, before or after a rotation of keys", id)
	}
	if before.issue(ada, "") == id || before.issued(ben, id) || after.issued(ada, id) {
		t.Errorf("%s was issued twice, or is accepted from another user or with another key", id)
	}
	for i := range id { // any other id in its place
		other := []byte(id)
		if other[i] = 'a'; id[i] == 'a' {
			other[i] = 'b'
		}
		if before.issued(ada, string(other)) {
			t.Errorf("%s is accepted, too", other)
		}
	}
	old := domain.NewID()
	if now := before.issue(ada, old); now == old || now != before.issue(ada, old) || now == before.issue(ben, old) {
		t.Errorf("the id %s becomes %s", old, now)
	}
}
