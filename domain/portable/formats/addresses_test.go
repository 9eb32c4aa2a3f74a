package formats_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"inkfeed/domain/portable"
)

func TestFormerAddressesAreLimited(t *testing.T) {
	aliases := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("/old/%d", i))
		}
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	reported := func(problems string) bool { return strings.Contains(problems, "too many former addresses") }
	for _, c := range []struct {
		name          string
		aliases, want int
		reports       bool
	}{
		{"to the first hundred", 1000, 100, true},
		{"and all of fewer are kept", 99, 100, false}, // with the post's own address
	} {
		t.Run(c.name, func(t *testing.T) {
			b := read(t, map[string]string{"hugo.toml": "",
				"content/a.md": "---\ntitle: A\ndate: 2020-01-02\naliases: " + aliases(c.aliases) + "\n---\nText.\n"})
			if n := len(b.Posts[0].Paths); n != c.want || reported(fmt.Sprint(b.Problems)) != c.reports {
				t.Errorf("%d addresses, problems %v", n, b.Problems)
			}
		})
	}
	t.Run("of an Inkfeed export, too", func(t *testing.T) {
		queries := strings.ReplaceAll(aliases(1000), "/old/", "/?p=")
		b := read(t, map[string]string{"inkfeed.json": `{"format":"inkfeed","version":1,"posts":[]}`,
			"posts/a.md": "---\ntitle: A\nid: abcdefghijkmnpqrstuvwxyz23\naliases: " + queries + "\n---\nText.\n"})
		if len(b.Posts) != 1 || len(b.Posts[0].Paths) != 100 || !reported(fmt.Sprint(b.Problems)) {
			t.Errorf("posts %+v, problems %v", b.Posts, b.Problems)
		}
	})
	t.Run("by the size of front matter in JSON", func(t *testing.T) {
		b := read(t, map[string]string{"hugo.toml": "",
			"content/a.md": "{\n\"title\": \"A\", \"aliases\": " + aliases(10_000) + "}\nText.\n"})
		if len(b.Posts) != 1 || b.Posts[0].Status != portable.Draft || len(b.Posts[0].Paths) > 1 ||
			!strings.Contains(fmt.Sprint(b.Problems), "front matter is too long") {
			t.Errorf("posts %+v, problems %v", b.Posts, b.Problems)
		}
	})
}
