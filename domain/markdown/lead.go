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

// WithoutLead returns the text without the picture at its beginning, and that picture's caption as plain text. Lead is
// false, and the text unchanged, if the text does not begin with this picture alone in a paragraph.
func (r Rendered) WithoutLead(picture domain.ImageName) (without Rendered, caption string, lead bool) {
	figure, rest, ok := strings.Cut(r.HTML, figureEnd)
	if !ok || !strings.HasPrefix(figure, "<figure") || !strings.Contains(figure, `src="`+picture.Path()+`"`) {
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
