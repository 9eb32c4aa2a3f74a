package domain_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
)

func fields(t *testing.T, err error) map[string]locale.Message {
	t.Helper()
	e, ok := errors.AsType[*domain.Error](err)
	if !ok || e.Kind != domain.Invalid {
		t.Fatalf("error %v, want one of kind invalid", err)
	}
	return e.Fields
}

func TestUsernameIsValidated(t *testing.T) {
	for _, good := range []string{"ab", "Ada", "ada-lovelace", "a_1", "x2", strings.Repeat("a", 30)} {
		if err := domain.CheckUsername(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", "a", "-ada", "ada-", "a--b", "ada lovelace", "ada.lovelace", "ädä!",
		"u.abc", "ada/1", "ada\n", strings.Repeat("a", 31)} {
		if domain.CheckUsername(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	if names.NameKey("Ada") != names.NameKey("aDA") {
		t.Error("names that differ only in case have different keys")
	}
	if domain.CheckUsername(domain.NewUserID(nil)) == nil {
		t.Error("a user id is a valid username, although both are partition keys of the container users")
	}
}

func TestPasswordHasAMinimumAndAMaximumLength(t *testing.T) {
	for password, good := range map[string]bool{
		"":                             false,
		"seven77":                      false,
		"eight888":                     true,
		strings.Repeat("x", 200):       true,
		strings.Repeat("x", 201):       false,
		"пароль-пароль":                true,
		strings.Repeat("e\u0301", 500): false,
	} {
		if err := domain.CheckPassword(password); (err == nil) != good {
			t.Errorf("%d characters: %v", plaintext.Characters(password), err)
		}
	}
}

func TestNewPostNamesEachInvalidField(t *testing.T) {
	author := domain.User{ID: "u", Username: "ada"}
	_, err := domain.NewPost(author, "  ", "", time.Now())
	if f := fields(t, err); f["title"].IsZero() || f["content"].IsZero() {
		t.Errorf("fields %v", f)
	}
	_, err = domain.NewPost(author, strings.Repeat("t", domain.MaxTitle+1), strings.Repeat("c", domain.MaxContent+1),
		time.Now())
	if f := fields(t, err); f["title"].IsZero() || f["content"].IsZero() {
		t.Errorf("fields %v", f)
	}
	// This is one user-perceived character of megabytes.
	heap := "e" + strings.Repeat("\u0301", domain.MaxContent*2)
	_, err = domain.NewPost(author, heap, heap, time.Now())
	if f := fields(t, err); f["title"].IsZero() || f["content"].IsZero() {
		t.Errorf("fields %v", f)
	}
	p, err := domain.NewPost(author, " a \n title\x00 ", "one\r\ntwo\x1b[2J", time.Now())
	if err != nil || p.Title != "a title" || p.Content != "one\ntwo[2J" {
		t.Errorf("title %q, content %q, %v", p.Title, p.Content, err)
	}
}

func TestNewCommentNeedsContent(t *testing.T) {
	for _, content := range []string{"", " \n\t", strings.Repeat("c", domain.MaxComment+1)} {
		if _, err := domain.NewComment(domain.User{}, "p", content, time.Now()); fields(t, err)["content"].IsZero() {
			t.Errorf("%d characters are accepted", len(content))
		}
	}
}

func TestKindIsThatOfTheOutermostError(t *testing.T) {
	err := fmt.Errorf("while reading: %w", domain.NewError(domain.NotFound, "There is no such post."))
	if !domain.Is(err, domain.NotFound) || domain.Is(err, domain.Internal) {
		t.Errorf("kind %s", domain.KindOf(err))
	}
	if domain.Is(nil, domain.Internal) {
		t.Error("a nil error has a kind")
	}
	if !domain.Is(errors.New("disk full"), domain.Internal) {
		t.Error("an error without a kind is not internal")
	}
}

func TestIDsAreUniqueAndRecognised(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := domain.NewID()
		if seen[id] || !domain.IsID(id) {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
	for _, bad := range []string{"", "..", ".", strings.Repeat("l", 26), strings.Repeat("a", 25),
		strings.Repeat("a", 27),
		"aaaaaaaaaaaa/aaaaaaaaaaaaa"} {
		if domain.IsID(bad) {
			t.Errorf("%q is accepted as an id", bad)
		}
	}
}

func TestAttemptIDIsTheSameForTheSameTextFromTheSameForm(t *testing.T) {
	attempt := domain.NewID()
	first := domain.AttemptID(attempt, "u.a", "title", "text")
	if again := domain.AttemptID(attempt, "u.a", "title", "text"); again != first || !domain.IsID(first) {
		t.Errorf("the same text sent twice has the ids %q and %q", first, again)
	}
	for name, other := range map[string]string{
		"another text":                   domain.AttemptID(attempt, "u.a", "title", "text."),
		"the same bytes in other fields": domain.AttemptID(attempt, "u.a", "titlet", "ext"),
		"another author":                 domain.AttemptID(attempt, "u.b", "title", "text"),
		"another form":                   domain.AttemptID(domain.NewID(), "u.a", "title", "text"),
		"no attempt id":                  domain.AttemptID("", "u.a", "title", "text"),
		"an invalid attempt id":          domain.AttemptID("../x", "u.a", "title", "text"),
	} {
		if other == first || !domain.IsID(other) {
			t.Errorf("%s has the same id %q", name, other)
		}
	}
	if one, two := domain.AttemptID("", "u.a", "x"), domain.AttemptID("", "u.a", "x"); one == two {
		t.Error("without an attempt id, two texts have one id")
	}
}
