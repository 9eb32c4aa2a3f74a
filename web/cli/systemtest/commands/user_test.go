package commands

import (
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/cli/systemtest/harness"
)

// commandSite is a running site and the environment of commands on its engine.
type commandSite struct {
	t    *testing.T
	env  map[string]string
	base string
}

// newCommandSite starts a site on an engine of its own.
func newCommandSite(t *testing.T) commandSite {
	env := harness.OnEngine(t)
	env["INKFEED_DATA"] = t.TempDir()
	base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	return commandSite{t, env, base}
}

// run runs a user command and returns its output.
func (s commandSite) run(args ...string) string {
	s.t.Helper()
	env := maps.Clone(s.env)
	delete(env, "INKFEED_DATA")
	return harness.RunCommand(s.t, env, append([]string{"user"}, args...)...)
}

// fails checks that a user command fails with one line that contains want.
func (s commandSite) fails(want string, args ...string) {
	s.t.Helper()
	out, err := harness.Try(s.t, s.env, append([]string{"user"}, args...)...)
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		s.t.Errorf("user %s: error %v, want one line with %q\n%s", strings.Join(args, " "), err, want, out)
	}
}

// signUp returns a visitor who has signed up.
func (s commandSite) signUp(name string) *harness.Visitor {
	s.t.Helper()
	v := harness.NewVisitor(s.t, s.base)
	v.SignUp(name)
	return v
}

// checkLogged checks that the audit log has an entry of a command with all these words.
func (s commandSite) checkLogged(v *harness.Visitor, want ...string) {
	s.t.Helper()
	for _, row := range strings.Split(v.Get("/admin/log").Find("main").Text(), "command on the server") {
		row = strings.Join(strings.Fields(row), " ")
		found := true
		for _, w := range want {
			found = found && strings.Contains(row, w)
		}
		if found {
			return
		}
	}
	s.t.Errorf("the audit log has no entry with %q:\n%s", want, harness.Text(v.Get("/admin/log").Find("main")))
}

func isLoggedIn(v *harness.Visitor) bool { return v.Get("/").Find("header .me").Length() == 1 }

func TestUserCommandsTakeEffectOnARunningSite(t *testing.T) {
	t.Parallel()
	s := newCommandSite(t)
	ada, bob := s.signUp("ada"), s.signUp("bob")
	post := bob.Publish("Of bees", "text").URL.Path

	t.Run("list and show print users", func(t *testing.T) {
		table := regexp.MustCompile(`(?s)^NAME +ROLE +SINCE +STATE\n` +
			`ada +administrator +\d{4}-\d\d-\d\d +active\n` +
			`bob +author +\d{4}-\d\d-\d\d +active\n$`)
		if out := s.run("list"); !table.MatchString(out) {
			t.Errorf("list:\n%s", out)
		}
		if out := s.run("list", "--staff"); strings.Contains(out, "bob") || !strings.Contains(out, "ada") {
			t.Errorf("list --staff:\n%s", out)
		}
		if out := s.run("list", "--suspended"); out != "There are none.\n" {
			t.Errorf("list --suspended:\n%s", out)
		}
		harness.Eventually(t, "the post is projected", func() bool {
			return strings.Contains(s.run("show", "bob"), "1 post,")
		})
		out := s.run("show", "@BOB")
		for _, want := range []string{
			`Name +bob`, `Role +author`, `State +active`, `Password +yes`, `Passkeys +0`, `Sessions +1, last used`,
			`Posts +1 post, 0 drafts`, `Email +none`,
		} {
			if !regexp.MustCompile(want).MatchString(out) {
				t.Errorf("show does not print %q:\n%s", want, out)
			}
		}
	})
	t.Run("all refuse unknown and former usernames", func(t *testing.T) {
		commands := []string{"show", "promote", "restore", "password", "factors", "suspend --reason Spam."}
		for _, command := range commands {
			s.fails(`there is no user "eve"`, append(strings.Fields(command), "eve")...)
		}
		carol := s.signUp("carol")
		if p := carol.Post("/settings/username", "username", "carla"); p.Status != http.StatusOK {
			t.Fatalf("renaming: status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		s.fails(`"carol" is a former name of carla`, "promote", "carol")
	})
	t.Run("promote sets a role", func(t *testing.T) {
		if out := s.run("promote", "bob", "--role", "moderator"); out != "bob is moderator now.\n" {
			t.Errorf("promote prints %q", out)
		}
		if out := s.run("promote", "bob", "--role", "moderator"); out != "bob was moderator already.\n" {
			t.Errorf("the second promote prints %q", out)
		}
		// The server learns of the command's write from the change feed, within maxPagePoll.
		eventually := func(what, path string, status int) {
			t.Helper()
			harness.Eventually(t, what, func() bool { return bob.Get(path).Status == status })
		}
		eventually("a new moderator sees the moderation page", "/moderation", http.StatusOK)
		s.checkLogged(ada, "bob", "author → moderator")
		s.run("promote", "bob")
		eventually("a new administrator sees the settings of the site", "/admin/settings", http.StatusOK)
		s.run("promote", "--role=author", "bob")
		eventually("a former administrator does not see them", "/admin/settings", http.StatusForbidden)
		s.fails("--role", "promote", "bob", "--role", "king")
		s.fails("no other administrator", "promote", "ada", "--role", "author")
	})
	t.Run("suspend ends sessions and hides posts; restore shows the posts again", func(t *testing.T) {
		s.fails("--reason", "suspend", "bob")
		s.fails("no other administrator", "suspend", "ada", "--reason", "Gone mad.")
		s.run("suspend", "bob", "--reason", "Spam about bees.")
		harness.Eventually(t, "bob's browser shows the reason", func() bool {
			p := bob.Get("/")
			return p.Status == http.StatusForbidden && strings.Contains(harness.Text(p.Selection), "Spam about bees.")
		})
		if isLoggedIn(bob) {
			t.Error("bob is still logged in")
		}
		if p := ada.Get("/@bob"); p.Status != http.StatusNotFound {
			t.Errorf("the profile of the suspended user: status %d", p.Status)
		}
		harness.Eventually(t, "the front page no longer lists the post", func() bool {
			return !strings.Contains(harness.Text(ada.Get("/").Find("main")), "Of bees")
		})
		p := bob.TryLogIn("bob", "correct horse")
		if p.Status != http.StatusForbidden || !strings.Contains(harness.Text(p.Selection), "Spam about bees.") {
			t.Errorf("login of the suspended user: status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		out := s.run("list", "--suspended")
		if !strings.Contains(out, "suspended "+time.Now().UTC().Format("2006")) ||
			!strings.Contains(out, "Spam about bees.") {
			t.Errorf("list --suspended:\n%s", out)
		}
		s.checkLogged(ada, "bob", "Spam about bees.")
		s.fails("already suspended", "suspend", "bob", "--reason", "Again.")

		s.run("restore", "bob")
		harness.Eventually(t, "the post of the restored user is shown", func() bool {
			return ada.Get(post).Status == http.StatusOK
		})
		if bob.TryLogIn("bob", "correct horse"); !isLoggedIn(bob) {
			t.Error("the restored user cannot log in")
		}
		if out := s.run("restore", "bob"); out != "bob is not suspended.\n" {
			t.Errorf("the second restore prints %q", out)
		}
	})
	t.Run("restore keeps the role of a suspended administrator", func(t *testing.T) {
		s.run("promote", "bob")
		s.run("suspend", "bob", "--reason", "On leave.")
		if out := s.run("promote", "bob"); !strings.Contains(out, "suspended") {
			t.Errorf("promote of a suspended user prints %q", out)
		}
		s.run("restore", "bob")
		bob.TryLogIn("bob", "correct horse")
		harness.Eventually(t, "the restored user is an administrator", func() bool {
			return bob.Get("/admin/settings").Status == http.StatusOK
		})
	})
	t.Run("password generates a password or reads one, and ends sessions", func(t *testing.T) {
		out := s.run("password", "bob")
		generated := regexp.MustCompile(`(?m)^    ([a-z2-7]{5}(?:-[a-z2-7]{5}){3})$`).FindStringSubmatch(out)
		if generated == nil {
			t.Fatalf("password prints no password:\n%s", out)
		}
		harness.Eventually(t, "bob is logged out", func() bool { return !isLoggedIn(bob) })
		if p := bob.TryLogIn("bob", "correct horse"); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("login with the former password: status %d", p.Status)
		}
		if bob.TryLogIn("bob", generated[1]); !isLoggedIn(bob) {
			t.Error("the generated password does not log in")
		}
		setFromInput := func(text string) (string, error) {
			cmd := harness.Program(t, s.env, "user", "password", "bob", "--stdin")
			cmd.Stdin = strings.NewReader(text)
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		if out, err := setFromInput("battery staple\nand more\n"); err != nil || strings.Contains(out, "battery") {
			t.Errorf("setting a password from standard input: error %v: %s", err, out)
		}
		if bob.TryLogIn("bob", "battery staple"); !isLoggedIn(bob) {
			t.Error("the password from standard input does not log in")
		}
		if out, err := setFromInput("short"); err == nil || !strings.Contains(out, "at least 8 characters") {
			t.Errorf("setting a short password: error %v: %s", err, out)
		}
		for weak, want := range map[string]string{
			"password1": "easy to guess", "Bob-Inkfeed-1999": "Don't use your name",
		} {
			if out, err := setFromInput(weak); err == nil || !strings.Contains(out, want) {
				t.Errorf("setting the password %s: error %v, want %q: %s", weak, err, want, out)
			}
		}
		if _, err := setFromInput(""); err == nil {
			t.Error("an empty password was accepted")
		}
	})
	harness.Verify(t, s.env, "--wait")
}

// TestUserFactorsRemovesLostSecondFactors stores second factors directly, because only devices can set them up.
func TestUserFactorsRemovesLostSecondFactors(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	changeCredentials := func(change func(*domain.Credentials)) {
		t.Helper()
		store, closeStore := harness.OpenStore(t, env)
		defer closeStore()
		u, err := store.Users.AccountByName(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		credentials, err := store.Credentials.Get(t.Context(), u.ID)
		if err != nil {
			t.Fatal(err)
		}
		change(&credentials)
		if _, err := store.Credentials.Set(t.Context(), credentials); err != nil {
			t.Fatal(err)
		}
	}
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	harness.NewVisitor(t, base).SignUp("ada")
	stop()
	if out := harness.RunCommand(t, env, "user", "factors", "ada"); !strings.Contains(out, "ada has no second factor") {
		t.Errorf("factors of a user without any prints %q", out)
	}
	if out := harness.RunCommand(t, env, "user", "show", "ada"); !regexp.MustCompile(`Sessions +1`).MatchString(out) {
		t.Errorf("the session has ended although nothing changed:\n%s", out)
	}
	key := domain.Passkey{ID: "key", Name: "Phone"}
	changeCredentials(func(c *domain.Credentials) {
		c.TOTP, c.Recovery, c.Passkeys = []byte("sealed"), []string{"digest"}, []domain.Passkey{key}
	})
	out := harness.RunCommand(t, env, "user", "factors", "ada")
	if !strings.Contains(out, "The second factors of ada are gone") {
		t.Errorf("factors prints %q", out)
	}
	out = harness.RunCommand(t, env, "user", "show", "ada")
	for _, want := range []string{
		`Codes of an app +no`, `Recovery codes +0`, `Passkeys +0`, `Sessions +0`, `Password +yes`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("show after the removal does not print %q:\n%s", want, out)
		}
	}
	changeCredentials(func(c *domain.Credentials) { c.PasswordHash, c.Passkeys = "", []domain.Passkey{key} })
	out = harness.RunCommand(t, env, "user", "factors", "ada")
	if !strings.Contains(out, "no second factor") || !strings.Contains(out, "passkeys stay") {
		t.Errorf("factors of a user who has passkeys and no password prints %q", out)
	}
	harness.RunCommand(t, env, "user", "password", "ada")
	if out := harness.RunCommand(t, env, "user", "factors", "ada"); !strings.Contains(out, "are gone") {
		t.Errorf("factors of a user who has passkeys and a password prints %q", out)
	}
}

// createUserWithoutRole stores a user like versions without roles did: the first user does not become an administrator.
func createUserWithoutRole(t *testing.T, env map[string]string, name string) {
	t.Helper()
	store, closeStore := harness.OpenStore(t, env)
	defer closeStore()
	u, err := domain.NewUser(name, time.Now())
	if err == nil {
		err = store.Accounts.Create(t.Context(), u, "")
	}
	if err != nil {
		t.Fatal(err)
	}
}
