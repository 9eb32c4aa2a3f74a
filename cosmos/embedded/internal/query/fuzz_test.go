package query_test

import (
	"testing"

	"inkfeed/cosmos/embedded/internal/pushdown"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"SELECT * FROM c", "SELECT TOP 3 c.a, c['b'][0] AS x FROM root c WHERE c.a = @p AND NOT (c.b IN (1, 'x'))",
		"SELECT VALUE {a: [c.x, 1.5e3], 'b': -c.y} FROM c ORDER BY c.a DESC, c.b OFFSET @o LIMIT 5",
		"SELECT DISTINCT VALUE c.a ?? 'none' FROM c WHERE c.a LIKE '%[^a-z]_' ESCAPE '!' OR c.b BETWEEN 1 AND 2",
		"SELECT VALUE COUNT(1) FROM c WHERE STARTSWITH(c.id, 'p', true) -- comment", "SELECT 1 AS a",
		`SELECT "\u00e9\ud83d\ude00"`,
		"SELECT c.a, COUNT(1) FROM c JOIN x IN c.l WHERE EXISTS(SELECT VALUE y FROM y IN x.z) GROUP BY c.a",
		"SELECT VALUE ARRAY(SELECT TOP 2 VALUE c[@p]['q'].r) FROM c",
		"SELECT VALUE ~(1 & 2 | 3 ^ 4 << 5) FROM k IN c.l",
		"SELECT * FROM c WHERE c.a > 1 ? true : false", "SELECT", "", ";", "SELECT * FROM c WHERE ((((",
	} {
		f.Add(seed)
	}
	item, err := value.Parse(`{"id":"1","a":1,"b":"x","x":[1,{"y":2}]}`)
	if err != nil {
		f.Fatal(err)
	}
	schema := &pushdown.Schema{KeyPaths: []string{"/b"}, KeyColumn: "pk",
		EncodeKey:       func([]value.Value) []byte { return nil },
		EncodeKeyPrefix: func(string) []byte { return []byte{1} },
		Columns:         map[string]pushdown.Column{"/a": {Name: "k"}, "/id": {Name: "id", Kind: pushdown.TextColumn}}}
	f.Fuzz(func(t *testing.T, text string) {
		stmt, err := query.Parse(text)
		if err != nil {
			return
		}
		pushdown.Compile(stmt, schema, nil)
		for _, i := range stmt.Items {
			query.Eval(i.Expr, item, nil)
		}
		if stmt.Where == nil {
			return
		}
		query.Eval(stmt.Where, item, nil)
		// The written form of an expression parses to the same expression.
		written := query.Text(stmt.Where)
		again, err := query.Parse("SELECT * FROM " + stmt.From[0].Path.Root + " WHERE " + written)
		if err != nil || stmt.Joined() {
			return // because of its depth or its aliases
		}
		if twice := query.Text(again.Where); twice != written {
			t.Errorf("%s becomes %s", written, twice)
		}
	})
}
