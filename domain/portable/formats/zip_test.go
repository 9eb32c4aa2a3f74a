package formats_test

import (
	"archive/zip"
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

func TestZip(t *testing.T) {
	packed := func(t *testing.T, fill func(z *zip.Writer)) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		fill(z)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		name := t.TempDir() + "/export.zip"
		if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	t.Run("is read as the folder in it", func(t *testing.T) {
		b, closeBlog, err := formats.Open(packed(t, func(z *zip.Writer) {
			if err := z.AddFS(os.DirFS("../testdata/jekyll")); err != nil {
				t.Fatal(err)
			}
		}), portable.Options{}, now)
		if err != nil {
			t.Fatal(err)
		}
		defer closeBlog()
		if b.Format != "Jekyll" || len(b.Posts) != 2 {
			t.Errorf("%d posts of %s", len(b.Posts), b.Format)
		}
	})
	t.Run("is rejected if its compression ratio is too high", func(t *testing.T) {
		_, _, err := formats.Open(packed(t, func(z *zip.Writer) {
			w, _ := z.Create("a.md")
			zeros := make([]byte, 1<<20)
			for range 64 {
				if _, err := w.Write(zeros); err != nil {
					t.Fatal(err)
				}
			}
		}), portable.Options{}, now)
		if err == nil || !strings.Contains(err.Error(), "compression ratio") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("may have many files with long names", func(t *testing.T) {
		b, closeBlog, err := formats.Open(packed(t, func(z *zip.Writer) {
			for i := range 20_000 {
				_, _ = z.CreateRaw(&zip.FileHeader{Name: strconv.Itoa(i) + strings.Repeat("x", 2000) + ".txt"})
			}
			w, _ := z.Create("a.md")
			_, _ = w.Write([]byte("# A\n\ntext"))
		}), portable.Options{}, now)
		if err != nil {
			t.Fatal(err)
		}
		defer closeBlog()
		if len(b.Posts) != 1 {
			t.Errorf("%d posts", len(b.Posts))
		}
	})
	t.Run("never reads files outside of it", func(t *testing.T) {
		outside := t.TempDir() + "/secret.md"
		if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := formats.Open(packed(t, func(z *zip.Writer) {
			for _, name := range []string{"../../../../../../.." + outside, outside} {
				w, _ := z.CreateRaw(&zip.FileHeader{Name: name})
				_, _ = w.Write(nil)
			}
		}), portable.Options{}, now)
		if err == nil {
			t.Error("a file was read")
		}
	})
}

func TestZipWithAHugeDirectoryIsRefused(t *testing.T) {
	named := func(n int, name func(i int) string) func(*zip.Writer) {
		return func(z *zip.Writer) {
			for i := range n {
				_, _ = z.CreateRaw(&zip.FileHeader{Name: name(i)})
			}
		}
	}
	for _, c := range []struct {
		name string
		fill func(*zip.Writer)
	}{
		{"with many bytes", func(z *zip.Writer) {
			for i := range 1200 {
				_, _ = z.CreateRaw(&zip.FileHeader{Name: strconv.Itoa(i) + ".md",
					Comment: strings.Repeat("x", 1<<16-1)})
			}
		}},
		{"with long names", named(300, func(i int) string {
			return strconv.Itoa(i) + strings.Repeat("/a", 30_000) + ".md"
		})},
		{"with names in many folders", named(10, func(i int) string {
			return strconv.Itoa(i) + strings.Repeat("/a", 1000) + ".md"
		})},
		{"with names in many folders of Windows", named(10, func(i int) string {
			return strconv.Itoa(i) + strings.Repeat(`\a`, 1000) + ".md"
		})},
		{"with many names in some folders", named(25_000, func(i int) string {
			return strconv.Itoa(i) + strings.Repeat("/a", 90) + ".md"
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			c.fill(z)
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			name := t.TempDir() + "/export.zip"
			if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, open := range []func() error{
				func() error {
					_, err := formats.ReadUpload("a.zip", bytes.NewReader(b.Bytes()), int64(b.Len()),
						portable.Options{}, now)
					return err
				},
				func() error {
					_, _, err := formats.Open(name, portable.Options{}, now)
					return err
				},
			} {
				wantAllocations(t, 150, func() {
					err := open()
					if err == nil || !strings.Contains(portable.Explain(err).String(), "more than an export can") {
						t.Errorf("error %v", err)
					}
				})
			}
		})
	}
}

func TestLinkOutOfAFolderIsNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()+"/secret.md"
	for name, text := range map[string]string{outside: "secret", dir + "/a.md": "# A\n\ntext"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, dir+"/b.md"); err != nil {
		t.Skip(err)
	}
	b, closeBlog, err := formats.Open(dir, portable.Options{}, now)
	if err != nil {
		t.Fatal(err)
	}
	defer closeBlog()
	if len(b.Posts) != 1 || b.Posts[0].Title != "A" {
		t.Errorf("posts %+v", b.Posts)
	}
}
