package writing_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"inkfeed/web/webtest"
)

func TestTheLivePreviewFollowsTheText(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Resize(1280, 900)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	t.Run("beside the text in a wide window", func(t *testing.T) {
		b.Click("#toggle-preview")
		b.Type("#title", "A title")
		b.Type("#content", "Some *text* and <b>")
		b.WaitUntil(`document.querySelector('#rendering em')?.textContent === 'text'`)
		b.WaitForText("#rendering .title", "A title")
		b.WaitForText("#rendering .prose", "<b>")
		b.WaitUntil(`document.querySelector('#count').textContent === '3 words, 1 min read'`)
		if got := b.Eval(`document.querySelector('#reading').getBoundingClientRect().left >
			document.querySelector('#content').getBoundingClientRect().right`); got != "true" {
			t.Error("the preview is not beside the text")
		}
		if b.Eval(`document.querySelector('#preview').checkVisibility()`) != "false" {
			t.Error("the preview button of the form is visible")
		}
	})
	t.Run("in place of the text in a narrow window", func(t *testing.T) {
		b.Resize(390, 844)
		b.WaitUntil(`document.querySelector('#reading').checkVisibility() &&
			!document.querySelector('#content').checkVisibility()`)
		b.Press("#toggle-preview")
		b.WaitUntil(`!document.querySelector('#reading').checkVisibility() &&
			document.querySelector('#content').checkVisibility()`)
		b.WaitUntil(`document.activeElement.id === 'toggle-preview' && document.activeElement.ariaPressed === 'false'`)
		b.Type("#content", " 吾輩は")
		b.WaitForText("#count", "3 words and 3 characters, 1 min read")
		b.Press("#toggle-preview")
		b.WaitForText("#rendering .prose", "吾輩は")
	})
	t.Run("from right to left, also if the text begins with code", func(t *testing.T) {
		b.Resize(1280, 900)
		b.SetValue("#title", "العربية in Go, a programming language")
		b.SetValue("#content", "`fmt.Println(1)` نص طويل عن لغة البرمجة\n\n```\nfunc main() { println(1, 2, 3) }\n```")
		b.Type("#content", "\n")
		b.WaitUntil(`document.querySelector('#content').dir === 'rtl' &&
			document.querySelector('#title').dir === 'rtl'`)
		b.WaitUntil(`getComputedStyle(document.querySelector('#rendering .meta')).direction === 'rtl'`)
		b.SetValue("#content", "吾輩は")
		b.SetValue("#title", "A title")
		b.Type("#content", " ")
		b.WaitUntil(`document.querySelector('#content').dir === 'auto' &&
			document.querySelector('#title').dir === 'auto'`)
		b.WaitForText("#rendering .prose", "吾輩は")
	})
	t.Run("and says why it cannot", func(t *testing.T) {
		b.SignInAs(nil)
		b.Resize(1280, 900)
		b.Type("#content", " more")
		b.WaitForText("#preview-problem", "your session has expired")
		b.WaitForText("#rendering .prose", "吾輩は") // as it was
		b.SignInAs(w.Ada)
		b.WaitForText("#rendering .prose", "more")
		b.WaitUntil(`document.querySelector('#preview-problem').textContent === ''`)
	})
	b.WantQuietConsole("401")
}

func TestThePreviewOpensAtTheCaret(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	var text strings.Builder
	for i := range 60 {
		n := strconv.Itoa(i)
		fmt.Fprintf(&text, "The same words begin each [paragraph](https://example.org/a-long-address), and *only* "+
			"number %s is called %s.\n\n", n, strings.Repeat("x", i+1))
		if i%10 == 5 {
			text.WriteString("```\nfmt.Println(1, 2, 3, 4, 5, 6, 7, 8, 9)\n```\n\n- a list\n- of words\n\n" +
				"| a | table |\n| - | ----- |\n| of | words |\n\n")
		}
	}
	source := strconv.Quote(text.String())
	for name, size := range map[string][2]int64{"in place of the text": {390, 844}, "beside the text": {1280, 800}} {
		t.Run(name, func(t *testing.T) {
			b.Resize(size[0], size[1])
			b.SetValue("#content", text.String())
			b.Click("#content")
			const toggle = `document.querySelector('#toggle-preview').click()`
			at := func(place string) {
				t.Helper()
				b.Eval(`(() => {
					const at = ` + source + `.indexOf(` + strconv.Quote(place) + `);
					document.querySelector('#content').setSelectionRange(at, at);
					const top = at / ` + strconv.Itoa(text.Len()) + ` * document.body.scrollHeight - innerHeight / 2;
					scrollTo({ top, behavior: 'instant' });
					` + toggle + `;
				})()`)
			}
			for _, n := range []int{0, 33, 59, 12} {
				at("number " + strconv.Itoa(n) + " is")
				b.WaitUntil(`(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(
					[...document.querySelectorAll('#rendering .prose > p')].find((p) => p.textContent.includes(
						' number ` + strconv.Itoa(n) + ` is'))?.getBoundingClientRect() ?? {})`)
				b.Eval(toggle)
			}
			t.Run("at the top if the caret is there", func(t *testing.T) {
				at("The same words")
				b.WaitUntil(`document.querySelector('#rendering .title').getBoundingClientRect().top > 0`)
				b.Eval(toggle)
			})
			t.Run("at a line without words", func(t *testing.T) {
				at("fmt.Println")
				b.WaitUntil(`document.querySelector('#rendering pre').getBoundingClientRect().top > 0 &&
					document.querySelector('#rendering pre').getBoundingClientRect().bottom < innerHeight`)
				b.Eval(toggle)
			})
		})
	}
	t.Run("and closes where the text was", func(t *testing.T) {
		b.Resize(390, 844)
		b.Eval(`scrollTo({ top: 1234, behavior: 'instant' })`)
		b.Press("#toggle-preview")
		b.WaitVisible("#rendering .prose")
		b.Press("#toggle-preview")
		b.WaitUntil(`scrollY === 1234`)
	})
	b.WantQuietConsole()
}

func TestThePreviewLooksLikeThePost(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Resize(390, 844)
	look := func(texts string) string {
		t.Helper()
		// static/text.js adds buttons to the post, and wraps code.
		return b.Eval(`[...document.querySelectorAll('` + texts + `')].filter(
			(element) => !element.matches('.code-box, .code-box > :not(pre), .enlarge')).map((element) => {
			const style = getComputedStyle(element);
			return element.tagName + ' ' + ['fontFamily', 'fontSize', 'fontWeight', 'lineHeight', 'letterSpacing',
				'color', 'marginTop', 'marginBottom', 'paddingLeft', 'textAlign', 'display', 'width',
				].map((property) => style[property]).join(' ');
		}).join('\n')`)
	}
	b.Open(w.Long.Path())
	post := look(".post .prose, .post .prose *")
	title := b.Eval(`(({ fontFamily, fontSize, fontWeight, lineHeight, letterSpacing }) =>
		[fontFamily, fontSize, fontWeight, lineHeight, letterSpacing])(getComputedStyle(document.querySelector('h1')))`)
	b.Open("/posts/" + w.Long.ID + "/edit")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	field := b.Eval(`(({ fontFamily, fontSize, lineHeight }) => [fontFamily, fontSize, lineHeight])(
		getComputedStyle(document.querySelector('#content')))`)
	b.Click("#toggle-preview")
	b.WaitVisible("#rendering .prose")
	if got := look("#rendering .prose, #rendering .prose *"); got != post || got == "" {
		t.Errorf("the preview looks like\n%s\nbut the post like\n%s", got, post)
	}
	for what, selector := range map[string]string{"preview": "#rendering .title", "editor": "#title"} {
		if got := b.Eval(`(({ fontFamily, fontSize, fontWeight, lineHeight, letterSpacing }) =>
			[fontFamily, fontSize, fontWeight, lineHeight, letterSpacing])(
			getComputedStyle(document.querySelector('` + selector + `')))`); got != title {
			t.Errorf("the title in the %s looks like %s, but in the post like %s", what, got, title)
		}
	}
	if got := b.Eval(`(({ fontFamily, fontSize, lineHeight }) => [fontFamily, fontSize, lineHeight])(
		getComputedStyle(document.querySelector('#rendering .prose p')))`); got != field {
		t.Errorf("the text looks like %s in the editor, but like %s in the post", field, got)
	}
	b.WantQuietConsole()
}
