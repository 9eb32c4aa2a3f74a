package web_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A picture goes from the disk into a post by plain forms, in a browser without scripts.
func TestUploadingAPictureWithoutScripts(t *testing.T) {
	ctx := browser(t)
	s := newSite(t)
	ada := s.member("ada")
	b := newTab(t, ctx, serve(t, s.handler))
	b.as(ada)
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
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
		b.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{path}))
	}

	b.Open("/settings")
	b.click(`main a[href="/images"]`)
	b.sees("#file")
	choose(file("notes.jpg", []byte("These are notes.")))
	b.write("#alt", "A cat on a mat")
	b.click(".upload button")
	b.sees("#file-error")
	b.eventually(`document.querySelector("#alt").value === "A cat on a mat"`)

	choose(file("cat.jpg", aPhoto(t, 1200, 800)))
	b.click(".upload button")
	b.sees(".done input")
	b.eventually(`document.querySelector(".pictures img").naturalWidth === 480`)
	if !b.fits() {
		t.Error("the page is wider than the window")
	}
	markdown := b.eval(`document.querySelector(".done input").value`)

	b.Open("/new")
	b.write(`[name="title"]`, "A cat")
	b.write(`[name="content"]`, "Look:\n\n"+markdown)
	b.click(`main form button[name="do"][value="publish"]`)
	b.sees(`.prose img[alt="A cat on a mat"]`)
	b.eventually(`document.querySelector(".prose img").naturalWidth > 0`)

	b.Open("/settings/profile")
	choose(filepath.Join(folder, "cat.jpg"))
	b.click(`form[action="/settings/avatar"] button`)
	b.sees("img.avatar")
	b.write("#bio", "I *watch* cats.")
	b.click(`form[action="/settings/profile"] button`)
	b.sees(".done a")
	b.click(".done a")
	b.sees(".bio em")
	b.eventually(`document.querySelector(".profile img").naturalWidth === 192`)

	b.Open("/images")
	b.click(".pictures a.danger")
	b.sees("main button.danger")
	b.click("main button.danger")
	b.sees(".done")
	b.eventually(`!document.querySelector(".pictures")`)
	b.quiet("415", "Unsupported Media Type")
}
