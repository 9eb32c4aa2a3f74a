package jobs

import (
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
)

func TestUsersWhoseUploadsTookLongComeLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s spent
		first := func(want string) {
			t.Helper()
			entries := []domain.ImportEntry{{UserID: "slow"}, {UserID: "slower"}, {UserID: "new"}}
			if s.sort(entries); entries[0].UserID != want {
				t.Errorf("the first is %v, want %s", entries, want)
			}
		}
		first("slow") // the order stays while no user has used any time
		s.add("slow", time.Now().Add(-time.Minute))
		s.add("slower", time.Now().Add(-2*time.Minute))
		first("new")
		s.add("new", time.Now().Add(-3*time.Minute))
		first("slow")
		time.Sleep(time.Hour + time.Second)
		s.add("slow", time.Now().Add(-time.Second))
		first("slower")
	})
}
