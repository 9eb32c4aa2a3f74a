package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	protocol "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// A blog moves in, its readers find what they had bookmarked, its author takes everything
// away again, and it moves in elsewhere.
func TestABlogMovesInAndOutInABrowser(t *testing.T) {
	chromium := newChromium(t)
	env := wrote(t, "ada")
	runCommand(t, env, "import", "--as", "ada", "--templates", "keep", testExports+"hugo")
	base, stop := serving(t, env, "--addr", "127.0.0.1:0")

	found := func(b *browser) {
		t.Helper()
		b.open("/tide-table/")
		if text := b.text(); !strings.Contains(text, "Tides") || !strings.Contains(text, "Seen from the pier") {
			t.Errorf("the former address shows %s", text)
		}
		if path := b.value("location.pathname"); !strings.HasSuffix(path, "/high-and-low") {
			t.Errorf("the post is at %s", path)
		}
		if width := b.value("document.querySelector('main img').naturalWidth"); width != "40" {
			t.Errorf("the picture is %s pixels wide", width)
		}
	}
	ada := newBrowser(t, chromium, base, true)
	ada.logIn("ada")
	found(ada)
	file := ada.download("/settings", `a[href="/settings/export"]`)
	stop()

	env = wrote(t, "bob")
	runCommand(t, env, "import", "--as", "bob", file)
	base, _ = serving(t, env, "--addr", "127.0.0.1:0")
	bob := newBrowser(t, chromium, base, false)
	bob.logIn("bob")
	found(bob)
	bob.shows("/drafts", "An idea", "In a hundred years")
	bob.shows("/@bob", "The harbour")
}

func (b *browser) logIn(username string) {
	b.t.Helper()
	b.open("/login")
	b.submit(`form[action^="/login"] button`, `input[name=username]`, username, `input[name=password]`, "correct horse")
	if !strings.Contains(b.value("document.querySelector('header').innerText"), "@"+username) {
		b.t.Fatalf("%s is not signed in: %s", username, b.text())
	}
}

// download follows a link that gives a file, and says where that is.
func (b *browser) download(page, link string) string {
	b.t.Helper()
	b.open(page)
	dir := b.t.TempDir()
	progress := chromedp.Events(b.ctx, protocol.DownloadProgress)
	told := true
	b.run("download", chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, protocol.SetDownloadBehavior, protocol.SetDownloadBehaviorParams{
			Behavior: protocol.SetDownloadBehaviorBehaviorAllowAndName, BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID,
			DownloadPath: dir, EventsEnabled: &told})
		return err
	}), press(link))
	for event, err := range progress {
		if err != nil {
			b.t.Fatal(err)
		}
		switch event.State {
		case protocol.DownloadProgressStateCompleted:
			file := filepath.Join(b.t.TempDir(), "export.zip")
			if err := os.Rename(filepath.Join(dir, event.GUID), file); err != nil {
				b.t.Fatal(err)
			}
			return file
		case protocol.DownloadProgressStateCanceled:
			b.t.Fatal("the download was cut off")
		}
	}
	b.t.Fatal("nothing was downloaded")
	return ""
}
