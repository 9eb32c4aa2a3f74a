package markdown

import (
	"html"
	"regexp"
	"strings"

	"inkfeed/domain"
)

// figure matches a picture that is alone in its paragraph, with its path and its caption.
var figure = regexp.MustCompile(
	`<figure[^>]*><img [^>]*?src="([^"]*)"[^>]*>(?:<figcaption>([^<]*)</figcaption>)?</figure>\n`)

// CoverPlace is where a text shows its cover.
type CoverPlace int

// The places of a cover in a text.
const (
	CoverNowhere CoverPlace = iota
	CoverFirst              // the text begins with it
	CoverAlone              // further down, alone in a paragraph
	CoverWithin             // in a sentence, a link, a gallery, a list or a quote
)

// WithoutCover returns the text without the cover, the cover's caption as plain text and the place where the cover was.
// At CoverWithin the picture belongs to what is around it, so WithoutCover returns the unchanged text.
func (r Rendered) WithoutCover(cover domain.ImageName) (without Rendered, caption string, place CoverPlace) {
	if !strings.Contains(r.HTML, `<img src="`+cover.Path()+`"`) {
		return r, "", CoverNowhere
	}
	depth, seen := 0, 0
	for _, at := range figure.FindAllStringSubmatchIndex(r.HTML, -1) {
		begin, end := at[0], at[1]
		depth, seen = depth+nesting(r.HTML[seen:begin]), begin
		if depth > 0 || r.HTML[at[2]:at[3]] != cover.Path() {
			continue
		}
		if at[4] >= 0 {
			caption = html.UnescapeString(r.HTML[at[4]:at[5]])
		}
		place = CoverAlone
		if begin == 0 {
			place = CoverFirst
		}
		r.HTML = r.HTML[:begin] + r.HTML[end:]
		return r, caption, place
	}
	return r, "", CoverWithin
}

// nesting returns how many more quotes, callouts, list items, definitions and collapsible sections a text opens than it
// closes.
func nesting(text string) (depth int) {
	for _, element := range []string{"blockquote", "li", "dd", "details", "div"} {
		depth += strings.Count(text, "<"+element) - strings.Count(text, "</"+element)
	}
	return depth
}

// ImageSizes returns the value of the attribute sizes of a picture that is alone on a line of a post's page, and
// whether the picture extends beyond the column of text.
func ImageSizes(n domain.ImageName) (sizes string, wide bool) {
	if isWide(n) {
		return wideSizes, true
	}
	return imageSizes, false
}
