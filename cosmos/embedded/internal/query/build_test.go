package query_test

import (
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

func TestResultsAreBounded(t *testing.T) {
	params := query.Params{"@p": value.OfString(strings.Repeat("x", 1<<20))}
	for text, defined := range map[string]bool{
		"[@p || @p" + strings.Repeat(", @p || @p", 30_000) + "]": false,
		"(@p || @p)" + strings.Repeat(" || (@p || @p)", 30_000):  false,
		"@p || @p":            true,
		"@p || @p || 'x'":     false,
		"CONCAT(@p, @p)":      true,
		"CONCAT(@p, @p, 'x')": false,
		"LENGTH(@p" + strings.Repeat(" || @p", 50_000) + ")": false,
		"[@p, @p, @p]":                           true,
		"[@p, @p, @p, @p]":                       false,
		"{a: [@p, @p], b: {c: @p, d: @p}}":       false,
		"[1" + strings.Repeat(", 1", 1000) + "]": true,
	} {
		stmt, err := query.Parse("SELECT VALUE " + text)
		if err != nil {
			t.Fatal(err)
		}
		if got := query.Eval(stmt.Items[0].Expr, value.Value{}, params).Defined(); got != defined {
			t.Errorf("%.60s is defined: %v", text, got)
		}
	}
}
