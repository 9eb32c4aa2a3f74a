package cli

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"
)

// A blog moves in by an upload: its author sees a preview, imports it, and undoes that.
func TestABlogIsImportedInABrowser(t *testing.T) {
	chromium := newChromium(t)
	env := wrote(t, "ada")
	base, stop := serving(t, env, "--addr", "127.0.0.1:0")
	ada := newBrowser(t, chromium, base, true)
	ada.logIn("ada")
	ada.open("/settings/import")
	ada.chooseExport(testExports + "hugo")
	ada.submit(`form[action="/settings/import"] button`)
	ada.shows("/settings/import", "Preview of your import", "export of Hugo", "Nothing has been imported yet")
	if ada.open("/@ada"); strings.Contains(ada.text(), "The harbour") {
		t.Error("the preview has imported a post")
	}
	ada.open("/settings/import")
	ada.submit(`form[action="/settings/import/start"] button`)
	eventually(t, "the page shows by itself that the import is finished", func() bool {
		return strings.Contains(ada.text(), "Import finished")
	})
	stop()

	base, _ = serving(t, env, "--addr", "127.0.0.1:0")
	plain := newBrowser(t, chromium, base, false)
	plain.logIn("ada")
	plain.shows("/@ada", "The harbour")
	plain.open("/settings/import/undo")
	plain.submit(`form[action="/settings/import/undo"] button`)
	eventually(t, "a page without scripts shows by itself that the import is undone", func() bool {
		return strings.Contains(plain.text(), "The import is undone")
	})
	eventually(t, "the posts are gone", func() bool {
		plain.open("/@ada")
		return !strings.Contains(plain.text(), "The harbour")
	})
}

// chooseExport puts a zip of a folder into the form of the page.
func (b *browser) chooseExport(folder string) {
	b.t.Helper()
	var content bytes.Buffer
	z := zip.NewWriter(&content)
	if err := z.AddFS(os.DirFS(folder)); err != nil {
		b.t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.value(fmt.Sprintf(`(() => {
		const chosen = new DataTransfer()
		chosen.items.add(new File([Uint8Array.from(atob(%q), c => c.charCodeAt(0))], "blog.zip"))
		document.querySelector("input[type=file]").files = chosen.files
	})()`, base64.StdEncoding.EncodeToString(content.Bytes())))
}
