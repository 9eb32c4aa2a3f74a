package imports

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	protocol "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"inkfeed/web/cli/systemtest/harness"
)

// TestExportDownloadedInABrowserIsImportedElsewhere imports a blog, follows a former address, downloads an export, and
// imports that into another blog.
func TestExportDownloadedInABrowserIsImportedElsewhere(t *testing.T) {
	t.Parallel()
	chromium := harness.Chromium(t)
	env := harness.BlogOf(t, "ada")
	harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", harness.Exports+"hugo")
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")

	findsPost := func(b *harness.Browser) {
		t.Helper()
		b.Open("/tide-table/")
		if text := b.Text(); !strings.Contains(text, "Tides") || !strings.Contains(text, "Seen from the pier") {
			t.Errorf("the former address shows %s", text)
		}
		if path := b.Value("location.pathname"); !strings.HasSuffix(path, "/high-and-low") {
			t.Errorf("the post is at %s", path)
		}
		if width := b.Value("document.querySelector('main img').naturalWidth"); width != "40" {
			t.Errorf("the picture is %s pixels wide", width)
		}
	}
	ada := harness.NewBrowser(t, chromium, base, true)
	ada.LogIn("ada")
	findsPost(ada)
	file := download(ada, "/settings", `a[href="/settings/export"]`)
	stop()

	env = harness.BlogOf(t, "bob")
	harness.RunCommand(t, env, "import", "--as", "bob", file)
	base, _ = harness.Serve(t, env, "--addr", "127.0.0.1:0")
	bob := harness.NewBrowser(t, chromium, base, false)
	bob.LogIn("bob")
	findsPost(bob)
	bob.Shows("/drafts", "An idea", "In a hundred years")
	bob.Shows("/@bob", "The harbour")
}

// download follows a link to a file on a page, and returns the name of the downloaded file.
func download(b *harness.Browser, page, link string) string {
	b.T.Helper()
	b.Open(page)
	dir := b.T.TempDir()
	progress := chromedp.Events(b.Ctx, protocol.DownloadProgress)
	reportsEvents := true
	b.Run("download", chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, protocol.SetDownloadBehavior, protocol.SetDownloadBehaviorParams{
			Behavior:         protocol.SetDownloadBehaviorBehaviorAllowAndName,
			BrowserContextID: chromedp.FromContext(b.Ctx).BrowserContextID,
			DownloadPath:     dir,
			EventsEnabled:    &reportsEvents,
		})
		return err
	}), harness.Press(link))
	for event, err := range progress {
		if err != nil {
			b.T.Fatal(err)
		}
		switch event.State {
		case protocol.DownloadProgressStateCompleted:
			file := filepath.Join(b.T.TempDir(), "export.zip")
			if err := os.Rename(filepath.Join(dir, event.GUID), file); err != nil {
				b.T.Fatal(err)
			}
			return file
		case protocol.DownloadProgressStateCanceled:
			b.T.Fatal("the download was canceled")
		}
	}
	b.T.Fatal("the browser downloaded no file")
	return ""
}
