package site

import (
	"context"
	"strings"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/views"
)

// RenderText renders the text of a post.
func (s *Site) RenderText(source string) markdown.Rendered { return boxed(s.Markdown.Post(source)) }

func boxed(r markdown.Rendered) markdown.Rendered {
	r.HTML = TableBoxes.Replace(r.HTML)
	return r
}

// Preview renders a text as its readers will see it. It waits for a free slot, and fails with
// TooLarge if the text is too long to publish.
func (s *Site) Preview(ctx context.Context, title, source string) (views.RenderedPost, error) {
	if domain.StoredBytes(source) > domain.MaxContent {
		return views.RenderedPost{}, domain.Errorf(domain.TooLarge,
			"This text is too long to preview or publish. Shorten it and try again.")
	}
	release, err := s.PreviewSlots.Acquire(ctx)
	if err != nil {
		return views.RenderedPost{}, err
	}
	defer release()
	return views.RenderedPost{Title: strings.TrimSpace(title), Text: boxed(s.Markdown.Preview(source))}, nil
}

// TableBoxes gives tables a box to scroll in, which the keyboard reaches: a wide one must
// not widen the page, and a table that is itself made a box is none any more to a screen
// reader. The box begins on the side where the table does. This may work on text: in
// sanitised HTML a "<" that is typed is "&lt;".
var TableBoxes = strings.NewReplacer(
	`<table dir="auto">`, `<div class="scroll" dir="auto" role="group" aria-label="Table" tabindex="0"><table>`,
	"</table>", "</table></div>")
