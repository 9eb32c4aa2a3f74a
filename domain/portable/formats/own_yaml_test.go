package formats_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/export"
)

func TestOwnExportKeepsTitlesAndTagsThatLookLikeYAML(t *testing.T) {
	for _, text := range []string{"? Really", "?", "?x", "?\tx", "? a: b", "a ? b", "x: ? y", "- ? x",
		"- a", "-", "---", "--- a", "...", "... a", ": b", ":", "a: b", "a:", "a :b", "# c", "a #b",
		"! d", "!d", "& e", "&e", "* f", "*f", "| g", "> h", "% i", "@ j", "` k", "{a", "[a", "}", "]",
		",a", "null", "~", "Null", "1e3", "1_000", "0x1f", "0o7", "017", "1:30", "12.50", ".5", ".inf",
		"-.inf", "+.Inf", ".NaN", "2026-01-01", "2026-01-01 10:00:00", "yes", "No", "on", "off", "y",
		"n", "True", "FALSE", "<<", "=", "'a'", `"a"`, "a'b", `a"b`, `a\b`, `a\`, "x\ty", "one\ntwo",
		"? a\n? b", "a\u2028b", "a\u0085b", "a\u200bb", "a\u00a0b", "\ufeffa"} {
		p := portable.Post{ID: anID, Title: text, Content: "Text.", Tags: []string{"a", text},
			Details: domain.Details{Series: text}, Status: portable.Published, Created: now}
		p.PendingEdit = &portable.PendingEdit{Title: text, Content: "Text.", Status: portable.Published}
		b := reread(t, written(t, export.Source{}, p))
		if len(b.Posts) != 1 {
			t.Errorf("%q: %v", text, b.Problems)
			continue
		}
		got := b.Posts[0]
		if got.Title != text || got.Series != text || got.PendingEdit == nil || got.PendingEdit.Title != text ||
			len(got.Tags) != 2 || got.Tags[1] != text {
			t.Errorf("%q is read back as %q, tags %q, series %q, edition %+v, %v", text, got.Title, got.Tags,
				got.Series, got.PendingEdit, b.Problems)
		}
	}
}
