// Package accounts is the part of the storage contract about users: their names, credentials, sessions
// and deletions, counters of their attempts, and the administration of the site.
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
	fixture.Run(t, "C1 create and rename a user", s.users)
	fixture.Run(t, "usernames", s.names)
	fixture.Run(t, "credentials", s.credentials)
	fixture.Run(t, "one-time secrets", s.secrets)
	fixture.Run(t, "counters of attempts", s.counters)
	fixture.Run(t, "sessions", s.sessions)
	fixture.Run(t, "e-mail addresses", s.emails)
	fixture.Run(t, "scheduling the deletion of an account", s.scheduledDeletions)
	fixture.Run(t, "deliveries that changes of accounts cause", s.outgoing)
	fixture.Run(t, "accounts and roles", s.accounts)
	fixture.Run(t, "invitations", s.invitations)
	fixture.Run(t, "the first settings of a new site", s.firstSettings)
	fixture.Run(t, "the settings of the site", s.siteSettings)
	fixture.Run(t, "the pictures of the site", s.sitePictures)
	fixture.Run(t, "the static pages", s.staticPages)
	fixture.Run(t, "the audit log", s.auditLog)
	fixture.Run(t, "profiles", s.profiles)
	fixture.Run(t, "headers and pinned posts", s.blogs)
	fixture.Run(t, "muting people, tags and posts", s.mutes)
	fixture.Run(t, "the list of accounts", s.accountRows)
}
