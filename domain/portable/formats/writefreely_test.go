package formats_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

func TestWriteFreelyListIsRead(t *testing.T) {
	b := single(t, "posts.json", `[
	{"id":"aaaaaaaaaa","slug":"tide","appearance":"norm","created":"2020-02-01T10:00:00Z",`+
		`"updated":"2020-02-01T10:00:00Z","title":"Tide","body":"High. #sea","tags":["sea"],"views":2,
	 "collection":{"alias":"harbour","title":"Harbour","url":"https://write.example/harbour/"}},
	{"id":"bbbbbbbbbb","slug":null,"appearance":"norm","created":"2020-03-01T10:00:00Z",`+
		`"updated":"2020-03-01T10:00:00Z","title":"","body":"Not yet.","tags":[]}]`)
	statuses(t, b, map[string]portable.Status{"Tide": portable.Published, "Not yet.": portable.Draft})
	tide := find(t, b, "Tide")
	if b.Title != "Harbour" || len(tide.Tags) != 1 || tide.Paths[0] != "/harbour/tide" {
		t.Errorf("%q: tags %v, paths %v", b.Title, tide.Tags, tide.Paths)
	}
	t.Run("with the same keys as the whole export", func(t *testing.T) {
		whole := single(t, "export.json",
			`{"username":"ann","collections":[{"alias":"harbour","title":"Harbour","posts":[{"id":"aaaaaaaaaa",`+
				`"slug":"tide","created":"2020-02-01T10:00:00Z","title":"Tide","body":"High. #sea"}]}],"posts":[]}`)
		if whole.Posts[0].Key != tide.Key {
			t.Errorf("keys %s and %s", whole.Posts[0].Key, tide.Key)
		}
	})
	t.Run("unless it lists something else", func(t *testing.T) {
		for _, text := range []string{`[]`, `[1,2]`, `[{"name":"x"}]`} {
			if _, err := formats.Read([]fs.FS{fstest.MapFS{"x.json": {Data: []byte(text)}}}, now); !errors.Is(err,
				formats.ErrUnknown) {
				t.Errorf("%s: %v", text, err)
			}
		}
	})
}

func TestWriteFreelyTextsAreRead(t *testing.T) {
	created := time.Date(2020, 2, 1, 10, 0, 0, 0, time.UTC)
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for name, text := range map[string]string{"harbour/high-tide_aaaaaaaaaa.txt": "# The tide\n\nHigh.",
		"harbour/a_b_cccccccccc.txt": "Low.", "bbbbbbbbbb.txt": "Not yet."} {
		file, err := w.CreateHeader(&zip.FileHeader{Name: name, Modified: created})
		if err != nil {
			t.Fatal(err)
		}
		file.Write([]byte(text))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		t.Fatal(err)
	}
	b, err := formats.Read([]fs.FS{z}, now)
	if err != nil {
		t.Fatal(err)
	}
	statuses(t, b, map[string]portable.Status{"The tide": portable.Published, "A b": portable.Published,
		"Not yet.": portable.Draft})
	tide := find(t, b, "The tide")
	if b.Format != "WriteFreely" || !tide.Created.Equal(created) || tide.Slug != "high-tide" ||
		tide.Content != "High." || tide.Key != "writefreely:aaaaaaaaaa" || tide.Paths[0] != "/harbour/high-tide" {
		t.Errorf("%s: %+v", b.Format, tide)
	}
	if len(problems(b, "JSON")) != 1 {
		t.Errorf("problems %v", b.Problems)
	}
	t.Run("unless other texts are among them", func(t *testing.T) {
		_, err := formats.Read([]fs.FS{fstest.MapFS{"notes.txt": {Data: []byte("x")},
			"aaaaaaaaaa.txt": {Data: []byte("y")}}}, now)
		if !errors.Is(err, formats.ErrUnknown) {
			t.Errorf("error %v", err)
		}
	})
}
