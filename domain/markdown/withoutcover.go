package markdown

import (
	"html"
	"strings"

	"inkfeed/domain"
)

const (
	figureEnd    = "</figure>\n"
	captionBegin = "<figcaption>"
	captionEnd   = "</figcaption>"
)

// WithoutCover returns the text without the cover at its beginning, and the cover's caption as plain text. If the text
// does not begin with this picture, alone in a paragraph, WithoutCover returns the unchanged text and false.
func (r Rendered) WithoutCover(cover domain.ImageName) (without Rendered, caption string, first bool) {
	figure, rest, ok := strings.Cut(r.HTML, figureEnd)
	if !ok || !strings.HasPrefix(figure, "<figure") || !strings.Contains(figure, `src="`+cover.Path()+`"`) {
		return r, "", false
	}
	if _, after, ok := strings.Cut(figure, captionBegin); ok {
		caption = html.UnescapeString(strings.TrimSuffix(after, captionEnd))
	}
	r.HTML = rest
	return r, caption, true
}

// ImageSizes returns the value of the attribute sizes of a picture that is alone on a line of a post's page, and
// whether the picture extends beyond the column of text.
func ImageSizes(n domain.ImageName) (sizes string, wide bool) {
	if isWide(n) {
		return wideSizes, true
	}
	return imageSizes, false
}
