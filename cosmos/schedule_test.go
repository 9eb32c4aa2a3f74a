package cosmos

import (
	"fmt"
	"testing"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

func TestUnreadableEntriesHideNoOthers(t *testing.T) {
	s := newStore(t, direct).ScheduledPosts
	at := domain.Timestamp(time.Now())
	for i := range 150 {
		for n, broken := range []map[string]any{
			{"userId": 7, "publishDate": "2020-01-01T00:00:00.000Z"},
			{"userId": "u", "postId": "p", "publishDate": "2020-01-01"},
			{"userId": "u", "postId": "p", "publishDate": "2020-01-01T00:00:00.000Z"}, // its id does not match
			{"userId": "u", "postId": "p"},
		} {
			broken["id"], broken["type"] = fmt.Sprint(n, ".", i), schema.TypeScheduledPost
			if err := s.c.Create(t.Context(), schema.TypeScheduledPost, broken); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := domain.ScheduledItem{UserID: domain.NewUserID(nil), PostID: domain.NewID(), At: at}
	if err := s.Put(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	later := want
	later.PostID, later.At = domain.NewID(), at.Add(time.Millisecond)
	if err := s.Put(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	var got []domain.ScheduledItem
	for e, err := range s.Upcoming(t.Context(), at.Add(time.Millisecond)) {
		if err != nil {
			t.Fatal(err)
		}
		e.ETag = ""
		got = append(got, e)
	}
	if len(got) != 1 || got[0] != want {
		t.Errorf("listed %+v, want only %+v", got, want)
	}
}
