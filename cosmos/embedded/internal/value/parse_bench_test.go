package value_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/value"
)

// TestParsingTakesMemoryInProportion parses arrays of the smallest objects. The limit is that of the
// members themselves, with room for the growth of the array.
func TestParsingTakesMemoryInProportion(t *testing.T) {
	const n = 100_000
	for _, object := range []string{`{"a":1}`, `{"a":{}}`, `{"a":{"b":{"c":{"d":1}}}}`} {
		t.Run(object, func(t *testing.T) {
			text := "[" + strings.Repeat(object+",", n-1) + object + "]"
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			v, err := value.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			if held := int(after.HeapAlloc-before.HeapAlloc) / len(text); held > 40 {
				t.Errorf("the value takes %d times the memory of its text", held)
			}
			runtime.KeepAlive(v)
		})
	}
}

// BenchmarkParse parses items as Inkfeed stores them.
func BenchmarkParse(b *testing.B) {
	comment := `{"id":"01JB0000000000000000000000","type":"comment","postId":"01JB0000000000000000000001",` +
		`"userId":"01JB0000000000000000000002","userUsername":"reader","content":"` + strings.Repeat("text ", 60) +
		`","creationDate":"2026-10-01T10:00:00Z","version":1,"depth":2,"ancestors":["01JB0000000000000000000003"]}`
	post := `{"id":"01JB0000000000000000000001","type":"post","postId":"01JB0000000000000000000001",` +
		`"userId":"01JB0000000000000000000002","userUsername":"writer","title":"A title","slug":"a-title",` +
		`"content":"` + strings.Repeat("Some <em>text</em>.\\n", 300) + `","creationDate":"2026-10-01T10:00:00Z",` +
		`"likeCount":12,"commentCount":3,"tags":["go","sql"],"image":{"src":"/images/1","width":800,"height":600},` +
		`"series":{"slug":"s","part":2},"language":"en","visibility":"public","version":7,"minutes":4}`
	create := fmt.Sprintf(`{"operationType":"Create","resourceBody":%s},`, comment)
	for name, text := range map[string]string{
		"comment": comment,
		"post":    post,
		"batch":   "[" + strings.Repeat(create, 9) + post + "]",
		"small":   `{"id":"1","pk":"a"}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := value.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
