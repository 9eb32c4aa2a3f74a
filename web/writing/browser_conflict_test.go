package writing_test

import (
	"testing"

	"inkfeed/web/webtest"
)

func TestAConflictFocusesItsExplanation(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.Resize(1280, 900)
	b.SignInAs(w.Ada)
	b.Open("/posts/" + w.Long.ID + "/edit")
	b.Eval(webtest.SubmitFormScript([]string{"revision", "0", "title", "Mine", "content", "Mine"}))
	b.WaitUntil(`document.activeElement.matches('[role="alert"]')`)
	left := func(selector string) string {
		return b.Eval(`document.querySelector('` + selector + `').getBoundingClientRect().left`)
	}
	if h, a, f := left("h1"), left(`[role="alert"]`), left("#title"); h != a || a != f {
		t.Errorf("the left edges of heading, explanation and field are %s, %s, %s", h, a, f)
	}
	b.Click(`[role="alert"] a`)
	b.WaitUntil(`document.activeElement.id === 'saved-title'`)
	b.WantQuietConsole("409")
}
