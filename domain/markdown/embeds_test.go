package markdown_test

import (
	"strings"
	"testing"

	"inkfeed/domain/embed"
	"inkfeed/domain/markdown"
)

const video = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"

func TestEmbeds(t *testing.T) {
	for name, source := range map[string]string{
		"a bare address":              "before\n\n" + video + "\n\nafter",
		"an address in brackets":      "<" + video + ">",
		"an address with white space": video + "  \n",
	} {
		t.Run(name+" that is alone in a paragraph is a card", func(t *testing.T) {
			r := markdown.New().Post(source)
			if len(r.Embeds) != 1 || r.Embeds[0].Address != video {
				t.Errorf("the embeds are %+v", r.Embeds)
			}
			want := `<p class="embed"><a href="` + video + `" rel="nofollow ugc noopener">` + video + `</a></p>`
			if !strings.Contains(r.HTML, want) {
				t.Errorf("the HTML is %s", r.HTML)
			}
		})
	}
	for name, source := range map[string]string{
		"within a sentence":           "See " + video,
		"in a list":                   "- " + video,
		"in a quote":                  "> " + video,
		"with a text of its own":      "[" + video + "](" + video + ")",
		"beside another":              video + "\n" + video,
		"in a code block":             "    " + video,
		"of a site that is not known": "https://example.org/watch?v=dQw4w9WgXcQ",
		"that has a picture":          "![x](" + video + ")",
	} {
		t.Run("an address "+name+" stays as it is", func(t *testing.T) {
			if r := markdown.New().Post(source); len(r.Embeds) > 0 || strings.Contains(r.HTML, `class="embed"`) {
				t.Errorf("the embeds are %+v in %s", r.Embeds, r.HTML)
			}
		})
	}
	t.Run("feeds, comments and plain text have the link", func(t *testing.T) {
		m := markdown.New()
		feed, about := m.FeedHTML(video, "https://example.com/posts/x")
		want := `<p><a href="` + video + `" rel="nofollow ugc noopener">` + video + `</a></p>`
		if !strings.Contains(feed, want) || !strings.Contains(m.CommentHTML(video), want) || len(about.Embeds) > 0 {
			t.Errorf("the feed has %s, a comment %s", feed, m.CommentHTML(video))
		}
		if text := m.Text(video, 1000); text != video {
			t.Errorf("the text is %q", text)
		}
	})
	t.Run("a text has a limited number of cards", func(t *testing.T) {
		r := markdown.New().Post(strings.Repeat(video+"\n\n", embed.Max+5))
		if len(r.Embeds) != embed.Max || strings.Count(r.HTML, `class="embed"`) != embed.Max ||
			strings.Count(r.HTML, "<a ") != embed.Max+5 {
			t.Errorf("there are %d cards in %s", len(r.Embeds), r.HTML)
		}
	})
	t.Run("a class that was typed makes no card", func(t *testing.T) {
		r := markdown.New().Post(`<p class="embed"><a href="` + video + `">x</a></p>`)
		if len(r.Embeds) > 0 || strings.Contains(r.HTML, `<p class="embed">`) {
			t.Errorf("the HTML is %s", r.HTML)
		}
	})
}
