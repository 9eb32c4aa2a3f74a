package stories

import (
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

// Pages that are kept, too, stop inviting strangers once nobody can sign up.
func TestPagesStopInvitingWhenRegistrationIsClosed(t *testing.T) {
	base := harness.ServeBlog(t)
	admin, stranger := harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	admin.SignUp("ada") // the first administers the site
	invites := func() bool { return stranger.Get("/").Find(`header a[href^="/signup"]`).Length() > 0 }
	for range 2 { // made, then kept
		if !invites() {
			t.Fatal("nobody is invited while everybody may come")
		}
	}
	version := admin.Get("/admin/settings").Find(`input[name=version]`).AttrOr("value", "")
	admin.Post("/admin/settings", "registration", "closed", "role", "author", "days", "3", "invited", "trusted", "version", version)
	harness.Eventually(t, "nobody is invited any more", func() bool { return !invites() })
}
