package writing_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"inkfeed/web/webtest"
)

// explanationFocused is true when a conflict is loaded and its explanation has the focus. Browsers move the focus while
// they still load the rest of the page.
const explanationFocused = `document.readyState === 'complete' && document.activeElement.matches('[role="alert"]')`

func TestAConflictFocusesItsExplanation(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.Resize(1280, 900)
	b.SignInAs(w.Ada)
	b.Open("/posts/" + w.Long.ID + "/edit")
	b.Eval(webtest.SubmitFormScript([]string{"revision", "0", "title", "Mine", "content", "Mine"}))
	b.WaitUntil(explanationFocused)
	left := func(selector string) string {
		return b.Eval(`document.querySelector('` + selector + `').getBoundingClientRect().left`)
	}
	if h, a, f := left("h1"), left(`[role="alert"]`), left("#title"); h != a || a != f {
		t.Errorf("the left edges of heading, explanation and field are %s, %s, %s", h, a, f)
	}
	b.Click(`[role="alert"] a`)
	b.WaitUntil(`document.activeElement.id === 'difference-1'`)
	b.WantQuietConsole("409")
}

func TestAConflictOfALongTextLeadsFromDifferenceToDifference(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	// Much longer texts would reach the time limit of comparing two versions on a busy machine.
	long := strings.Repeat(strings.Repeat("A sentence that stays. ", 4)+"\n\n", 40)
	theirs := long + "Their end. " + long + "Their last words."
	d := w.Ada.CreateDraft("A title", theirs, "")
	mine := strings.ReplaceAll(theirs, "Their", "My")
	b.SignInAs(w.Ada)
	inView := func(difference string) string {
		return `['mine', 'saved'].every((side) => {
			const mark = document.querySelector('` + difference + ` .' + side + ' :is(ins, del)');
			const { top, bottom } = mark.getBoundingClientRect();
			return top >= 0 && bottom <= innerHeight;
		})`
	}
	for _, size := range [][2]int64{{1280, 800}, {390, 800}} {
		b.Resize(size[0], size[1])
		b.Open("/posts/" + d.PostID + "/edit")
		b.Eval(webtest.SubmitFormScript([]string{"version", "7", "content", mine, "do", "save"}))
		b.WaitUntil(explanationFocused)
		b.WantValue(`document.querySelectorAll('.difference').length`, "2")
		b.Press(`[role="alert"] a`)
		b.WaitUntil(inView("#difference-1"))
		b.PressKey(kb.Tab)
		b.WantValue(`document.activeElement.textContent`, "Next difference")
		b.PressKey(kb.Enter)
		b.WaitUntil(`document.activeElement.id === 'difference-2' && ` + inView("#difference-2"))
		b.PressKey(kb.Tab)
		b.PressKey(kb.Enter)
		b.WaitUntil(`document.activeElement.id === 'difference-1' && ` + inView("#difference-1"))
		if !b.FitsWindow() {
			t.Errorf("at a width of %d the page is wider than the window", size[0])
		}
	}
	b.WantQuietConsole("409")
}

func TestACombinedTextReplacesTheCopyInTheBrowser(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	d := w.Ada.CreateDraft("A title", "One", "")
	b.SignInAs(w.Ada)
	openDraft(b, d.PostID)
	w.Ada.Post("/drafts/"+d.PostID, "version", "1", "title", "A title", "content", "One two").Want(http.StatusOK)
	b.Type("#content", " three")
	b.WaitForText("#saved", "changed in another tab")
	b.Click("#saved button")
	b.WaitUntil(explanationFocused)
	b.SetValue("#merge #content", "One two three")
	b.Click("#merge button[value=mine]")
	b.WaitUntil(`document.querySelector('#saved') && ` + scriptHasRun)
	b.WantValue(`document.querySelector('#content').value`, "One two three")
	b.WaitUntil(`localStorage.length === 0 && sessionStorage.length === 0`)
	b.WantValue(`document.querySelector('.recovered') === null`, "true")
}
