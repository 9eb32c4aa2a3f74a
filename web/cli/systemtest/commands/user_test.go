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

// governed is a site beside which commands run, on an engine that both share.
type governed struct {
	t    *testing.T
	env  map[string]string
	base string
}

func governs(t *testing.T) governed {
	env := harness.OnEngine(t)
	env["INKFEED_DATA"] = t.TempDir()
	base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	return governed{t, env, base}
}

// does runs a user command.
func (g governed) does(args ...string) string {
	g.t.Helper()
	env := maps.Clone(g.env)
	delete(env, "INKFEED_DATA")
	return harness.RunCommand(g.t, env, append([]string{"user"}, args...)...)
}

func (g governed) fails(want string, args ...string) {
	g.t.Helper()
	out, err := harness.Try(g.t, g.env, append([]string{"user"}, args...)...)
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		g.t.Errorf("user %s: error %v, want one line with %q\n%s", strings.Join(args, " "), err, want, out)
	}
}

func (g governed) person(name string) *harness.Visitor {
	g.t.Helper()
	v := harness.NewVisitor(g.t, g.base)
	v.SignUp(name)
	return v
}

// logged is whether the audit log has an entry with all these words.
func (g governed) logged(v *harness.Visitor, want ...string) {
	g.t.Helper()
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
	g.t.Errorf("the audit log does not say %q:\n%s", want, harness.Text(v.Get("/admin/log").Find("main")))
}

func isLoggedIn(v *harness.Visitor) bool { return v.Get("/").Find("header .me").Length() == 1 }

func TestUserCommands(t *testing.T) {
	g := governs(t)
	ada, bob := g.person("ada"), g.person("bob")
	post := bob.Publish("Of bees", "text").URL.Path

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
		harness.Eventually(t, "the post is projected", func() bool { return strings.Contains(g.does("show", "bob"), "1 post,") })
		out := g.does("show", "@BOB")
		for _, want := range []string{`Name +bob`, `Role +author`, `State +active`, `Password +yes`, `Passkeys +0`, `Sessions +1, last used`, `Posts +1 post, 0 drafts`, `Email +none`} {
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
		if p := carol.Post("/settings/username", "username", "carla"); p.Status != http.StatusOK {
			t.Fatalf("renaming: status %d: %s", p.Status, harness.Text(p.Find("main")))
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
		if p := bob.Get("/moderation"); p.Status != http.StatusOK {
			t.Errorf("a moderator's queue: status %d", p.Status)
		}
		g.logged(ada, "bob", "author → moderator")
		g.does("promote", "bob")
		if p := bob.Get("/admin/settings"); p.Status != http.StatusOK {
			t.Errorf("an administrator's page: status %d", p.Status)
		}
		g.does("promote", "--role=author", "bob")
		if p := bob.Get("/admin/settings"); p.Status != http.StatusForbidden {
			t.Errorf("a former administrator's page: status %d", p.Status)
		}
		g.fails("--role", "promote", "bob", "--role", "king")
		g.fails("no other administrator", "promote", "ada", "--role", "author")
	})
	t.Run("suspend ends sessions and hides pages, restore brings them back", func(t *testing.T) {
		g.fails("--reason", "suspend", "bob")
		g.fails("no other administrator", "suspend", "ada", "--reason", "Gone mad.")
		g.does("suspend", "bob", "--reason", "Spam about bees.")
		harness.Eventually(t, "bob is logged out", func() bool { return !isLoggedIn(bob) })
		if p := ada.Get("/@bob"); p.Status != http.StatusNotFound {
			t.Errorf("the user's page: status %d", p.Status)
		}
		harness.Eventually(t, "the post has left the front page", func() bool {
			return !strings.Contains(harness.Text(ada.Get("/").Find("main")), "Of bees")
		})
		if p := bob.TryLogIn("bob", "correct horse"); p.Status != http.StatusForbidden || !strings.Contains(harness.Text(p.Selection), "Spam about bees.") {
			t.Errorf("logging in: status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		if out := g.does("list", "--suspended"); !strings.Contains(out, "suspended "+time.Now().UTC().Format("2006")) || !strings.Contains(out, "Spam about bees.") {
			t.Errorf("list --suspended:\n%s", out)
		}
		g.logged(ada, "bob", "Spam about bees.")
		g.fails("already suspended", "suspend", "bob", "--reason", "Again.")

		g.does("restore", "bob")
		if p := ada.Get(post); p.Status != http.StatusOK {
			t.Errorf("the post: status %d", p.Status)
		}
		if bob.TryLogIn("bob", "correct horse"); !isLoggedIn(bob) {
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
		if bob.TryLogIn("bob", "correct horse"); bob.Get("/admin/settings").Status != http.StatusOK {
			t.Error("bob administers no longer")
		}
	})
	t.Run("password makes one, or takes what is typed, and ends the sessions", func(t *testing.T) {
		out := g.does("password", "bob")
		made := regexp.MustCompile(`(?m)^    ([a-z2-7]{5}(?:-[a-z2-7]{5}){3})$`).FindStringSubmatch(out)
		if made == nil {
			t.Fatalf("it shows no password:\n%s", out)
		}
		harness.Eventually(t, "bob is logged out", func() bool { return !isLoggedIn(bob) })
		if p := bob.TryLogIn("bob", "correct horse"); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("the former password: status %d", p.Status)
		}
		if bob.TryLogIn("bob", made[1]); !isLoggedIn(bob) {
			t.Error("the new password does not log in")
		}
		typed := func(text string) (string, error) {
			cmd := harness.Program(t, g.env, "user", "password", "bob", "--stdin")
			cmd.Stdin = strings.NewReader(text)
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		if out, err := typed("battery staple\nand more\n"); err != nil || strings.Contains(out, "battery") {
			t.Errorf("%v: %s", err, out)
		}
		if bob.TryLogIn("bob", "battery staple"); !isLoggedIn(bob) {
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
	harness.Verify(t, g.env, "--wait")
}

// What only devices can set up is set up by hand.
func TestUserFactorsLetsSomebodyInWhoHasLostThem(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	wroteWith := func(change func(*domain.Credentials)) {
		t.Helper()
		store, closeStore := harness.OpenStore(t, env)
		defer closeStore()
		u, err := store.Users.AccountByName(t.Context(), "ada")
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
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	harness.NewVisitor(t, base).SignUp("ada")
	stop()
	if out := harness.RunCommand(t, env, "user", "factors", "ada"); !strings.Contains(out, "ada has no second factor") {
		t.Errorf("it says %q", out)
	}
	if out := harness.RunCommand(t, env, "user", "show", "ada"); !regexp.MustCompile(`Sessions +1`).MatchString(out) {
		t.Errorf("where nothing changed the session has ended:\n%s", out)
	}
	key := domain.Passkey{ID: "key", Name: "Phone"}
	wroteWith(func(c *domain.Credentials) {
		c.TOTP, c.Recovery, c.Passkeys = []byte("sealed"), []string{"digest"}, []domain.Passkey{key}
	})
	out := harness.RunCommand(t, env, "user", "factors", "ada")
	if !strings.Contains(out, "The second factors of ada are gone") {
		t.Errorf("it says %q", out)
	}
	out = harness.RunCommand(t, env, "user", "show", "ada")
	for _, want := range []string{`Codes of an app +no`, `Recovery codes +0`, `Passkeys +0`, `Sessions +0`, `Password +yes`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("afterwards there is not %q:\n%s", want, out)
		}
	}
	wroteWith(func(c *domain.Credentials) { c.PasswordHash, c.Passkeys = "", []domain.Passkey{key} })
	if out := harness.RunCommand(t, env, "user", "factors", "ada"); !strings.Contains(out, "no second factor") || !strings.Contains(out, "passkeys stay") {
		t.Errorf("with passkeys alone it says %q", out)
	}
	harness.RunCommand(t, env, "user", "password", "ada")
	if out := harness.RunCommand(t, env, "user", "factors", "ada"); !strings.Contains(out, "are gone") {
		t.Errorf("with a password again it says %q", out)
	}
}

// beforeRoles has a user sign up as before there were roles: nobody becomes administrator.
func beforeRoles(t *testing.T, env map[string]string, name string) {
	t.Helper()
	store, closeStore := harness.OpenStore(t, env)
	defer closeStore()
	u, err := domain.NewUser(name, time.Now())
	if err == nil {
		err = store.Users.Create(t.Context(), u, "")
	}
	if err != nil {
		t.Fatal(err)
	}
}
