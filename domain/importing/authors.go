package importing

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// AuthorMap maps authors to usernames. Its keys are names that the source has for an author, in lower case. The
// key "*", or "default", stands for all other authors.
type AuthorMap map[string]string

// ParseAuthorMap reads a map of YAML, such as
//
//	ann: ada
//	"Bob Dale": bob
//	"*": ada
func ParseAuthorMap(text []byte) (m AuthorMap, err error) {
	defer func() {
		if p := recover(); p != nil { // a fault of the parser
			err = fmt.Errorf("it is not valid YAML")
		}
	}()
	if err := frontmatter.CheckYAML(text); err != nil {
		return nil, err
	}
	if file, err := parser.ParseBytes(text, 0); err == nil && hasAlias(file) {
		return nil, fmt.Errorf("it contains an alias of YAML; write the value instead")
	}
	var values map[string]any
	if err := yaml.Unmarshal(text, &values); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Errorf("it is not a YAML map of authors to usernames: %s", first)
	}
	m = make(AuthorMap, len(values))
	for author, value := range values {
		if value == nil {
			continue // the user has not filled it in yet
		}
		name := strings.ToLower(strings.TrimSpace(author))
		username := strings.TrimPrefix(strings.TrimSpace(fmt.Sprint(value)), "@")
		if other, twice := m[name]; twice && other != username {
			return nil, fmt.Errorf("it names two users for %q", author)
		}
		m[name] = username
	}
	return m, nil
}

// hasAlias reports whether a file contains an alias. Aliases of values that contain aliases expand exponentially.
func hasAlias(file *ast.File) bool {
	for _, doc := range file.Docs {
		if doc.Body != nil && len(ast.Filter(ast.AliasType, doc.Body)) > 0 {
			return true
		}
	}
	return false
}

// User returns the username for an author. It is false if the map has none.
func (m AuthorMap) User(a portable.Author) (username string, ok bool) {
	if a.ID != "" {
		for _, name := range slices.Concat([]string{a.ID}, a.Names) {
			if username := m[strings.ToLower(name)]; username != "" {
				return username, true
			}
		}
	}
	return m.Default()
}

// Default returns the username for authors that the map does not name.
func (m AuthorMap) Default() (username string, ok bool) {
	username = cmp.Or(m["*"], m["default"])
	return username, username != ""
}

// Unknown returns the authors who have no user in the map.
func (m AuthorMap) Unknown(authors []portable.Author) (unknown []portable.Author) {
	for _, a := range authors {
		if _, ok := m.User(a); !ok && a.ID != "" {
			unknown = append(unknown, a)
		}
	}
	return unknown
}

// Template returns the map for some authors as YAML, with a comment about each author. The user fills in the
// missing usernames.
func (m AuthorMap) Template(authors []portable.Author) string {
	var b strings.Builder
	for _, a := range authors {
		if a.ID == "" {
			continue
		}
		username, _ := m.User(a)
		about := plaintext.Count(a.Posts, "post", "posts")
		if len(a.Names) > 0 {
			about = strings.Join(a.Names, ", ") + ": " + about
		}
		fmt.Fprintf(&b, "%s # %s\n", strings.TrimRight(Entry(a.ID, username), " "), about)
	}
	return b.String()
}

// Entry returns a line of the map.
func Entry(author, username string) string { return strconv.Quote(author) + ": " + username }

// NewAccount returns a user for an author who has no account here. The username is the author's name in the
// source, as far as the rules for usernames allow.
func NewAccount(a portable.Author, now time.Time) (domain.User, error) {
	candidates := slices.Concat([]string{a.ID}, a.Names)
	for _, name := range a.Names { // a login takes precedence over a display name
		if !strings.ContainsAny(name, "@ ") {
			candidates = slices.Insert(candidates, 0, name)
		}
	}
	for _, name := range candidates {
		local, _, _ := strings.Cut(name, "@")
		for _, candidate := range []string{name, names.Slug(local)} {
			u, err := domain.NewUser(candidate, now)
			if err != nil || candidate == names.Slug("") {
				continue
			}
			if called, err := domain.CleanDisplayName(a.Called()); err == nil && called != u.Username {
				u.DisplayName = called
			}
			return u, nil
		}
	}
	return domain.User{}, fmt.Errorf("no valid username can be made from %q", a.ID)
}
