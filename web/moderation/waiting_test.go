package moderation_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// TestTheMenuCountsWhatWaitsForModerators runs with the page cache, which keeps the counts for a moment.
func TestTheMenuCountsWhatWaitsForModerators(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := webtest.NewCachedSite(t, "off")
		ada, bob, mod := s.SignUp("ada"), s.SignUp("bob"), s.SignUpAs("max", domain.RoleModerator)
		p := ada.CreatePost("A title", "Some text.")
		item := `nav li a[href="/moderation"]`
		const badge = ".count-badge"
		mod.Get(p.Path()).Has(item, "Moderation").HasNo(item + " " + badge)
		report := func(v *webtest.Visitor) {
			v.Post("/posts/"+p.ID+"/report", "reason", "spam").Want(303)
		}
		report(bob)
		hold := func(comment domain.Comment) domain.Target {
			target := domain.Target{PostID: p.ID, CommentID: comment.ID}
			err := s.Data.Store.Reviews.Put(t.Context(),
				domain.Review{Target: target, AuthorID: comment.AuthorID, At: time.Now()})
			if err != nil {
				t.Fatal(err)
			}
			return target
		}
		comments := ada.CreateComments(p, "one", "two")
		hold(comments[0])
		time.Sleep(3 * time.Second)
		t.Log("on every page, after writes of another server")
		for _, path := range []string{"/", p.Path(), "/settings", "/moderation", "/no-such-list?page=x"} {
			mod.Get(path).Has(item+" "+badge, "2 waiting").Has("nav summary "+badge, "2 (")
		}
		t.Log("at once after a decision on this server")
		mod.Post("/posts/"+p.ID+"/moderate", "do", "dismiss", "version", "1", "text", fmt.Sprint(p.Revision)).Want(303)
		mod.Get(p.Path()).Has(item+" "+badge, "1 waiting")
		mod.Get("/moderation").Has(".tabs", "In review (1)")
		t.Log("never for others")
		mine := s.Data.Calls("Reports.CountOpen") + s.Data.Calls("Reviews.Count")
		for _, v := range []*webtest.Visitor{ada, bob, s.Anonymous()} {
			v.Get(p.Path()).Want(200).HasNo(item).HasNo("nav " + badge)
			v.Get("/").Want(200).HasNo("nav " + badge)
		}
		if n := s.Data.Calls("Reports.CountOpen") + s.Data.Calls("Reviews.Count"); n != mine {
			t.Errorf("pages of others counted the queues %d times", n-mine)
		}
	})
}

func TestALongQueueIsCountedAsManyOrMore(t *testing.T) {
	s := webtest.NewSite(t)
	mod := s.SignUpAs("max", domain.RoleModerator)
	for range domain.MaxCountedWaiting {
		err := s.Data.Store.Reviews.Put(t.Context(), domain.Review{Target: domain.Target{PostID: domain.NewID()},
			AuthorID: mod.User.ID, At: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
	}
	mod.Get("/settings").Has(`nav a[href="/moderation"] .count-badge`, "99+ waiting")
}
