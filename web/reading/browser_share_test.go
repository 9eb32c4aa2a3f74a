package reading_test

import (
	"net/http"
	"testing"

	"inkfeed/web/webtest"
)

func TestAReaderSharesAPost(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	p := w.Ada.CreatePost("A walk", "text")
	t.Run("by a link without a script", func(t *testing.T) {
		w.Anonymous().Get(p.Path()).Want(http.StatusOK).Has(`.share a[href$="`+p.Path()+`"]`, "Link to this post").
			Has(`.share button[hidden][data-do="copy"]`, "").Has(`.share button[hidden][data-do="share"]`, "")
	})
	const copying = `.share [data-do="copy"]`
	t.Run("by copying the link", func(t *testing.T) {
		b.OpenAndWait(p.Path())
		b.Eval(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`)
		b.Click(copying)
		b.WaitUntil(`document.querySelector(".share [role]").textContent === "Link copied."`)
		b.WantValue(`window.copied === location.href && !document.querySelector(".share a").checkVisibility()`, "true")
	})
	t.Run("by the link if it cannot be copied", func(t *testing.T) {
		b.OpenAndWait(p.Path())
		b.Eval(`navigator.clipboard.writeText = () => Promise.reject(new Error())`)
		b.Click(copying)
		b.WaitUntil(`document.querySelector(".share a").checkVisibility()`)
	})
	t.Run("by the dialog of the system where there is one", func(t *testing.T) {
		b.OpenAndWait(p.Path())
		b.WantValue(`document.querySelector('.share [data-do="share"]').hidden === !navigator.share`, "true")
	})
	b.WantQuietConsole()
}
