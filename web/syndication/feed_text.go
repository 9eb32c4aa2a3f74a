package syndication

import (
	"cmp"
	"html"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/plaintext"
)

// The texts of a feed are in it in full up to so many bytes: the first posts, as they are
// written and as HTML. Of what is beyond, as of hardly any feed, there are summaries. Anybody
// may ask for a feed, and no more work is to be in that.
const (
	maxFeedSource = 512 << 10
	maxFeedHTML   = 512 << 10
)

// feedSummary is the length of the short text beside the whole one, in characters.
const feedSummary = domain.SummaryLimit

// language is that of all posts whose language is plain, empty when they differ.
func sameLanguage(texts []feedText) string {
	language := ""
	for _, t := range texts {
		if language != "" && t.language != language {
			return ""
		}
		language = t.language
	}
	return language
}

// feedText is a post's text in a feed.
type feedText struct{ html, summary, language, image string }

func (f feed) texts(m *markdown.Renderer) []feedText {
	texts := make([]feedText, len(f.posts))
	source, written := 0, 0
	for i, p := range f.posts {
		if source += len(p.Content); source > maxFeedSource {
			texts[i] = f.short(p, "")
			continue
		}
		whole, about := m.FeedHTML(p.Content, f.postURL(p))
		about.Language = cmp.Or(p.Details.Language, about.Language)
		texts[i] = feedText{html: whole, summary: m.Text(p.Content, feedSummary), language: about.Language}
		if written += len(whole); written > maxFeedHTML {
			texts[i] = f.short(p, about.Language)
		}
		if about.Image != "" {
			texts[i].image = f.base + about.Image
		}
	}
	return texts
}

// short is a post by its summary, with the way to the rest.
func (f feed) short(p domain.Post, language string) feedText {
	summary := plaintext.Truncate(f.summaries[p.ID], feedSummary)
	return feedText{html: "<p>" + html.EscapeString(summary) + `</p><p><a href="` + html.EscapeString(f.postURL(p)) +
		`">` + html.EscapeString(p.Title) + "</a></p>",
		summary: summary, language: language}
}

// description is the summary or, of a post without words, its title.
func (t feedText) description(title string) string {
	if t.summary == "" {
		return title
	}
	return t.summary
}
