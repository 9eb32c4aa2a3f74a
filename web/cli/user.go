package cli

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rivo/uniseg"
	"golang.org/x/term"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
	"inkfeed/web/cli/config"
	"inkfeed/web/credential"
	"inkfeed/workers/progress"
)

// subject is what the commands about one account work on. They do what administrators do on
// the site, and what nobody can do there: make the first administrator of a site that has
// none, or let somebody in again who has lost every way.
type subject struct {
	domain.User
	store *cosmos.Store
	out   output
}

// aboutUser registers what a command obeys that is about the account which it is given by
// name, suspended or not, in a database that must be there.
func aboutUser(c *config.Config, do func(context.Context, subject) error) func(context.Context, output) error {
	c.BindStore()
	c.Operand = "NAME"
	return func(ctx context.Context, out output) error {
		store, closeStore, err := openUsers(ctx, c, out)
		if err != nil {
			return err
		}
		defer closeStore()
		u, err := namedUser(ctx, store.Users, c.Operands[0])
		if err != nil {
			return err
		}
		return do(ctx, subject{u, store, out})
	}
}

func openUsers(ctx context.Context, c *config.Config, out output) (*cosmos.Store, func(), error) {
	logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return c.Open(ctx, cosmos.Options{Existing: true}, logger)
}

// namedUser finds who has that name. Who had it once is somebody whom it might not be about.
func namedUser(ctx context.Context, users *cosmos.Users, name string) (domain.User, error) {
	name = strings.TrimPrefix(name, "@") // as the site writes it
	u, err := users.AccountByName(ctx, name)
	switch {
	case domain.Is(err, domain.NotFound):
		return u, fmt.Errorf("there is no user %q", name)
	case err != nil:
		return u, err
	case names.NameKey(u.Username) != names.NameKey(name):
		return u, fmt.Errorf("%q is a former name of %s: give the name of today", name, u.Username)
	}
	return u, nil
}

// plainly is what an error says to people.
func plainly(err error) string {
	e, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return err.Error()
	}
	for _, message := range e.Fields {
		return message
	}
	return cmp.Or(e.Message, e.Error())
}

// record notes in the audit log what was done, and nothing undoes.
func (s subject) record(ctx context.Context, action domain.AuditAction, detail, reason string) error {
	e := domain.NewAuditEntry(domain.User{}, action, time.Now()).About(s.User)
	e.Detail, e.Reason = detail, reason
	if err := s.store.Audit.Record(context.WithoutCancel(ctx), e); err != nil {
		return fmt.Errorf("it is done, but not in the audit log: %w", err)
	}
	return nil
}

// deleteSessions deletes the sessions of a user after a change that has already ended them. Running
// servers notice within seconds.
func (s subject) deleteSessions(ctx context.Context) error {
	if err := s.store.Sessions.DeleteOthers(ctx, s.ID, ""); err != nil {
		return fmt.Errorf(
			"the change is made and %s is logged out everywhere, but the ended sessions could not be deleted; they will expire: %w",
			s.Username,
			err,
		)
	}
	return nil
}

func (s subject) say(format string, args ...any) { fmt.Fprintf(s.out.stdout, format+"\n", args...) }

func setupUserList(c *config.Config) func(context.Context, output) error {
	var staff, suspended bool
	c.Bind(
		config.Switch("staff", &staff, "only moderators and administrators"),
		config.Switch("suspended", &suspended, "only suspended users"))
	c.BindStore()
	return func(ctx context.Context, out output) error {
		store, closeStore, err := openUsers(ctx, c, out)
		if err != nil {
			return err
		}
		defer closeStore()
		table := newUserTable(out.stdout)
		bar := progress.NewBar(out.stderr, progress.Unknown, "users")
		if progress.IsTerminal(out.stdout) { // the rows are the progress
			bar = progress.NewBar(io.Discard, progress.Unknown, "users")
		}
		visit := func(u domain.User) error {
			bar.Add(1)
			if suspended && u.Suspended.IsZero() {
				return nil
			}
			return table.add(u)
		}
		if staff {
			var all []domain.User
			all, err = store.Users.Staff(ctx)
			for _, u := range all {
				err = errors.Join(err, visit(u))
			}
		} else {
			err = store.Users.EachAccount(ctx, visit)
		}
		return errors.Join(err, bar.Close(), table.close())
	}
}

// sortedUsers is of how many users at most a list is sorted: more would have to be held
// all at a time.
const sortedUsers = 1000

// userTable writes users by name or, where there are many, as they come.
type userTable struct {
	w       *bufio.Writer
	rows    []domain.User
	flowing bool
	written int
}

func newUserTable(w io.Writer) *userTable { return &userTable{w: bufio.NewWriter(w)} }

func (t *userTable) add(u domain.User) error {
	if !t.flowing && len(t.rows) < sortedUsers {
		t.rows = append(t.rows, u)
		return nil
	}
	t.flowing = true
	if err := t.flush(); err != nil {
		return err
	}
	return t.write(u)
}

func (t *userTable) flush() error {
	slices.SortFunc(t.rows, func(a, b domain.User) int {
		return cmp.Compare(names.NameKey(a.Username), names.NameKey(b.Username))
	})
	for _, u := range t.rows {
		if err := t.write(u); err != nil {
			return err
		}
	}
	t.rows = nil
	return nil
}

// write fills the cells up to widths that are enough for anybody, so that no row has to
// wait for those after it.
func (t *userTable) write(u domain.User) error {
	if t.written == 0 {
		fmt.Fprintf(t.w, "%s  %-13s  %-10s  %s\n", cell("NAME", names.MaxUsername), "ROLE", "SINCE", "STATE")
	}
	t.written++
	_, err := fmt.Fprintf(t.w, "%s  %-13s  %-10s  %s\n", cell(u.Username, names.MaxUsername), u.Role, u.Created.UTC().Format(time.DateOnly), stateOf(u))
	return err
}

// cell is a text of that width, for letters of other scripts take two places.
func cell(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-uniseg.StringWidth(text)))
}

func (t *userTable) close() error {
	err := t.flush()
	if t.written == 0 {
		fmt.Fprintln(t.w, "There are none.")
	}
	return errors.Join(err, t.w.Flush())
}

// stateOf says in a line whether an account is used as others are.
func stateOf(u domain.User) string {
	var states []string
	if !u.Suspended.IsZero() {
		states = append(states, "suspended "+u.Suspended.UTC().Format(time.DateOnly)+": "+oneLine(u.SuspendedFor))
	}
	if !u.ScheduledDeletion.IsZero() {
		states = append(states, "leaves "+u.ScheduledDeletion.UTC().Format(time.DateOnly))
	}
	if u.Sample {
		states = append(states, "sample")
	}
	if states == nil {
		return "active"
	}
	return strings.Join(states, "; ")
}

func setupUserShow(c *config.Config) func(context.Context, output) error {
	return aboutUser(c, func(ctx context.Context, s subject) error {
		credentials, err := s.store.Users.Credentials(ctx, s.ID)
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

// sessionsOf counts them: the first is the one that was used last.
func sessionsOf(sessions []domain.Session) string {
	if len(sessions) == 0 {
		return "0"
	}
	return fmt.Sprintf("%d, last used %s UTC", len(sessions), sessions[0].LastUsed.UTC().Format(time.DateTime))
}

func setupUserPromote(c *config.Config) func(context.Context, output) error {
	var role domain.Role
	c.Bind(config.Flag("role", domain.RoleAdministrator.String(), func(text string) (err error) {
		if role, err = domain.ParseRole(text); err != nil {
			return fmt.Errorf("%q is not reader, author, moderator or administrator", text)
		}
		return nil
	}, "new `role`: reader, author, moderator or administrator"))
	return aboutUser(c, func(ctx context.Context, s subject) error {
		now, err := s.store.Users.SetRole(ctx, s.ID, role)
		if domain.Is(err, domain.Conflict) {
			return fmt.Errorf("%s cannot be %s: %s", s.Username, role, plainly(err))
		}
		if err != nil {
			return err
		}
		if s.Role != role {
			err = s.record(ctx, domain.AuditRole, s.Role.String()+" → "+role.String(), "")
			s.say("%s is %s now.", s.Username, role)
		} else {
			s.say("%s was %s already.", s.Username, role)
		}
		if !now.Suspended.IsZero() {
			s.say("But the account is suspended: see user restore.")
		}
		return err
	})
}

func setupUserSuspend(c *config.Config) func(context.Context, output) error {
	var reason string
	c.Bind(config.Flag("reason", "", func(text string) (err error) {
		if reason, err = domain.CleanReason(text); err != nil {
			return errors.New(plainly(err))
		}
		return nil
	}, "`reason` of the suspension, which the user and the moderators can read"))
	return aboutUser(c, func(ctx context.Context, s subject) error {
		if _, err := s.store.Users.Suspend(ctx, s.ID, reason, time.Now()); domain.Is(err, domain.Conflict) {
			return fmt.Errorf("%s cannot be suspended: %s", s.Username, plainly(err))
		} else if err != nil {
			return err
		}
		err := errors.Join(s.record(ctx, domain.AuditSuspend, "", reason), s.deleteSessions(ctx))
		s.say("%s is suspended. The pages are gone; a server takes what stands in lists out of them.", s.Username)
		return err
	})
}

func setupUserRestore(c *config.Config) func(context.Context, output) error {
	return aboutUser(c, func(ctx context.Context, s subject) error {
		if s.Suspended.IsZero() {
			s.say("%s is not suspended.", s.Username)
			return nil
		}
		if _, err := s.store.Users.Restore(ctx, s.ID); err != nil {
			return err
		}
		err := s.record(ctx, domain.AuditRestore, "", "")
		s.say("%s is suspended no longer. A server brings the posts and comments back.", s.Username)
		return err
	})
}

func setupUserPassword(c *config.Config) func(context.Context, output) error {
	var typed bool
	c.Bind(config.Switch("stdin", &typed,
		"read the password from the first line of the standard input, or ask for it on a terminal; without this "+
			"flag, a password is generated and printed"))
	return aboutUser(c, func(ctx context.Context, s subject) error {
		password, err := newPassword(), error(nil)
		if typed {
			if password, err = readPassword(os.Stdin, s.out.stderr); err == nil {
				err = s.checkPassword(ctx, password)
			}
			if err != nil {
				return fmt.Errorf("--stdin: %s", plainly(err))
			}
		}
		if err := s.setPassword(ctx, password); err != nil {
			return err
		}
		err = errors.Join(s.record(ctx, domain.AuditPassword, "", ""), s.deleteSessions(ctx))
		if typed {
			s.say("%s has a new password, and is logged out everywhere.", s.Username)
		} else {
			s.say("The password of %s is now\n\n    %s\n\nand is not shown again. %s is logged out everywhere.", s.Username, password, s.Username)
		}
		return err
	})
}

// setPassword leaves the other ways to log in as they are.
func (s subject) setPassword(ctx context.Context, password string) error {
	hash, err := credential.HashPassword(ctx, password)
	if err != nil {
		return err
	}
	return s.store.Users.SetPassword(ctx, s.ID, hash)
}

// newPassword makes one of 100 random bits that can be read out to somebody.
func newPassword() string {
	text := strings.ToLower(rand.Text())
	return text[:5] + "-" + text[5:10] + "-" + text[10:15] + "-" + text[15:20]
}

// readPassword reads the first line, which a terminal does not show.
func readPassword(from *os.File, ask io.Writer) (password string, err error) {
	if term.IsTerminal(int(from.Fd())) {
		fmt.Fprint(ask, "New password: ")
		var line []byte
		line, err = term.ReadPassword(int(from.Fd()))
		fmt.Fprintln(ask)
		password = string(line)
	} else if password, err = bufio.NewReader(io.LimitReader(from, 4096)).ReadString('\n'); err == io.EOF {
		err = nil
	}
	return strings.TrimRight(password, "\r\n"), err
}

// checkPassword returns an error if a password is not acceptable for the user.
func (s subject) checkPassword(ctx context.Context, password string) error {
	credentials, err := s.store.Users.Credentials(ctx, s.ID)
	if err != nil {
		return err
	}
	return domain.CheckNewPassword(password, s.Username, s.DisplayName, credentials.Email, credentials.PendingEmail)
}

func setupUserFactors(c *config.Config) func(context.Context, output) error {
	return aboutUser(c, func(ctx context.Context, s subject) error {
		before, err := s.store.Users.Credentials(ctx, s.ID)
		if err != nil {
			return err
		}
		after, err := s.store.Users.ClearFactors(ctx, s.ID)
		if err != nil {
			return err
		}
		if after.Version != before.Version {
			err = errors.Join(s.record(ctx, domain.AuditFactors, "", ""), s.deleteSessions(ctx))
			s.say("The second factors of %s are gone, and %s is logged out everywhere.", s.Username, s.Username)
		} else {
			s.say("%s has no second factor.", s.Username)
		}
		if after.PasswordHash == "" {
			s.say("There is no password. So the passkeys stay: the only way in. Where they are lost too, set one with user password first.")
		}
		return err
	})
}
