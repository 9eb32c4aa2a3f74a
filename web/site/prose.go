package site

import (
	"cmp"
	"context"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/embed"
	"inkfeed/domain/markdown"
	"inkfeed/views"
)

// RenderText renders the text of a post in a language. If it is empty, the language is detected.
func (s *Site) RenderText(source, language string) markdown.Rendered {
	return withTableBoxes(s.Markdown.In(language).Post(source))
}

// ShowEmbeds adds to a rendered text what was fetched about its embeds. The answer allows their frames.
func ShowEmbeds(c echo.Context, text markdown.Rendered, fetched embed.Cards) markdown.Rendered {
	cards, hosts := fetched.List(), ""
	for i, e := range text.Embeds {
		text.Embeds[i] = e.With(cards)
		if host := text.Embeds[i].Host(); host != "" && !strings.Contains(hosts+" ", " https://"+host+" ") {
			hosts += " https://" + host
		}
	}
	if text.Framed = hosts != ""; text.Framed {
		c.Response().Header().Set("Content-Security-Policy", contentSecurityPolicy+"; frame-src"+hosts)
	}
	return text
}

func withTableBoxes(r markdown.Rendered) markdown.Rendered {
	r.HTML = TableBoxes.Replace(r.HTML)
	return r
}

// Preview renders an author's draft as its readers will see it. It waits for a free slot, and fails with
// TooLarge if the text is too long to publish.
func (s *Site) Preview(ctx context.Context, author domain.User, d domain.Draft) (views.RenderedPost, error) {
	if domain.StoredBytes(d.Content) > domain.MaxContent {
		return views.RenderedPost{}, domain.NewError(domain.TooLarge,
			"This text is too long to preview or publish. Shorten it and try again.")
	}
	release, err := s.PreviewSlots.Acquire(ctx)
	if err != nil {
		return views.RenderedPost{}, err
	}
	defer release()
	details, _ := d.Details.Clean() // the form says what is invalid
	language := cmp.Or(details.Language, author.WritingLanguage)
	text := withTableBoxes(s.Markdown.In(language).Preview(d.Content))
	return views.NewRenderedPost(strings.TrimSpace(d.Title), details, text), nil
}

// TableBoxes wraps tables in boxes that scroll and can be reached with the keyboard, so that wide
// tables do not widen the page. The table itself cannot be the box: screen readers would no longer
// see a table. The box has the table's text direction. Replacing text is safe here, because
// sanitised HTML escapes a typed "<".
var TableBoxes = strings.NewReplacer(
	`<table dir="auto">`, tableBox("auto"), `<table dir="ltr">`, tableBox("ltr"), `<table dir="rtl">`, tableBox("rtl"),
	"</table>", "</table></div>")

func tableBox(direction string) string {
	return `<div class="scroll" dir="` + direction + `" role="group" aria-label="Table" tabindex="0"><table>`
}
