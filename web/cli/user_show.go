package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	"inkfeed/web/cli/config"
)

func setupUserShow(c *config.Config) func(context.Context, output) error {
	return aboutUser(c, func(ctx context.Context, s subject) error {
		credentials, err := s.store.Credentials.Get(ctx, s.ID)
		if err != nil {
			return err
		}
		sessions, err := s.store.Sessions.List(ctx, s.ID)
		if err != nil {
			return err
		}
		sessions = slices.DeleteFunc(sessions, func(one domain.Session) bool { return one.EndedFor(s.User) })
		posts, drafts, err := s.store.Users.CountPosts(ctx, s.ID)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(s.out.stdout, 0, 0, 2, ' ', 0)
		for _, row := range [][2]string{
			{"Name", s.Username},
			{"Display name", oneLine(cmp.Or(s.DisplayName, "none"))},
			{"ID", s.ID},
			{"Role", s.Role.String()},
			{"Since", s.Created.UTC().Format(time.DateOnly)},
			{"State", stateOf(s.User)},
			{"Email", emailOf(credentials)},
			{"Password", yesNo(credentials.PasswordHash != "")},
			{"Codes of an app", yesNo(len(credentials.TOTP) > 0)},
			{"Recovery codes", strconv.Itoa(len(credentials.Recovery))},
			{"Passkeys", strconv.Itoa(len(credentials.Passkeys))},
			{"Sessions", sessionsOf(sessions)},
			{"Posts", plaintext.Count(posts, "post", "posts") + ", " + plaintext.Count(drafts, "draft", "drafts")},
		} {
			fmt.Fprintf(table, "%s\t%s\n", row[0], row[1])
		}
		return table.Flush()
	})
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

func emailOf(c domain.Credentials) string {
	switch {
	case c.Email == "":
		return "none"
	case !c.EmailVerified:
		return c.Email + ", not verified"
	case c.PendingEmail != "":
		return c.Email + ", until " + c.PendingEmail + " is verified"
	}
	return c.Email
}

// sessionsOf describes the number of sessions and the last use, which is that of the first session.
func sessionsOf(sessions []domain.Session) string {
	if len(sessions) == 0 {
		return "0"
	}
	return fmt.Sprintf("%d, last used %s UTC", len(sessions), sessions[0].LastUsed.UTC().Format(time.DateTime))
}
