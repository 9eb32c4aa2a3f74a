package cli

import (
	"bytes"
	"strings"
	"testing"

	"inkfeed/cosmos/feeds"
)

func TestDeadLetterIsListedInOneLineWithoutControlCharacters(t *testing.T) {
	var out bytes.Buffer
	letter := feeds.DeadLetter{Processor: "posts", Item: feeds.ItemRef{PartitionKey: "p1", ID: "c1"}, Attempts: 10,
		Error: "cannot:\n\tproject \x1b[31mthis " + strings.Repeat("again ", 100)}
	if err := writeLetters(&out, []feeds.DeadLetter{letter}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[1], "posts/p1/c1  0001-01-01 00:00:00  ") ||
		!strings.Contains(lines[1], "cannot: project [31mthis again") || len(lines[1]) > 300 {
		t.Errorf("got\n%q\nwant a heading and one line for the dead letter, without control characters", lines)
	}
}
