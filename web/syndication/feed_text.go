package syndication

import (
	"cmp"
	"html"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/plaintext"
)

// Limits of the full texts in a feed, in bytes of source and of HTML. Posts beyond them have
// summaries only. Few feeds reach the limits; they bound the work that an anonymous request can
// cause.
const (
	maxFeedSource = 512 << 10
	maxFeedHTML   = 512 << 10
)

// feedSummary is the length of the summary beside the full text, in characters.
const feedSummary = domain.SummaryLimit

// sameLanguage returns the common language of all posts with a known language, or "" if they
// differ.
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
			texts[i] = f.summarised(p, "")
			continue
		}
		whole, about := m.In(cmp.Or(p.Details.Language, f.language)).FeedHTML(p.Content, f.postURL(p))
		texts[i] = feedText{html: whole, summary: m.Text(p.Content, feedSummary), language: about.Language}
		if written += len(whole); written > maxFeedHTML {
			texts[i] = f.summarised(p, about.Language)
		}
		if about.Image != "" {
			texts[i].image = f.base + about.Image
		}
	}
	return texts
}

// summarised is a post by its summary, with the way to the rest.
func (f feed) summarised(p domain.Post, language string) feedText {
	summary := plaintext.Truncate(f.summaries[p.ID], feedSummary)
	return feedText{html: "<p>" + html.EscapeString(summary) + `</p><p><a href="` + html.EscapeString(f.postURL(p)) +
		`">` + html.EscapeString(p.Title) + "</a></p>",
		summary: summary, language: language}
}

// description returns the summary or, for a post without words, its title.
func (t feedText) description(title string) string {
	if t.summary == "" {
		return title
	}
	return t.summary
}
