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

func TestFormerAddressesOfWordPress(t *testing.T) {
	b := read(t, map[string]string{"export.xml": `<rss xmlns:wp="w" xmlns:content="c"><channel><title>A</title>
		<link>https://a.example/blog</link><item><title>Oaks</title>
		<link>https://a.example/blog/2015/04/05/%d1%85-oaks/</link><content:encoded>See
		<a href="https://a.example/blog/?p=8">elms</a>.</content:encoded><wp:post_id>7</wp:post_id>
		<wp:post_date>2015-04-05 10:00:00</wp:post_date><wp:post_name>%d1%85-oaks</wp:post_name>
		<wp:status>publish</wp:status><wp:post_type>post</wp:post_type>
		<wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key><wp:meta_value>%d1%85</wp:meta_value></wp:postmeta>
		<wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key><wp:meta_value>oak</wp:meta_value></wp:postmeta>
		<wp:postmeta><wp:meta_key>_wp_old_date</wp:meta_key><wp:meta_value>2015-03-31</wp:meta_value></wp:postmeta>
		</item><item><title>Elms</title><link>https://a.example/blog/archives/8</link>
		<content:encoded>Text.</content:encoded><wp:post_id>8</wp:post_id><wp:post_name>elms</wp:post_name>
		<wp:post_date>2015-04-05 10:00:00</wp:post_date><wp:status>publish</wp:status><wp:post_type>post</wp:post_type>
		<wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key><wp:meta_value>elm</wp:meta_value></wp:postmeta>
		</item></channel></rss>`})
	t.Run("are all permalinks with former slugs and dates", func(t *testing.T) {
		want := "[/blog/2015/04/05/х-oaks /blog/?p=7 /blog/2015/03/31/х /blog/2015/03/31/oak /blog/2015/03/31/х-oaks " +
			"/blog/2015/04/05/х /blog/2015/04/05/oak]"
		if got := fmt.Sprint(b.Posts[0].Paths); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
	t.Run("are no others if the permalink has no slug", func(t *testing.T) {
		if got := fmt.Sprint(b.Posts[1].Paths); got != "[/blog/archives/8 /blog/?p=8]" {
			t.Error(got)
		}
	})
	t.Run("below a folder lead to the post", func(t *testing.T) {
		for _, address := range []string{"https://a.example/blog/?p=8", "/blog/index.php?p=8", "/blog/?page_id=8"} {
			if to, _, ok := portable.NewDirectory(b).Post(0, address); !ok || to != 1 {
				t.Errorf("%s leads to %d, %v", address, to, ok)
			}
		}
	})
}
