package media_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"inkfeed/cosmos/media"
	"inkfeed/domain"
)

func TestUploadedExportIsStoredOnDisk(t *testing.T) {
	folder := t.TempDir()
	disk := media.NewDisk(folder)
	name := domain.ImportFile(domain.NewID())
	if err := disk.PutStream(t.Context(), name, strings.NewReader("a blog")); err != nil {
		t.Fatal(err)
	}
	f, err := disk.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if content, err := io.ReadAll(f); err != nil || string(content) != "a blog" {
		t.Errorf("the file contains %q, %v", content, err)
	}
	if err := disk.Delete(t.Context(), name); err != nil {
		t.Error(err)
	}
	t.Run("a broken upload leaves no file and returns the reader's error", func(t *testing.T) {
		broken := errors.New("the connection broke")
		err := disk.PutStream(t.Context(), name, io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
		if err != broken {
			t.Errorf("the error is %v", err)
		}
		if left, err := filepath.Glob(filepath.Join(folder, "*", "*")); err != nil || len(left) != 0 {
			t.Errorf("the remaining files are %v, %v", left, err)
		}
	})
	t.Run("temporary files of a killed process are deleted with the upload", func(t *testing.T) {
		draft := filepath.Join(folder, name[:1], "new-"+name)
		if err := os.WriteFile(draft, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := disk.Delete(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(draft); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the temporary file still exists: %v", err)
		}
	})
	t.Run("rejects names that are not of an upload", func(t *testing.T) {
		for _, name := range []string{"", "../x.import", "x.import", domain.NewID()} {
			if err := disk.PutStream(t.Context(), name, strings.NewReader("x")); !domain.Is(err, domain.NotFound) {
				t.Errorf("%q: %v", name, err)
			}
		}
	})
}
