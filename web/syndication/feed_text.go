package syndication

import (
	"cmp"
	"fmt"
	"html"
	"runtime"
	"runtime/debug"

	"golang.org/x/sync/errgroup"

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
		if language != "" && t.language != "" && t.language != language {
			return ""
		}
		language = cmp.Or(language, t.language)
	}
	return language
}

// feedText is a post's text in a feed.
type feedText struct{ html, summary, language, image string }

// texts renders the texts of the posts, as many at a time as there are processors.
func (f feed) texts(m *markdown.Renderer) ([]feedText, error) {
	texts := make([]feedText, len(f.posts))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	source := 0
	for i, p := range f.posts {
		if source += len(p.Content); source > maxFeedSource {
			texts[i] = f.summarised(p)
			continue
		}
		group.Go(func() (err error) {
			defer func() {
				if fault := recover(); fault != nil { // here it would end the program
					err = fmt.Errorf("render post %s for a feed: panic: %v\n%s", p.ID, fault, debug.Stack())
				}
			}()
			texts[i] = f.whole(p, m)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	written := 0
	for i, p := range f.posts {
		if written += len(texts[i].html); written > maxFeedHTML {
			short := f.summarised(p)
			texts[i].html, texts[i].summary = short.html, short.summary
		}
	}
	return texts, nil
}

// whole returns the whole text of a post. The list has its summary, unless the post was edited since.
func (f feed) whole(p domain.Post, m *markdown.Renderer) feedText {
	html, about := m.In(cmp.Or(p.Details.Language, f.language)).FeedHTML(p.Content, f.postURL(p))
	text := feedText{html: html, language: about.Language}
	if listed, ok := f.list[p.ID]; ok && listed.Revision == p.Revision {
		text.summary = listed.Text
	} else {
		text.summary = p.Details.Extract(m.Text(p.Content, feedSummary))
	}
	if cover := p.Details.CoverOf(about.Pictures).Image; cover.Shareable() {
		text.image = f.base + cover.Path()
	}
	return text
}

// summarised is a post by its summary, with the way to the rest.
func (f feed) summarised(p domain.Post) feedText {
	summary := plaintext.Truncate(f.list[p.ID].Text, feedSummary)
	return feedText{html: "<p>" + html.EscapeString(summary) + `</p><p><a href="` + html.EscapeString(f.postURL(p)) +
		`">` + html.EscapeString(p.Title) + "</a></p>", summary: summary}
}
