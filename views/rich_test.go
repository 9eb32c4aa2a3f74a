package views

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"inkfeed/domain/locale"
)

func TestRichTextsKeepTheirElements(t *testing.T) {
	date := templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "<time>today</time>")
		return err
	})
	var b strings.Builder
	m := locale.M("Read <guide>the <em>guide</em> of {author}</guide> & more, {when}<code>x</code>.", "author",
		"<b>Ada")
	err := Rich(m, Link("guide", "/guide", templ.Attributes{"rel": "help"}), Slot("when", date)).Render(t.Context(), &b)
	if err != nil {
		t.Fatal(err)
	}
	const want = `Read <a href="/guide" rel="help">the <em>guide</em> of &lt;b&gt;Ada</a> &amp; more, ` +
		`<time>today</time><code>x</code>.`
	if b.String() != want {
		t.Errorf("got  %s\nwant %s", b.String(), want)
	}
}

func TestRichTextsOnlyHaveExpectedElements(t *testing.T) {
	var b strings.Builder
	if err := Rich(locale.M("a <script>b</script> <em>c {gap}")).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != "a b <em>c </em>" {
		t.Errorf("got %s", got)
	}
}
