package views

import (
	"strings"
	"testing"

	"inkfeed/domain/locale"
	"inkfeed/domain/markdown"
)

func TestLabelsOfTextsAreTranslated(t *testing.T) {
	accented := locale.Pseudo()[0]
	source := "# A \"title\" & more\n\n- [x] a\n- [ ] b\n\nText[^1]\n\n[^1]: A note with aria-label=\"Footnotes\".\n"
	text := markdown.New().Post(source).HTML + `<div aria-label="Table"></div>`
	render := func(l *locale.Language) string {
		var b strings.Builder
		if err := Prose(text).Render(locale.With(t.Context(), l), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := render(locale.English()); got != text {
		t.Errorf("the English text has changed: %s", got)
	}
	got := render(accented)
	labels := []locale.Message{locale.M("Footnotes"), locale.M("Footnote {number}", "number", 1), locale.M("Done:"),
		locale.M("To do:"), locale.M("Back to the text"), locale.M("Table")}
	for _, label := range labels {
		if want := ` aria-label="` + accented.Text(label) + `"`; !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	for _, label := range renderedLabel.FindAllString(got, -1) {
		t.Errorf("%s is not translated", label)
	}
	heading := accented.Text(locale.M("Link to this section: {title}", "title", "A &#34;title&#34; &amp; more"))
	if !strings.Contains(got, heading) {
		t.Errorf("the label of the heading is missing in %s", got)
	}
}
