package formats_test

import (
	"io/fs"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// wantAllocations fails if a function allocates more than most megabytes in total.
func wantAllocations(t *testing.T, most uint64, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > most {
		t.Errorf("allocated %d MB, want at most %d MB", mb, most)
	}
}

func TestJSONWithTooManyElementsIsRefusedBeforeItIsDecoded(t *testing.T) {
	many := "[{}" + strings.Repeat(",{}", 2_000_000) + "]"
	for name, text := range map[string]string{
		"posts of Ghost":                `{"db":[{"data":{"posts":` + many + `}}]}`,
		"tags of an old Ghost":          `{"data":{"posts":[],"tags":` + many + `}}`,
		"posts of WriteFreely":          `{"collections":[{"posts":` + many + `}]}`,
		"a list of WriteFreely's posts": many,
		"posts of Inkfeed":              `{"format":"inkfeed","version":1,"posts":` + many + `}`,
		"comments on Inkfeed":           `{"format":"inkfeed","version":1,"comments":` + many + `}`,
		"lists within each other":       `{"posts":` + strings.ReplaceAll(many, "{}", "[]") + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			file := "ghost.json"
			if strings.Contains(name, "Inkfeed") {
				file = "inkfeed.json"
			}
			wantAllocations(t, 100, func() {
				b, err := formats.Read([]fs.FS{folder(map[string]string{file: text})}, now)
				if err == nil || !strings.Contains(portable.Explain(err).String(), "more than an export can") {
					t.Errorf("blog %v, error %v", b != nil, err)
				}
			})
		})
	}
	t.Run("but commas in texts are no elements", func(t *testing.T) {
		b := read(t, map[string]string{"a.json": `[{"id":"a","slug":"a","body":"` + strings.Repeat(`\"a, [`, 400_000) +
			`","created":"2024-01-01T00:00:00Z"}]`})
		if len(b.Posts) != 1 {
			t.Errorf("%d posts", len(b.Posts))
		}
	})
}

// mobiledoc returns an export of Ghost with a post in the format of its older editors.
func mobiledoc(document string) map[string]string {
	return map[string]string{"ghost.json": `{"data":{"posts":[{"id":1,"title":"A","status":"published","mobiledoc":` +
		strconv.Quote(document) + `}]}}`}
}

func TestTextsOfGhostThatRepeatTheirPartsAreRefused(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, document := range map[string]string{
		"cards": `{"cards":[["html",{"html":"` + long + `"}]],"sections":[[10,0]` +
			strings.Repeat(",[10,0]", 5000) + `]}`,
		"marks": `{"markups":[["a",["href","` + long + `"]]],"sections":[[1,"p",[[0,[0` + strings.Repeat(",0", 5000) +
			`],0,"x"]]]]}`,
		"marks in the items of a list": `{"markups":[["a",["href","` + long + `"]]],` +
			`"sections":[[3,"ul",[[[0,[0],1,"x"]]` +
			strings.Repeat(`,[[0,[0],1,"x"]]`, 5000) + `]]]}`,
	} {
		t.Run(name, func(t *testing.T) {
			wantAllocations(t, 100, func() {
				b := read(t, mobiledoc(document))
				if len(b.Posts) != 0 || len(b.Problems) == 0 ||
					!strings.Contains(b.Problems[0].Text, "larger than the limit") {
					t.Errorf("%d posts, problems %v", len(b.Posts), b.Problems)
				}
			})
		})
	}
}

func TestPartsOfGhostThatAddNoTextAreDecodedOnce(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, document := range map[string]string{
		"cards": `{"cards":[["hr",{"html":"` + long + `"}]],"sections":[[10,0]` +
			strings.Repeat(",[10,0]", 2000) + `]}`,
		"cards of Markdown": `{"cards":[["markdown",{"markdown":"[` + long[:500] + `]: /x"}],["hr",{}]],` +
			`"sections":[[10,1]` +
			strings.Repeat(",[10,0]", 20_000) + `]}`,
		"marks": `{"markups":[["a",["title","` + long + `"]]],"sections":[[1,"p",[[0,[0],1,"x"]` +
			strings.Repeat(`,[0,[0],1,"x"]`, 2000) + `]]]}`,
	} {
		t.Run(name, func(t *testing.T) {
			wantAllocations(t, 100, func() {
				if b := read(t, mobiledoc(document)); len(b.Posts) != 1 {
					t.Errorf("%d posts, problems %v", len(b.Posts), b.Problems)
				}
			})
		})
	}
}
