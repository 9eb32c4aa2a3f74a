package formats_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"testing"
	"testing/fstest"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

func TestLinkByTheAddressOfAFolder(t *testing.T) {
	b := read(t, map[string]string{
		"site/index.md":            "---\ntitle: Home\n---\ntext\n",
		"site/garden/index.md":     "---\ntitle: Garden\n---\ntext\n",
		"site/garden/beans.md":     "---\ntitle: Beans\n---\ntext\n",
		"site/garden/pea/index.md": "---\ntitle: Pea\n---\ntext\n",
		"site/both.md":             "---\ntitle: Both\n---\ntext\n",
		"site/both/index.md":       "---\ntitle: Both again\n---\ntext\n",
	})
	for _, c := range [][3]string{
		{"Beans", "./", "Garden"}, {"Beans", ".", "Garden"}, {"Beans", "../garden/", "Garden"},
		{"Beans", "pea", "Pea"}, {"Beans", "pea/#sowing", "Pea"}, {"Pea", "..", "Garden"}, {"Pea", "../beans", "Beans"},
		{"Home", "garden/", "Garden"}, {"Home", "garden/index.html", "Garden"}, {"Home", "garden/beans.html", "Beans"},
		{"Pea", "/garden/", "Garden"}, {"Pea", "/site/garden/beans", "Beans"}, {"Beans", "/", "Home"},
		{"Home", "both", ""}, {"Home", "garden/none", ""}, {"Home", "https://other.example/garden/", ""},
		{"Home", "garden/index.md", "Garden"},
	} {
		if got, _ := leads(t, b, c[0], c[1]); got != c[2] {
			t.Errorf("%s in %s leads to %q, want %q", c[1], c[0], got, c[2])
		}
	}
}

func TestDecomposedNamesAreFound(t *testing.T) {
	composed := map[string]string{
		"hugo.toml": "",
		"content/posts/müsli.md": "---\ntitle: Müsli\ndate: 2020-01-02\n---\n![](größe.png) [x](öl.md) " +
			"[y](/posts/öl/)\n",
		"content/posts/öl.md":           "---\ntitle: Öl\ndate: 2020-01-02\n---\ntext\n",
		"content/posts/größe.png":       "png",
		"static/bilder/größe2.png":      "png",
		"content/posts/bündel/index.md": "---\ntitle: Bündel\ndate: 2020-01-02\n---\n{{< gallery match=\"f*ü*\" >}}\n",
		"content/posts/bündel/fünf.png": "png",
	}
	for form, of := range map[string][2]norm.Form{"names": {norm.NFD, norm.NFC}, "links": {norm.NFC, norm.NFD},
		"both": {norm.NFD, norm.NFD}} {
		t.Run("in "+form, func(t *testing.T) {
			files := fstest.MapFS{}
			for name, text := range composed {
				files[of[0].String(name)] = &fstest.MapFile{Data: []byte(of[1].String(text))}
			}
			b, err := formats.Read([]fs.FS{files}, now)
			if err != nil {
				t.Fatal(err)
			}
			write := of[1].String
			_, picture := leads(t, b, write("Müsli"), write("größe.png"))
			equal(t, "picture", picture, "content/posts/größe.png")
			_, picture = leads(t, b, write("Müsli"), write("/bilder/größe2.png"))
			equal(t, "picture", picture, "static/bilder/größe2.png")
			for _, link := range []string{"öl.md", "/posts/öl/", "öl"} {
				post, _ := leads(t, b, write("Müsli"), write(link))
				equal(t, "post", post, write("Öl"))
			}
			contains(t, norm.NFC.String(find(t, b, write("Bündel")).Content), "fünf.png")
			if body, err := b.Files.Read(picture, 100); err != nil || string(body) != "png" {
				t.Errorf("%q, %v", body, err)
			}
		})
	}
	t.Run("by wiki links", func(t *testing.T) {
		files := fstest.MapFS{norm.NFD.String("Öl.md"): {Data: []byte("text")},
			norm.NFD.String("grün.png"): {Data: []byte("png")},
			"a.md":                      {Data: []byte("# A\n\n[[Öl]] ![[grün.png]]")}}
		b, err := formats.Read([]fs.FS{files}, now)
		if err != nil {
			t.Fatal(err)
		}
		content := find(t, b, "A").Content
		contains(t, content, "[Öl](/%C3%96l.md)", "/gr%C3%BCn.png")
		_, picture := leads(t, b, "A", "/gr%C3%BCn.png")
		equal(t, "picture", picture, "grün.png")
	})
	t.Run("in a folder that has both forms", func(t *testing.T) {
		files := fstest.MapFS{"ö.md": {Data: []byte("# Composed\n\ntext")},
			norm.NFD.String("ö.md"): {Data: []byte("# Decomposed\n\ntext")}}
		b, err := formats.Read([]fs.FS{files}, now)
		if err != nil || len(b.Posts) != 2 {
			t.Fatalf("%v %v", b, err)
		}
		find(t, b, "Composed")
		find(t, b, "Decomposed")
		post, _ := leads(t, b, "Decomposed", "ö.md")
		equal(t, "post", post, "Composed")
	})
}

func TestZipOfWindowsIsRead(t *testing.T) {
	unzipped := func(t *testing.T, files []*zip.FileHeader, texts ...string) *portable.Blog {
		t.Helper()
		var packed bytes.Buffer
		z := zip.NewWriter(&packed)
		for i, header := range files {
			w, err := z.CreateHeader(header)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = w.Write([]byte(texts[i]))
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		root, err := portable.OpenZip(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
		if err != nil {
			t.Fatal(err)
		}
		b, err := formats.Read([]fs.FS{root}, now)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	old := func(page *charmap.Charmap, name string) *zip.FileHeader {
		t.Helper()
		encoded, err := page.NewEncoder().String(name)
		if err != nil {
			t.Fatal(err)
		}
		return &zip.FileHeader{Name: encoded, NonUTF8: true}
	}
	for name, page := range map[string]*charmap.Charmap{"Größe é Ñ": charmap.CodePage437,
		"À la carte":    charmap.CodePage850,
		"Žluťoučký kůň": charmap.CodePage852, "Привет": charmap.CodePage866} {
		t.Run("with names in "+page.String(), func(t *testing.T) {
			b := unzipped(t, []*zip.FileHeader{old(page, `texts\`), old(page, `texts\`+name+`.md`),
				old(page, `texts\`+name+`.png`)}, "", "![]("+name+".png)\n", "png")
			p := find(t, b, name)
			equal(t, "file", p.File, "texts/"+name+".md")
			_, picture := leads(t, b, p.Title, name+".png")
			equal(t, "picture", picture, "texts/"+name+".png")
		})
	}
	t.Run("with names in UTF-8 that are not marked", func(t *testing.T) {
		b := unzipped(t, []*zip.FileHeader{{Name: "žlutý.md", NonUTF8: true}}, "text")
		equal(t, "file", b.Posts[0].File, "žlutý.md")
	})
	t.Run("with names that have a letter of Greek in the first code page", func(t *testing.T) {
		b := unzipped(t, []*zip.FileHeader{{Name: "a\xe3b.md", NonUTF8: true}}, "text")
		equal(t, "file", b.Posts[0].File, "aÒb.md")
	})
	t.Run("with names that no code page explains", func(t *testing.T) {
		b := unzipped(t, []*zip.FileHeader{{Name: "a\xb0\xb1\xffb.md", NonUTF8: true}}, "# A\n\ntext")
		if len(b.Posts) != 1 {
			t.Errorf("%d posts", len(b.Posts))
		}
	})
}
