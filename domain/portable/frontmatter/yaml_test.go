package frontmatter_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// nested returns anchors, each of whose values is made of ten aliases of the one before.
func nested(levels int, value func(aliases string) string) string {
	var b strings.Builder
	b.WriteString("a0: &a0 {x: y}\n")
	for i := 1; i <= levels; i++ {
		alias := fmt.Sprintf("*a%d", i-1)
		fmt.Fprintf(&b, "a%d: &a%d %s\n", i, i, value(strings.Repeat(alias+", ", 9)+alias))
	}
	return b.String()
}

// definedTwice returns anchors that get their nested values only after they have been used, from the last to the first.
func definedTwice(levels int) string {
	var b strings.Builder
	for i := range levels + 1 {
		fmt.Fprintf(&b, "m%d: &m%d {x: y}\n", i, i)
	}
	for i := levels; i > 0; i-- {
		alias := fmt.Sprintf("*m%d", i-1)
		fmt.Fprintf(&b, "n%d: &m%d {<<: [%s]}\n", i, i, strings.Repeat(alias+", ", 9)+alias)
	}
	fmt.Fprintf(&b, "use: {<<: *m%d}\n", levels)
	return b.String()
}

func TestAliasesThatRepeatTooMuchAreRefused(t *testing.T) {
	list := func(aliases string) string { return "[" + aliases + "]" }
	for _, c := range []struct{ name, text string }{
		{"in lists", nested(9, list) + "tags: *a9\n"},
		{"in merged tables", nested(9, func(aliases string) string { return "{<<: [" + aliases + "]}" })},
		{"of a long text", "a: &a " + strings.Repeat("x", 1<<10) + "\ntags: [" + strings.Repeat("*a, ", 1<<10) + "]\n"},
		{"of names that are defined twice", definedTwice(9)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if m, err := frontmatter.DecodeYAML([]byte(c.text)); !errors.Is(err, portable.ErrTooLarge) {
				t.Errorf("%d values, error %v, want %v", len(m), err, portable.ErrTooLarge)
			}
			if _, _, err := frontmatter.Split("---\n" + c.text + "---\nText.\n"); err == nil ||
				!strings.Contains(err.Error(), "too long") {
				t.Errorf("error %v, want that the front matter is too long", err)
			}
		})
	}
}

func TestAliasesThatRepeatMoreOftenThanAnIntCanCountAreRefused(t *testing.T) {
	for _, format := range []string{"[%s]", "{<<: [%s]}"} { // decoding merged tables would not end, so these come last
		for levels := 6; levels <= 100; levels++ {
			text := nested(levels, func(aliases string) string { return fmt.Sprintf(format, aliases) })
			if m, err := frontmatter.DecodeYAML([]byte(text)); !errors.Is(err, portable.ErrTooLarge) {
				t.Fatalf("%s, %d levels: %d values, error %v, want %v", format, levels, len(m), err,
					portable.ErrTooLarge)
			}
		}
	}
}

func TestAliasesAreReplacedByTheirValues(t *testing.T) {
	m, body, err := frontmatter.Split("---\ndefault: &tags [a, b]\ntags: [*tags, c]\n---\n*Text*\n")
	if err != nil || body != "*Text*\n" {
		t.Fatalf("body %q, error %v", body, err)
	}
	if got := m.List(",", "tags"); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the tags are %q", got)
	}
}
