package importing_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/portable"
)

var bob = domain.User{ID: "u.abcdefghijkmnpqrstuvwxyz24", Username: "bob", DisplayName: "Bob Dale", Created: now}

func TestPostsOfSeveralAuthorsGoToTheirUsers(t *testing.T) {
	source := hugoBlog(t)
	source["content/posts/two.md"] = "---\ntitle: Two\ndate: 2020-01-02\nauthor: Bob\n---\n![A photo](/photo.png) of " +
		"[one](/posts/one/).\n"
	source["content/posts/idea.md"] = "---\ntitle: Idea\ndraft: true\nauthors: [Bob, Eve]\n---\nHalf a thought.\n"
	source["content/posts/soon.md"] = "---\ntitle: Soon\ndate: 2030-01-01\nauthor: Eve\naliases: [/early]\n---\nNot " +
		"yet.\n"
	owners := map[string]domain.User{"Bob": bob, "Eve": ada}
	m := newStore()
	report, err := importFor(t, m, ada, owners, source, false)
	if err != nil || report.New != 4 || report.Pictures != 2 {
		t.Fatalf("%d new posts, %d new pictures, %v", report.New, report.Pictures, err)
	}
	one, two := m.idOf(t, "One"), m.idOf(t, "Two")
	if p := m.posts[two]; p.AuthorID != bob.ID || p.AuthorName != "bob" || p.AuthorDisplayName != "Bob Dale" {
		t.Errorf("Two is by %s, %s", p.AuthorID, p.AuthorName)
	}
	if p := m.posts[one]; p.AuthorID != ada.ID {
		t.Errorf("One is by %s", p.AuthorID)
	}
	for title, owner := range map[string]string{"Idea": bob.ID, "Soon": ada.ID} {
		if d := m.drafts[m.idOf(t, title)]; d.AuthorID != owner {
			t.Errorf("%s is by %s, want %s", title, d.AuthorID, owner)
		}
	}
	t.Run("with links to each other, redirects and records", func(t *testing.T) {
		if !strings.Contains(m.posts[one].Content, domain.PostPath(two, "two")) ||
			!strings.Contains(m.posts[two].Content, domain.PostPath(one, "one")) {
			t.Errorf("One: %s\nTwo: %s", m.posts[one].Content, m.posts[two].Content)
		}
		for path, owner := range map[string]string{"/posts/two": bob.ID, "/uno": ada.ID, "/early": ada.ID} {
			if r := m.redirects[path]; r.OwnerID != owner {
				t.Errorf("the redirect of %s is %+v", path, r)
			}
		}
		if m.records[two].UserID != bob.ID || m.records[one].UserID != ada.ID {
			t.Errorf("records of %s and %s", m.records[two].UserID, m.records[one].UserID)
		}
	})
	t.Run("and pictures of their own", func(t *testing.T) {
		found := map[string]int{}
		for _, image := range m.images {
			found[image.UserID]++
		}
		if want := map[string]int{ada.ID: 1, bob.ID: 1}; !maps.Equal(found, want) {
			t.Errorf("pictures by user: %v", found)
		}
	})
	t.Run("once only", func(t *testing.T) {
		again, err := importFor(t, m, ada, owners, source, false)
		if err != nil || again.New != 0 || again.Unchanged != 4 || again.Pictures != 0 {
			t.Errorf("the second import reports %+v, error %v", again, err)
		}
	})
}

// TestAuthorMapRefusesAliases would take hours if the aliases were expanded.
func TestAuthorMapRefusesAliases(t *testing.T) {
	bomb := "a0: &a0 [x, x]\n"
	for n := range 40 {
		bomb += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", n+1, n+1, n, n)
	}
	if m, err := importing.ParseAuthorMap([]byte(bomb)); err == nil {
		t.Errorf("%d authors are read", len(m))
	}
}

func TestAuthorMap(t *testing.T) {
	m, err := importing.ParseAuthorMap([]byte("# who is who\nANN: ada\n\"Bob Dale\": \"@bob\"\nNew One:\n"))
	if err != nil {
		t.Fatal(err)
	}
	authors := []portable.Author{{ID: "annlogin", Names: []string{"Ann"}, Posts: 2}, {ID: "bob dale", Posts: 1},
		{ID: "New One", Names: []string{"new@example.org"}, Posts: 3}, {ID: "", Posts: 4}}
	t.Run("finds users by every name of an author", func(t *testing.T) {
		for i, want := range []string{"ada", "bob", "", ""} {
			if got, ok := m.User(authors[i]); got != want || ok != (want != "") {
				t.Errorf("%s is %q, want %q", authors[i].ID, got, want)
			}
		}
		if unknown := m.Unknown(authors); len(unknown) != 1 || unknown[0].ID != "New One" {
			t.Errorf("unknown authors are %v", unknown)
		}
	})
	t.Run("is written as a template to fill in", func(t *testing.T) {
		want := "\"annlogin\": ada # Ann: 2 posts\n\"bob dale\": bob # 1 post\n\"New One\": # new@example.org: 3 " +
			"posts\n"
		if got := m.Template(authors); got != want {
			t.Errorf("the template is\n%s\nwant\n%s", got, want)
		}
		again, err := importing.ParseAuthorMap([]byte(strings.ReplaceAll(want, "One\": ", "One\": eve ")))
		if username, _ := again.User(authors[2]); err != nil || username != "eve" {
			t.Errorf("the filled-in template is read as %v, error %v", again, err)
		}
	})
	t.Run("may have a user for all others", func(t *testing.T) {
		for _, text := range []string{"ann: ada\n\"*\": eve\n", "default: eve\n"} {
			m, err := importing.ParseAuthorMap([]byte(text))
			if err != nil || len(m.Unknown(authors)) != 0 {
				t.Errorf("%s: %v, %v", text, m.Unknown(authors), err)
			}
			if username, _ := m.User(authors[3]); username != "eve" {
				t.Errorf("posts without an author go to %q", username)
			}
		}
	})
	t.Run("rejects contradictions and other YAML", func(t *testing.T) {
		for _, text := range []string{"ann: ada\nAnn: eve\n", "- ann\n", "ann: [", "ann"} {
			if m, err := importing.ParseAuthorMap([]byte(text)); err == nil {
				t.Errorf("%q is read as %v", text, m)
			}
		}
	})
}

func TestAccountOfAnAuthorIsNamedAsInTheSource(t *testing.T) {
	for _, c := range []struct {
		author           portable.Author
		username, called string
	}{
		{portable.Author{ID: "ann"}, "ann", ""},
		{portable.Author{ID: "ann", Names: []string{"Ann Hill", "ann@example.org"}}, "ann", "Ann Hill"},
		{portable.Author{ID: "Ada L.", Names: []string{"ada"}}, "ada", ""},
		{portable.Author{ID: "Bob Dale"}, "bob-dale", "Bob Dale"},
		{portable.Author{ID: "x@y", Names: []string{"walker@example.org"}}, "walker",
			""}, // an email address is not used as a display name
		{portable.Author{ID: "!!"}, "", ""},
	} {
		u, err := importing.NewAccount(c.author, now)
		if (err == nil) != (c.username != "") || u.Username != c.username || u.DisplayName != c.called {
			t.Errorf("%v becomes %q (%q), %v", c.author, u.Username, u.DisplayName, err)
		}
	}
}

func FuzzParseAuthorMap(f *testing.F) {
	f.Add([]byte("ann: ada\n\"*\": eve\n"))
	f.Add([]byte("a: [1, {b: c}]\n? x\n: y\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := importing.ParseAuthorMap(text)
		if (m == nil) == (err == nil) {
			t.Errorf("map %v, error %v", m, err)
		}
		for _, username := range slices.Collect(maps.Values(m)) {
			if strings.HasPrefix(username, " ") {
				t.Errorf("the username %q begins with a space", username)
			}
		}
	})
}

func TestAuthorMapThatIsNestedDeeplyIsRefused(t *testing.T) {
	for _, part := range []string{"[", "{a: ", "- "} {
		_, err := importing.ParseAuthorMap([]byte("a: " + strings.Repeat(part, 2_000)))
		if err == nil || !strings.Contains(err.Error(), "nested too deeply") {
			t.Errorf("%q: error %.200v", part, err)
		}
	}
}
