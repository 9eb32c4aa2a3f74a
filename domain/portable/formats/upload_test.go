package formats_test

import (
	"bytes"
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
