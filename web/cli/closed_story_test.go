package cli

import "testing"

// Pages that are kept, too, stop inviting strangers once nobody can sign up.
func TestPagesStopInvitingWhenRegistrationIsClosed(t *testing.T) {
	base := blog(t)
	admin, stranger := newVisitor(t, base), newVisitor(t, base)
	admin.signUp("ada") // the first administers the site
	invites := func() bool { return stranger.get("/").Find(`header a[href^="/signup"]`).Length() > 0 }
	for range 2 { // made, then kept
		if !invites() {
			t.Fatal("nobody is invited while everybody may come")
		}
	}
	version := admin.get("/admin/settings").Find(`input[name=version]`).AttrOr("value", "")
	admin.post("/admin/settings", "registration", "closed", "role", "author", "days", "3", "invited", "trusted", "version", version)
	eventually(t, "nobody is invited any more", func() bool { return !invites() })
}
