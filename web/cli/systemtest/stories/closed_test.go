package stories

import (
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

// TestClosedRegistrationRemovesSignUpLinks holds that cached pages, too, lose their link to the sign-up page when an
// administrator closes registration.
func TestClosedRegistrationRemovesSignUpLinks(t *testing.T) {
	t.Parallel()
	base := harness.ServeBlog(t)
	admin, stranger := harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	admin.SignUp("ada") // the first user is an administrator
	linksToSignUp := func() bool { return stranger.Get("/").Find(`header a[href^="/signup"]`).Length() > 0 }
	for range 2 { // the second page comes from the cache
		if !linksToSignUp() {
			t.Fatal("the front page has no link to sign up while registration is open")
		}
	}
	version := admin.Get("/admin/settings").Find(`input[name=version]`).AttrOr("value", "")
	admin.Post("/admin/settings", "registration", "closed", "role", "author", "days", "3", "invited", "trusted",
		"version", version)
	harness.Eventually(t, "the front page has no link to sign up", func() bool { return !linksToSignUp() })
}
