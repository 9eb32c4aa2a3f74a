package cli

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/cli/config"
)

// governed is a site beside which commands run, on an engine that both share.
type governed struct {
	t    *testing.T
	env  map[string]string
	base string
}

func governs(t *testing.T) governed {
	env := onEngine(t)
	env["INKFEED_DATA"] = t.TempDir()
	base, _ := serving(t, env, "--addr", "127.0.0.1:0")
	return governed{t, env, base}
}

// does runs a user command.
func (g governed) does(args ...string) string {
	g.t.Helper()
	env := maps.Clone(g.env)
	delete(env, "INKFEED_DATA")
	return runCommand(g.t, env, append([]string{"user"}, args...)...)
}

func (g governed) fails(want string, args ...string) {
	g.t.Helper()
	out, err := start(g.t, g.env, append([]string{"user"}, args...)...)
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		g.t.Errorf("user %s: error %v, want one line with %q\n%s", strings.Join(args, " "), err, want, out)
	}
}

func (g governed) person(name string) *visitor {
	g.t.Helper()
	v := newVisitor(g.t, g.base)
	v.signUp(name)
	return v
}

// logged is whether the audit log has an entry with all these words.
func (g governed) logged(v *visitor, want ...string) {
	g.t.Helper()
	for _, row := range strings.Split(v.get("/admin/log").Find("main").Text(), "command on the server") {
		row = strings.Join(strings.Fields(row), " ")
		found := true
		for _, w := range want {
			found = found && strings.Contains(row, w)
		}
		if found {
			return
		}
	}
	g.t.Errorf("the audit log does not say %q:\n%s", want, words(v.get("/admin/log").Find("main")))
}

func (v *visitor) isIn() bool { return v.get("/").Find("header .me").Length() == 1 }

func TestUserCommands(t *testing.T) {
	g := governs(t)
	ada, bob := g.person("ada"), g.person("bob")
	post := bob.publish("Of bees", "text").url.Path

	t.Run("list and show say who is there", func(t *testing.T) {
		if out := g.does("list"); !regexp.MustCompile(`(?s)^NAME +ROLE +SINCE +STATE\nada +administrator +\d{4}-\d\d-\d\d +active\nbob +author +\d{4}-\d\d-\d\d +active\n$`).MatchString(out) {
			t.Errorf("list:\n%s", out)
		}
		if out := g.does("list", "--staff"); strings.Contains(out, "bob") || !strings.Contains(out, "ada") {
			t.Errorf("list --staff:\n%s", out)
		}
		if out := g.does("list", "--suspended"); out != "There are none.\n" {
			t.Errorf("list --suspended:\n%s", out)
		}
		eventually(t, "the post is projected", func() bool { return strings.Contains(g.does("show", "bob"), "1 post,") })
		out := g.does("show", "@BOB")
		for _, want := range []string{`Name +bob`, `Role +author`, `State +active`, `Password +yes`, `Passkeys +0`, `Sessions +1, last used`, `Posts +1 post, 0 drafts`, `E-mail +none`} {
			if !regexp.MustCompile(want).MatchString(out) {
				t.Errorf("show does not say %q:\n%s", want, out)
			}
		}
	})
	t.Run("refuse names that nobody has, or had once", func(t *testing.T) {
		for _, command := range []string{"show", "promote", "restore", "password", "factors", "suspend --reason Spam."} {
			g.fails(`there is no user "eve"`, append(strings.Fields(command), "eve")...)
		}
		carol := g.person("carol")
		if p := carol.post("/settings/username", "username", "carla"); p.status != http.StatusOK {
			t.Fatalf("renaming: status %d: %s", p.status, words(p.Find("main")))
		}
		g.fails(`"carol" is a former name of carla`, "promote", "carol")
	})
	t.Run("promote gives a role", func(t *testing.T) {
		if out := g.does("promote", "bob", "--role", "moderator"); out != "bob is moderator now.\n" {
			t.Errorf("it says %q", out)
		}
		if out := g.does("promote", "bob", "--role", "moderator"); out != "bob was moderator already.\n" {
			t.Errorf("once more it says %q", out)
		}
		if p := bob.get("/moderation"); p.status != http.StatusOK {
			t.Errorf("a moderator's queue: status %d", p.status)
		}
		g.logged(ada, "bob", "author → moderator")
		g.does("promote", "bob")
		if p := bob.get("/admin/settings"); p.status != http.StatusOK {
			t.Errorf("an administrator's page: status %d", p.status)
		}
		g.does("promote", "--role=author", "bob")
		if p := bob.get("/admin/settings"); p.status != http.StatusForbidden {
			t.Errorf("a former administrator's page: status %d", p.status)
		}
		g.fails("--role", "promote", "bob", "--role", "king")
		g.fails("Nobody else administers", "promote", "ada", "--role", "author")
	})
	t.Run("suspend ends sessions and hides pages, restore brings them back", func(t *testing.T) {
		g.fails("--reason", "suspend", "bob")
		g.fails("Nobody else administers", "suspend", "ada", "--reason", "Gone mad.")
		g.does("suspend", "bob", "--reason", "Spam about bees.")
		eventually(t, "bob is logged out", func() bool { return !bob.isIn() })
		if p := ada.get("/@bob"); p.status != http.StatusNotFound {
			t.Errorf("the user's page: status %d", p.status)
		}
		eventually(t, "the post has left the front page", func() bool {
			return !strings.Contains(words(ada.get("/").Find("main")), "Of bees")
		})
		if p := bob.tries("bob", "correct horse"); p.status != http.StatusForbidden || !strings.Contains(words(p.Selection), "Spam about bees.") {
			t.Errorf("logging in: status %d: %s", p.status, words(p.Find("main")))
		}
		if out := g.does("list", "--suspended"); !strings.Contains(out, "suspended "+time.Now().UTC().Format("2006")) || !strings.Contains(out, "Spam about bees.") {
			t.Errorf("list --suspended:\n%s", out)
		}
		g.logged(ada, "bob", "Spam about bees.")
		g.fails("suspended already", "suspend", "bob", "--reason", "Again.")

		g.does("restore", "bob")
		if p := ada.get(post); p.status != http.StatusOK {
			t.Errorf("the post: status %d", p.status)
		}
		if bob.tries("bob", "correct horse"); !bob.isIn() {
			t.Error("bob cannot log in")
		}
		if out := g.does("restore", "bob"); out != "bob is not suspended.\n" {
			t.Errorf("once more: %q", out)
		}
	})
	t.Run("restore brings a suspended administrator back", func(t *testing.T) {
		g.does("promote", "bob")
		g.does("suspend", "bob", "--reason", "On leave.")
		if out := g.does("promote", "bob"); !strings.Contains(out, "suspended") {
			t.Errorf("promoting a suspended user says %q", out)
		}
		g.does("restore", "bob")
		if bob.tries("bob", "correct horse"); bob.get("/admin/settings").status != http.StatusOK {
			t.Error("bob administers no longer")
		}
	})
	t.Run("password makes one, or takes what is typed, and ends the sessions", func(t *testing.T) {
		out := g.does("password", "bob")
		made := regexp.MustCompile(`(?m)^    ([a-z2-7]{5}(?:-[a-z2-7]{5}){3})$`).FindStringSubmatch(out)
		if made == nil {
			t.Fatalf("it shows no password:\n%s", out)
		}
		eventually(t, "bob is logged out", func() bool { return !bob.isIn() })
		if p := bob.tries("bob", "correct horse"); p.status != http.StatusUnprocessableEntity {
			t.Errorf("the former password: status %d", p.status)
		}
		if bob.tries("bob", made[1]); !bob.isIn() {
			t.Error("the new password does not log in")
		}
		typed := func(text string) (string, error) {
			cmd := program(t, g.env, "user", "password", "bob", "--stdin")
			cmd.Stdin = strings.NewReader(text)
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		if out, err := typed("battery staple\nand more\n"); err != nil || strings.Contains(out, "battery") {
			t.Errorf("%v: %s", err, out)
		}
		if bob.tries("bob", "battery staple"); !bob.isIn() {
			t.Error("the typed password does not log in")
		}
		if out, err := typed("short"); err == nil || !strings.Contains(out, "at least 8 characters") {
			t.Errorf("%v: %s", err, out)
		}
		for weak, says := range map[string]string{"password1": "easy to guess", "Bob-Inkfeed-1999": "Don't use your name"} {
			if out, err := typed(weak); err == nil || !strings.Contains(out, says) {
				t.Errorf("%s: %v: %s", weak, err, out)
			}
		}
		if _, err := typed(""); err == nil {
			t.Error("nothing was taken for a password")
		}
	})
	verified(t, g.env, "--wait")
}

// What only devices can set up is set up by hand.
func TestUserFactorsLetsSomebodyInWhoHasLostThem(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	wroteWith := func(change func(*domain.Credentials)) {
		t.Helper()
		c := config.New(environment(env))
		store, closeStore, err := openUsers(t.Context(), c, output{io.Discard, io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		defer closeStore()
		u, err := namedUser(t.Context(), store.Users, "ada")
		if err != nil {
			t.Fatal(err)
		}
		credentials, err := store.Users.Credentials(t.Context(), u.ID)
		if err != nil {
			t.Fatal(err)
		}
		change(&credentials)
		if _, err := store.Users.SetCredentials(t.Context(), credentials); err != nil {
			t.Fatal(err)
		}
	}
	base, stop := serving(t, env, "--addr", "127.0.0.1:0")
	newVisitor(t, base).signUp("ada")
	stop()
	if out := runCommand(t, env, "user", "factors", "ada"); !strings.Contains(out, "ada has no second factor") {
		t.Errorf("it says %q", out)
	}
	if out := runCommand(t, env, "user", "show", "ada"); !regexp.MustCompile(`Sessions +1`).MatchString(out) {
		t.Errorf("where nothing changed the session has ended:\n%s", out)
	}
	key := domain.Passkey{ID: "key", Name: "Phone"}
	wroteWith(func(c *domain.Credentials) {
		c.TOTP, c.Recovery, c.Passkeys = []byte("sealed"), []string{"digest"}, []domain.Passkey{key}
	})
	out := runCommand(t, env, "user", "factors", "ada")
	if !strings.Contains(out, "The second factors of ada are gone") {
		t.Errorf("it says %q", out)
	}
	out = runCommand(t, env, "user", "show", "ada")
	for _, want := range []string{`Codes of an app +no`, `Recovery codes +0`, `Passkeys +0`, `Sessions +0`, `Password +yes`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("afterwards there is not %q:\n%s", want, out)
		}
	}
	wroteWith(func(c *domain.Credentials) { c.PasswordHash, c.Passkeys = "", []domain.Passkey{key} })
	if out := runCommand(t, env, "user", "factors", "ada"); !strings.Contains(out, "no second factor") || !strings.Contains(out, "passkeys stay") {
		t.Errorf("with passkeys alone it says %q", out)
	}
	runCommand(t, env, "user", "password", "ada")
	if out := runCommand(t, env, "user", "factors", "ada"); !strings.Contains(out, "are gone") {
		t.Errorf("with a password again it says %q", out)
	}
}

func TestALongListOfUsersIsWrittenAsItComes(t *testing.T) {
	written := &countingWriter{}
	table := newUserTable(written)
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for i := range 3 * sortedUsers {
		if err := table.add(domain.User{Username: fmt.Sprintf("user-%05d", 3*sortedUsers-i), Created: at}); err != nil {
			t.Fatal(err)
		}
		if len(table.rows) > sortedUsers {
			t.Fatalf("%d users are held", len(table.rows))
		}
	}
	if written.lines < 2*sortedUsers {
		t.Errorf("%d lines are written before the end", written.lines)
	}
	if err := table.close(); err != nil || written.lines != 1+3*sortedUsers {
		t.Errorf("%d lines, %v", written.lines, err)
	}
}

func TestRowsOfUsersAreAlignedWhateverTheLetters(t *testing.T) {
	var out strings.Builder
	table := newUserTable(&out)
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	table.add(domain.User{Username: "東京", Created: at})
	table.add(domain.User{Username: "ada", Created: at, Suspended: at, SuspendedFor: "Two\nlines\x1b[31m"})
	if err := table.close(); err != nil {
		t.Fatal(err)
	}
	want := "ada                             author         2026-01-02  suspended 2026-01-02: Two lines [31m\n" +
		"東京                            author         2026-01-02  active\n"
	if _, rows, _ := strings.Cut(out.String(), "\n"); rows != want {
		t.Errorf("got\n%swant\n%s", rows, want)
	}
}

type countingWriter struct{ lines int }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.lines += strings.Count(string(p), "\n")
	return len(p), nil
}

// beforeRoles has a user sign up as before there were roles: nobody becomes administrator.
func beforeRoles(t *testing.T, env map[string]string, name string) {
	t.Helper()
	store, closeStore, err := openUsers(t.Context(), config.New(environment(env)), output{io.Discard, io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore()
	u, err := domain.NewUser(name, time.Now())
	if err == nil {
		err = store.Users.Create(t.Context(), u, "")
	}
	if err != nil {
		t.Fatal(err)
	}
}
