package imports

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

// TestUploadedExportIsPreviewedImportedAndUndone uploads an export of a blog in a browser with JavaScript, and undoes
// the import in one without.
func TestUploadedExportIsPreviewedImportedAndUndone(t *testing.T) {
	t.Parallel()
	chromium := harness.Chromium(t)
	env := harness.BlogOf(t, "ada")
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	ada := harness.NewBrowser(t, chromium, base, true)
	ada.LogIn("ada")
	ada.Open("/settings/import")
	chooseExport(ada, harness.Exports+"hugo")
	ada.Submit(`form[action="/settings/import"] button`)
	ada.Shows("/settings/import", "Preview of your import", "export of Hugo", "Nothing has been imported yet")
	if ada.Open("/@ada"); strings.Contains(ada.Text(), "The harbour") {
		t.Error("the preview imported a post")
	}
	ada.Open("/settings/import")
	ada.Submit(`form[action="/settings/import/start"] button`)
	harness.Eventually(t, "the page updates itself when the import is finished", func() bool {
		return strings.Contains(ada.Text(), "Import finished")
	})
	stop()

	base, _ = harness.Serve(t, env, "--addr", "127.0.0.1:0")
	plain := harness.NewBrowser(t, chromium, base, false)
	plain.LogIn("ada")
	plain.Shows("/@ada", "The harbour")
	plain.Open("/settings/import/undo")
	plain.Submit(`form[action="/settings/import/undo"] button`)
	harness.Eventually(t, "the page without JavaScript reloads itself when the import is undone", func() bool {
		return strings.Contains(plain.Text(), "Everything it created has been removed.")
	})
	harness.Eventually(t, "the imported posts are deleted", func() bool {
		plain.Open("/@ada")
		return !strings.Contains(plain.Text(), "The harbour")
	})
}

// chooseExport selects a zip file of a folder in the file field of the page.
func chooseExport(b *harness.Browser, folder string) {
	b.T.Helper()
	var content bytes.Buffer
	z := zip.NewWriter(&content)
	if err := z.AddFS(os.DirFS(folder)); err != nil {
		b.T.Fatal(err)
	}
	if err := z.Close(); err != nil {
		b.T.Fatal(err)
	}
	b.Value(fmt.Sprintf(`(() => {
		const chosen = new DataTransfer()
		chosen.items.add(new File([Uint8Array.from(atob(%q), c => c.charCodeAt(0))], "blog.zip"))
		document.querySelector("input[type=file]").files = chosen.files
	})()`, base64.StdEncoding.EncodeToString(content.Bytes())))
}
