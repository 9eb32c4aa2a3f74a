package settings_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"inkfeed/web/webtest"
)

// A chosen file becomes the header, so the form never shows another choice beside it.
func TestTheFormOfTheHeaderPictureShowsOneChoice(t *testing.T) {
	ctx := webtest.Browser(t)
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.Upload("/images", webtest.Photo(t, 700, 300), "alt", "A wheel").Want(http.StatusSeeOther)
	wheel := s.Data.ImageRecords()[0]["name"].(string)
	path := filepath.Join(t.TempDir(), "engine.jpg")
	if err := os.WriteFile(path, webtest.Photo(t, 900, 300), 0o600); err != nil {
		t.Fatal(err)
	}
	b := webtest.NewTab(t, ctx, webtest.Listen(t, s.Handler))
	b.SignInAs(ada)
	b.Open("/settings/header")
	choose := func() {
		t.Helper()
		b.Do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{path}))
	}
	const (
		chosen    = `(document.querySelector('[name="picture"]:checked')?.value ?? "nothing")`
		files     = `document.querySelector("#file").files.length`
		wheelOnly = `[name="picture"][value]:not([value=""])`
	)
	b.WantValue(chosen, "")

	b.Click(wheelOnly)
	b.WantValue(chosen, wheel)
	choose()
	b.WaitUntil(chosen + ` === "nothing"`)
	b.Eval(`(() => { // as a browser does when its dialog is closed without a choice
		const file = document.querySelector("#file");
		file.value = "";
		file.dispatchEvent(new Event("change"));
	})()`)
	b.WaitUntil(chosen + ` === "` + wheel + `"`)

	choose()
	b.WaitUntil(chosen + ` === "nothing"`)
	b.Click(`[name="picture"][value=""]`)
	b.WaitUntil(files + ` === 0`)
	b.WantValue(chosen, "")

	choose()
	b.WaitUntil(chosen + ` === "nothing"`)
	b.SetValue("#alt", "The engine")
	b.Click("main form.stack button")
	b.WaitVisible(".done")
	b.Open("/@ada")
	b.WaitVisible(`.blog-header img[alt="The engine"]`)
	b.WantQuietConsole()
}
