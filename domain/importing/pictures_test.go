package importing_test

import (
	"bytes"
	"strings"
	"testing"

	"inkfeed/domain"
)

func TestDryRunOfNewPostsDecodesNoPicture(t *testing.T) {
	source := hugoBlog(t)
	photo := []byte(source["static/photo.png"])
	data := bytes.Index(photo, []byte("IDAT")) + 4
	clear(photo[data : data+4]) // only decoding finds the damage
	source["static/photo.png"] = string(photo)
	r, err := importFiles(t, newStore(), source, true)
	if err != nil || r.Pictures != 1 || reports(r, "photo.png was left out") {
		t.Errorf("a dry run has %d pictures and reports %v, error %v", r.Pictures, r.Problems, err)
	}
	if r = mustImport(t, newStore(), source); r.Pictures != 0 || !reports(r, "photo.png was left out") {
		t.Errorf("an import has %d pictures and reports %v", r.Pictures, r.Problems)
	}
	source["static/photo.png"] = "no picture"
	if r, err = importFiles(t, newStore(), source, true); err != nil || r.Pictures != 0 ||
		!reports(r, "photo.png was left out") {
		t.Errorf("for a file that is not a picture it has %d pictures and reports %v, error %v", r.Pictures, r.Problems,
			err)
	}
}

func TestPicturesAreCountedWhenTheyAreWritten(t *testing.T) {
	m := newStore()
	for n, want := range []int{1, 0} {
		if r, err := importFiles(t, m, hugoBlog(t), true); err != nil || r.Pictures != want {
			t.Errorf("the dry run before import %d counts %d pictures, error %v", n, r.Pictures, err)
		}
		if r := mustImport(t, m, hugoBlog(t)); r.Pictures != want {
			t.Errorf("import %d counts %d pictures", n, r.Pictures)
		}
	}
	for name, image := range m.images { // as after an interruption
		image.Incomplete = true
		m.images[name] = image
	}
	if r := mustImport(t, m, hugoBlog(t)); r.Pictures != 1 {
		t.Errorf("the import completed %d pictures, want 1", r.Pictures)
	}
}

func TestImportLeavesNoFilesOfAPictureThatIsDeletedMeanwhile(t *testing.T) {
	m := newStore()
	m.deletesImages = true
	if _, err := importFiles(t, m, hugoBlog(t), false); err == nil || len(m.files) > 0 {
		t.Errorf("the files %v stay, error %v", m.files, err)
	}
	m.deletesImages = false
	if r := mustImport(t, m, hugoBlog(t)); r.Pictures != 1 {
		t.Errorf("the next attempt writes %d pictures, want 1", r.Pictures)
	}
}

func TestUnchangedPictureIsNotDecodedAgain(t *testing.T) {
	m := newStore()
	source := hugoBlog(t)
	mustImport(t, m, source)
	if len(m.images) != 1 {
		t.Fatalf("there are %d pictures", len(m.images))
	}
	source["static/photo.png"] = "no picture, so that decoding it would fail"
	for name, image := range m.images {
		if want := domain.SourceDigest([]byte(hugoBlog(t)["static/photo.png"])); image.Source != want {
			t.Errorf("its source is %q, want %q", image.Source, want)
		}
		image.Source = domain.SourceDigest([]byte(source["static/photo.png"]))
		m.images[name] = image
	}
	if r := mustImport(t, m, source); r.Unchanged != 4 || len(r.Problems) != 0 || r.Written {
		t.Errorf("the report is %+v", r)
	}
	t.Run("and the digest of a picture that was uploaded before is recorded", func(t *testing.T) {
		for name, image := range m.images {
			image.Source = ""
			m.images[name] = image
		}
		mustImport(t, m, hugoBlog(t))
		for _, image := range m.images {
			if image.Source == "" {
				t.Error("the digest is not recorded")
			}
		}
	})
}

func TestSVGIsImported(t *testing.T) {
	m := newStore()
	r := mustImport(t, m,
		map[string]string{"hugo.toml": "",
			"static/tide.svg": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect/></svg>`,
			"static/web.svg": `<svg xmlns="http://www.w3.org/2000/svg"><image ` +
				`href="https://a.example/x.png"/></svg>`,
			"content/posts/one.md": "---\ntitle: One\ndate: 2020-01-01\n---\n![Tide](/tide.svg) ![Web](/web.svg)\n"})
	if content := m.posts[m.idOf(t, "One")].Content; !strings.Contains(content, "-40x20.svg)") || r.Pictures != 1 {
		t.Errorf("%d pictures in %q", r.Pictures, content)
	}
	if !reports(r, "web.svg was left out: This SVG contains a picture") {
		t.Errorf("the problems are %v", r.Problems)
	}
}

func TestExportAndImportKeepTheCover(t *testing.T) {
	const id = "abcdefghijkmnpqrstuvwxyz23"
	photo := hugoBlog(t)["static/photo.png"]
	name := domain.ImageName{Hash: id, Width: 8, Height: 6, Ext: domain.ExtPNG} // of another user
	for what, c := range map[string]struct {
		cover    string
		exists   bool
		problems string
	}{
		"a picture that the text does not show": {name.String(), true, ""},
		"none":                                  {domain.NoCover, false, ""},
		"a picture that is not in the export":   {"b" + name.String()[1:], false, "is not in the export"},
	} {
		t.Run(what, func(t *testing.T) {
			m := newStore()
			r := mustImport(t, m, map[string]string{
				"inkfeed.json":            `{"format": "inkfeed", "version": 1, "profile": {}, "posts": []}`,
				"images/" + name.String(): photo,
				"posts/2020-01-01-post.md": "---\ntitle: Post\nid: " + id + "\ncover: " + c.cover +
					"\ncoverAlt: A cat\n---\n\nText.\n",
			})
			d := m.posts[id].Details
			_, exists := domain.ParseImageName(d.Cover)
			if exists != c.exists || d.Cover == name.String() {
				t.Errorf("the cover is %q", d.Cover)
			}
			if c.exists && (d.CoverAlt != "A cat" || len(m.images) != 1) {
				t.Errorf("it is described by %q; there are %d pictures", d.CoverAlt, len(m.images))
			}
			if c.problems == "" && len(r.Problems) > 0 || c.problems != "" && !reports(r, c.problems) {
				t.Errorf("the import reports %v", r.Problems)
			}
		})
	}
}
