package formats_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

func FuzzReadUpload(f *testing.F) {
	f.Add("blog.zip", []byte("PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add("posts.json", []byte(`[{"id":"a","slug":"b","body":"text","created":"2024-01-01T00:00:00Z"}]`))
	f.Add(`C:\export.xml`, []byte("\xef\xbb\xbf<rss><channel><item></item></channel></rss>"))
	f.Add("../..", []byte("{}"))
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		blog, err := formats.ReadUpload(name, bytes.NewReader(content), int64(len(content)), portable.Options{}, now)
		if (blog == nil) == (err == nil) {
			t.Errorf("blog: %v, error: %v", blog != nil, err)
		}
	})
}

func TestUploadIsRecognisedByItsContent(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	list := []byte(`[{"id":"a","slug":"b","title":"T","body":"text","created":"2024-01-01T00:00:00Z"}]`)
	for _, name := range []string{"posts.json", "posts.zip", "", "a/b\\c", "posts"} {
		blog, err := formats.ReadUpload(name, bytes.NewReader(list), int64(len(list)), portable.Options{}, now)
		if err != nil || len(blog.Posts) != 1 {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// zipped returns a zip of files.
func zipped(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTextsOfAnUploadAreLimitedTogether(t *testing.T) {
	block := make([]byte, 15<<10)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range block {
		block[i] = byte('a' + random.IntN(26))
	}
	text := bytes.Repeat(block, portable.MaxText/len(block))
	posts := make(map[string][]byte)
	for i := range 25 {
		posts[fmt.Sprintf("posts/html/%d.html", 100+i)] = text
	}
	inner := zipped(t, posts)
	for name, upload := range map[string][]byte{
		"in a zip":               inner,
		"in a zip in a zip":      zipped(t, map[string][]byte{"posts.zip": inner}),
		"in a zip and one in it": zipped(t, map[string][]byte{"posts.zip": inner, "a.html": text}),
	} {
		t.Run(name, func(t *testing.T) {
			blog, err := formats.ReadUpload("a.zip", bytes.NewReader(upload), int64(len(upload)), portable.Options{},
				time.Now())
			if err == nil || !strings.Contains(err.Error(), "unpacked") {
				t.Errorf("blog %v, error %v, want that the texts are too large", blog != nil, err)
			}
		})
	}
}
