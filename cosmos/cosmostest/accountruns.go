package cosmostest

import "testing"

type accountSuite struct{ *Suite }

// RunAccounts runs the tests of users, their names, credentials and sessions, and of the administration.
func RunAccounts(t *testing.T, shared *Suite) {
	s := &accountSuite{shared}
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
	t.Run("the audit log", s.auditLog)
	t.Run("profiles", s.profiles)
}
