package reading_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// A text with a wide and a high picture, headings, and Arabic paragraphs and lists that begin with code.
func illustratedPost(t *testing.T, author *webtest.Visitor) domain.Post {
	t.Helper()
	var addresses []string
	for _, size := range [][2]int{{1600, 900}, {1000, 1000}} {
		addresses = append(addresses,
			author.Scripted().Upload("/images", webtest.Photo(t, size[0], size[1])).JSON().URL)
	}
	return author.CreatePost("مرحبا", "هذه فقرة عربية طويلة بما يكفي لكي تظهر اتجاه الكتابة في الصفحة.\n\n"+
		"`npm install` هو الأمر.\n\n- `go test` أمر\n\n## عنوان\n\n![A wide one]("+addresses[0]+
		" \"Its caption\")\n\n![A square]("+addresses[1]+")\n\n- ![In a list]("+addresses[0]+")\n")
}

func TestThePageOfAPostInABrowser(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	post := illustratedPost(t, w.Ada)
	b.Resize(1280, 900)
	b.Open(post.Path())

	t.Run("a right-to-left post begins on the right, whatever code its paragraphs begin with", func(t *testing.T) {
		for selector, want := range map[string]string{
			".post > header .meta": "rtl", ".post .prose": "rtl", ".post .prose ul": "rtl",
		} {
			b.WantValue(`getComputedStyle(document.querySelector('`+selector+`')).direction`, want)
		}
		for _, selector := range []string{".post h1", ".post .prose code"} {
			b.WantValue(`(() => {
				const e = document.querySelector('`+selector+`'), box = e.getBoundingClientRect();
				const range = document.createRange();
				range.selectNodeContents(e);
				const column = document.querySelector('.post .prose').getBoundingClientRect();
				return Math.abs(range.getBoundingClientRect().right - column.right) < 10;
			})()`, "true")
		}
	})
	t.Run("a wide picture extends beyond the column on wide screens only", func(t *testing.T) {
		const beyond = `(() => {
			const column = document.querySelector('.post .prose').clientWidth;
			return [...document.querySelectorAll('.prose img')].map(i => i.clientWidth > column).join();
		})()`
		b.WantValue(beyond, "true,false,false")
		b.WantValue(`document.querySelector('.wide-picture img').clientWidth`, "960")
		for _, width := range []int64{1060, 1000, 390, 320} {
			b.Resize(width, 800)
			if !b.FitsWindow() {
				t.Errorf("the page is wider than a window of %d pixels", width)
			}
		}
		b.WantValue(beyond, "false,false,false")
		b.Resize(1280, 900)
	})
	t.Run("the link of a heading appears under the pointer and with the focus", func(t *testing.T) {
		const opacity = `getComputedStyle(document.querySelector('.prose .anchor')).opacity`
		b.WantValue(opacity, "0")
		b.Eval(`document.querySelector('.prose .section').scrollIntoView({behavior: 'instant', block: 'center'})`)
		at := strings.Split(b.Eval(`(() => {
			const box = document.querySelector('.prose .section').getBoundingClientRect();
			return [Math.round(box.left + 5), Math.round(box.top + 5)].join();
		})()`), ",")
		movePointer(b, number(t, at[0]), number(t, at[1]))
		b.WaitUntil(opacity + ` === '1'`)
		movePointer(b, 1, 1)
		b.WaitUntil(opacity + ` === '0'`)
		b.Eval(`document.querySelector('.prose .anchor').focus({focusVisible: true})`)
		b.WaitUntil(opacity + ` === '1'`)
	})
	t.Run("a printed page has only the article, its author, date and address", func(t *testing.T) {
		w.Ben.CreateComments(post, "A comment.")
		b.SignInAs(w.Ben)
		b.Open(post.Path())
		webtest.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		text := b.Eval("document.body.innerText")
		for _, want := range []string{"مرحبا", "@ada", "Its caption", "/posts/" + post.ID} {
			if !strings.Contains(text, want) {
				t.Errorf("the printed page lacks %q: %s", want, text)
			}
		}
		for _, unwanted := range []string{"Inkfeed", "Report", "Bookmark", "Comment", "comment", "Previous",
			"Related", "Log", "Contents", "#"} {
			if strings.Contains(text, unwanted) {
				t.Errorf("the printed page has %q: %s", unwanted, text)
			}
		}
		b.WantValue(`document.querySelector('.post > header time').checkVisibility()`, "true")
		b.WantValue(`document.querySelector('#Page-like').checkVisibility()`, "false")
	})
	b.WantQuietConsole()
}

func TestFoldedSectionsArePrintedInFull(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	post := w.Ada.CreatePost("A riddle",
		"What is it?\n\n<details>\n<summary>The answer</summary>\n\nA clock.\n\n</details>")
	b.Open(post.Path())
	const answer = `document.querySelector('.prose details p').checkVisibility()`
	b.WantValue(answer, "false")
	webtest.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	b.WantValue(answer, "true")
	b.WantValue(`document.querySelector('.prose details').clientHeight >=
		document.querySelector('.prose summary').offsetHeight +
		document.querySelector('.prose details p').offsetHeight`, "true")
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func movePointer(b *webtest.Tab, x, y float64) {
	webtest.Call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y})
}
