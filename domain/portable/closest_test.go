package portable_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"inkfeed/domain/portable"
)

func TestPictureIsFoundByTheLongestEndOfItsPath(t *testing.T) {
	folder := fstest.MapFS{"one/only.png": {}}
	for _, name := range []string{"a/x.png", "b/a/x.png", "c/A/x.png", "a/b/X.png", "z/x.png"} {
		folder["uploads/"+name] = &fstest.MapFile{}
	}
	files, err := portable.NewFiles(folder)
	if err != nil {
		t.Fatal(err)
	}
	d := portable.NewDirectory(&portable.Blog{Files: files, Posts: []portable.Post{{}}})
	for address, want := range map[string]string{
		"/wp/b/a/x.png": "uploads/b/a/x.png", "/wp/c/a/x.png": "uploads/c/A/x.png", "/wp/d/a/x.png": "", "/x.png": "",
		"/wp/Z/x.png": "uploads/z/x.png", "/a/b/x.png": "uploads/a/b/X.png", "/any/only.png": "one/only.png",
		"/any/none.png": "",
	} {
		if got, ok := d.File(0, address); ok && got != want || ok != (want != "") {
			t.Errorf("%s leads to %q, %v, want %q", address, got, ok, want)
		}
	}
}

// Comparing each address with all files of its name, or each name of an author with all of the author's, would take
// quadratic time.
func TestManyPicturesAndNamesTakeLinearTime(t *testing.T) {
	folder := make(fstest.MapFS)
	const n = 1_000
	for i := range n {
		folder[fmt.Sprintf("f%d/x.png", i)] = &fstest.MapFile{}
	}
	files, err := portable.NewFiles(folder)
	if err != nil {
		t.Fatal(err)
	}
	b := &portable.Blog{Files: files, Posts: []portable.Post{{Author: "ann"}}}
	d := portable.NewDirectory(b)
	allocations := testing.AllocsPerRun(1, func() {
		for i := range n {
			if _, ok := d.File(0, fmt.Sprintf("/g%d/x.png", i)); ok {
				t.Fatal("an address leads to one of several files")
			}
		}
	})
	if allocations > 200*n {
		t.Errorf("%.0f allocations for %d addresses", allocations, n)
	}
	for i := range n {
		b.AddPerson("ann", fmt.Sprint("Ann ", i))
	}
	if names := b.Authors()[0].Names; len(names) != 100 {
		t.Errorf("an author has %d names, want 100", len(names))
	}
}
