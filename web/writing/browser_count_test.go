package writing_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"inkfeed/web/webtest"
)

// The editor counts while the author types, and shows the server's count when the preview is open.
func TestTheEditorCountsWordsLikeThePreview(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	for _, text := range []string{
		"", "word", "It's 3.5 well-known words, e.g. a:b and 10:30.", "One\n\n## Two three\n\n- four\n- five\n\n> six",
		"See https://example.org/a/b?c=d. And <https://example.org>, www.example.org/x or ada@example.org!",
		"詳細はhttps://example.org/a。次の文です", "https://cs.wikipedia.org/wiki/Kočka má čtyři nohy",
		"[two words](https://example.org/a_(b)) and [one][1]\n\n[1]: https://example.org/some-page \"A title\"\n",
		"![a picture](/media/x.png) of it", "some `inline code here` and ``more ` of it`` end",
		"```go\nfunc main() {}\n```\n\nafter\n\n~~~\nno words\n~~~\n", "before\n\n```\nnever closed\nfence",
		"> ```\n> code in a quote\n> ```\n> words", "a formula $a_1 + b_2$ and\n\n$$\nx + y\n$$\n\nfrom $5 to $6 each",
		"- [x] done\n- [ ] to do\n\n1. first\n2) second",
		"A note.[^1] Another.[^n]\n\n[^1]: Its text.\n\n[^n]: More of it.",
		"un*frigg*ing **bold**ness ~~st~~ruck and snake_case", "2 * 3 * 4 and ~/a:~/b",
		"a<b>b</b> c <!-- no words --> d &amp; e&nbsp;f caf&eacute;",
		"3\\.14 \\*not\\* bold", "|a b|c|\n|-|-|\n|d|e f|",
		"吾輩は猫である。\n名前はまだ無い。", "サーバーを Go で書く、3月に", "สวัสดีชาวโลก และ Go", "안녕 세상 여러분", "مرحبا بالعالم",
		"<details>\n<summary>A title</summary>\n\nwords\n\n</details>", "½ ① ² x² 10% 1,000.5 – … 👩‍👩‍👧 ok",
		"l'été d’hiver aujourd'hui", "İstanbul'da ışık", strings.Repeat("word ", 356), strings.Repeat("猫", 1001),
	} {
		b.Eval(`(() => {
			const field = document.querySelector('#content');
			field.value = ` + strconv.Quote(text) + `;
			field.dispatchEvent(new Event('input', { bubbles: true }));
		})()`)
		got := b.Eval(`document.querySelector('#count').textContent`)
		want := w.Ada.Post("/preview", "content", text).Want(http.StatusOK).Page().Find("article .meta").Text()
		if strings.TrimSpace(want) != got {
			t.Errorf("%q: the editor counts %q, the preview %q", text, got, want)
		}
	}
	b.WantQuietConsole()
}
