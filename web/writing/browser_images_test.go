package writing_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"inkfeed/web/webtest"
)

// A user without JavaScript uploads a picture and shows it in a post.
func TestUploadingAPictureWithoutJavaScript(t *testing.T) {
	ctx := webtest.Browser(t)
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	b := webtest.NewTab(t, ctx, webtest.Listen(t, s.Handler))
	b.SignInAs(ada)
	webtest.Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	folder := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	choose := func(path string) {
		t.Helper()
		b.Do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{path}))
	}

	b.Open("/settings")
	b.Click(`.room-content a[href="/images"]`)
	b.WaitVisible("#file")
	choose(file("notes.jpg", []byte("These are notes.")))
	b.SetValue("#alt", "A cat on a mat")
	b.Click(".upload button")
	b.WaitVisible("#file-error")
	b.WaitUntil(`document.querySelector("#alt").value === "A cat on a mat"`)

	choose(file("cat.jpg", webtest.Photo(t, 1200, 800)))
	b.Click(".upload button")
	b.WaitVisible(".done input")
	b.WaitUntil(`document.querySelector(".pictures img").naturalWidth === 240`)
	if !b.FitsWindow() {
		t.Error("the page is wider than the window")
	}
	markdown := b.Eval(`document.querySelector(".done input").value`)

	b.Open("/new")
	b.SetValue(`[name="title"]`, "A cat")
	b.SetValue(`[name="content"]`, "Look:\n\n"+markdown)
	b.Click(`main form button[name="do"][value="publish"]`)
	b.WaitVisible(`.prose img[alt="A cat on a mat"]`)
	b.WaitUntil(`document.querySelector(".prose img").naturalWidth > 0`)

	b.Open("/settings/profile")
	choose(filepath.Join(folder, "cat.jpg"))
	b.Click(`form[action="/settings/avatar"] button`)
	b.WaitVisible("img.avatar")
	b.SetValue("#bio", "I *watch* cats.")
	b.Click(`form[action="/settings/profile"] button`)
	b.WaitVisible(".done a")
	b.Click(".done a")
	b.WaitVisible(".bio em")
	b.WaitUntil(`document.querySelector(".profile img").naturalWidth === 192`)

	b.Open("/images")
	b.Click(".pictures a.danger")
	b.WaitVisible("main button.danger")
	b.Click("main button.danger")
	b.WaitVisible(".done")
	b.WaitUntil(`!document.querySelector(".pictures")`)
	b.WantQuietConsole("415", "Unsupported Media Type")
}
