// Package accounts is the part of the storage contract about users: their names, credentials, sessions
// and deletions, and the administration of the site.
package accounts

import (
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
)

// suite holds the tests of this package as methods.
type suite struct{ *fixture.Suite }

// Run runs the tests of this part. They share the storage, but no data.
func Run(t *testing.T, shared *fixture.Suite) {
	s := &suite{shared}
	t.Run("C1 create and rename a user", s.users)
	t.Run("usernames", s.names)
	t.Run("credentials", s.credentials)
	t.Run("one-time secrets", s.secrets)
	t.Run("sessions", s.sessions)
	t.Run("e-mail addresses", s.emails)
	t.Run("scheduling the deletion of an account", s.scheduledDeletions)
	t.Run("accounts and roles", s.accounts)
	t.Run("invitations", s.invitations)
	t.Run("the settings of the site", s.siteSettings)
	t.Run("the pictures of the site", s.sitePictures)
	t.Run("the static pages", s.staticPages)
	t.Run("the audit log", s.auditLog)
	t.Run("profiles", s.profiles)
	t.Run("headers and pinned posts", s.blogs)
}
