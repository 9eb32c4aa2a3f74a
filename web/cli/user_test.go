package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

func TestLongListOfUsersIsWrittenIncrementally(t *testing.T) {
	written := &countingWriter{}
	table := newUserTable(written)
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for i := range 3 * sortedUsers {
		if err := table.add(domain.User{Username: fmt.Sprintf("user-%05d", 3*sortedUsers-i), Created: at}); err != nil {
			t.Fatal(err)
		}
		if len(table.rows) > sortedUsers {
			t.Fatalf("the table holds %d users, want at most %d", len(table.rows), sortedUsers)
		}
	}
	if written.lines < 2*sortedUsers {
		t.Errorf("%d lines are written before the end, want at least %d", written.lines, 2*sortedUsers)
	}
	if err := table.close(); err != nil || written.lines != 1+3*sortedUsers {
		t.Errorf("%d lines, want %d; error %v", written.lines, 1+3*sortedUsers, err)
	}
}

func TestRowsOfUsersAreAlignedInEveryScript(t *testing.T) {
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
