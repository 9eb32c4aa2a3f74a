package importing_test

import (
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

const ownID = "bbcdefghijkmnpqrstuvwxyz23"

// ownBlog returns an export of Inkfeed with one post.
func ownBlog(change func(*portable.Post)) *portable.Blog {
	p := portable.Post{Key: "inkfeed:" + ownID, ID: ownID, Where: "one.md", Title: "One", Content: "Text.",
		Status: portable.Published, Created: now.AddDate(-1, 0, 0)}
	change(&p)
	return &portable.Blog{Format: "Inkfeed", Posts: []portable.Post{p}}
}

func TestAnUnlistedPostIsNotPublicAfterAnImport(t *testing.T) {
	edition := func(p *portable.Post, status portable.Status) {
		p.PendingEdit = &portable.PendingEdit{Title: p.Title, Content: p.Content, Status: status}
	}
	t.Run("if its author had unpublished it", func(t *testing.T) {
		m := newStore()
		blog := ownBlog(func(p *portable.Post) { p.Status = portable.Unpublished; edition(p, portable.Unlisted) })
		if _, err := importBlog(t, m, blog, nil); err != nil {
			t.Fatal(err)
		}
		id := m.idOf(t, "One")
		if p, d := m.posts[id], m.drafts[id]; p.Status != domain.Unpublished || d.Status != domain.Unlisted {
			t.Errorf("the post is %+v, its draft %+v", p, d)
		}
	})
	t.Run("if a change only makes it unlisted", func(t *testing.T) {
		m := newStore()
		blog := ownBlog(func(p *portable.Post) { edition(p, portable.Unlisted) })
		if _, err := importBlog(t, m, blog, nil); err != nil {
			t.Fatal(err)
		}
		id := m.idOf(t, "One")
		if p, d := m.posts[id], m.drafts[id]; p.Status != domain.Published || d.Status != domain.Unlisted {
			t.Errorf("the post is %+v, its draft %+v", p, d)
		}
	})
	t.Run("if its author unpublished it in the source after the first import", func(t *testing.T) {
		m := newStore()
		blog := ownBlog(func(p *portable.Post) { p.Status = portable.Unlisted })
		if _, err := importBlog(t, m, blog, nil); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"Text.", "A later text."} {
			_, err := importBlog(t, m, ownBlog(func(p *portable.Post) {
				p.Status, p.Content = portable.Unpublished, text
			}), nil)
			if err != nil {
				t.Fatal(err)
			}
			if p := m.posts[m.idOf(t, "One")]; p.Status != domain.Unlisted || p.Content != text {
				t.Errorf("the post is %+v", p)
			}
		}
	})
	t.Run("but public if a change makes it public", func(t *testing.T) {
		m := newStore()
		blog := ownBlog(func(p *portable.Post) { p.Status = portable.Unlisted; edition(p, portable.Published) })
		if _, err := importBlog(t, m, blog, nil); err != nil {
			t.Fatal(err)
		}
		id := m.idOf(t, "One")
		if p, d := m.posts[id], m.drafts[id]; p.Status != domain.Unlisted || d.Version == 0 ||
			d.Status != domain.Published {
			t.Errorf("the post is %+v, its draft %+v", p, d)
		}
	})
}

func TestAPostGetsNoAddressOfAPostThatWasDeletedLongAgo(t *testing.T) {
	for _, status := range []portable.Status{portable.Published, portable.Scheduled} {
		m := newStore()
		m.used = map[string]bool{ownID: true}
		blog := ownBlog(func(p *portable.Post) { p.Status, p.Publish = status, now.AddDate(5, 0, 0) })
		for range 2 {
			if _, err := importBlog(t, m, blog, nil); err != nil {
				t.Fatal(err)
			}
		}
		_, post := m.posts[ownID]
		_, draft := m.drafts[ownID]
		if post || draft || len(m.posts)+len(m.drafts) != 1 {
			t.Errorf("%v: the posts are %v, the drafts %v", status, m.posts, m.drafts)
		}
	}
}

func TestADeletedCommentIsReportedAsDeleted(t *testing.T) {
	m, blog := newStore(), ownBlog(func(*portable.Post) {})
	m.deletedComments = true
	blog.Rest.Comments = []portable.Comment{{ID: "cbcdefghijkmnpqrstuvwxyz23", PostID: ownID, Content: "A comment.",
		Created: now.AddDate(0, -1, 0)}}
	report, err := importBlog(t, m, blog, nil)
	if err != nil || len(report.Problems) != 1 ||
		!strings.Contains(fmt.Sprint(report.Problems[0]), "it was deleted here") {
		t.Errorf("the report is %+v, error %v", report, err)
	}
}

func TestClosedCommentsStayClosed(t *testing.T) {
	blog := ownBlog(func(p *portable.Post) { p.CommentsClosed = true })
	blog.Rest.Comments = []portable.Comment{{ID: "cbcdefghijkmnpqrstuvwxyz23", PostID: ownID, Content: "A comment.",
		Created: now.AddDate(0, -1, 0)}}
	imported := newStore()
	report, err := importBlog(t, imported, blog, nil)
	if err != nil || len(report.Problems) != 0 {
		t.Fatalf("the report is %+v, error %v", report, err)
	}
	id := imported.idOf(t, "One")
	t.Run("after an import with the comments that were made before", func(t *testing.T) {
		if !imported.posts[id].CommentsClosed || len(imported.comments) != 1 {
			t.Errorf("the post is %+v, the comments %v", imported.posts[id], imported.comments)
		}
	})
	for n := 1; n <= imported.calls; n++ {
		t.Run(fmt.Sprint("after an import that was interrupted at call ", n), func(t *testing.T) {
			m := newStore()
			m.failing = n
			if _, err := importBlog(t, m, blog, nil); err == nil {
				t.Fatal("the import was not interrupted")
			}
			if _, err := importBlog(t, m, blog, nil); err != nil {
				t.Fatal(err)
			}
			if got, want := m.state(), imported.state(); !reflect.DeepEqual(got, want) {
				t.Errorf("the store has\n%+v, want\n%+v", got, want)
			}
		})
	}
	t.Run("even if the author edits the post before an interrupted import is repeated", func(t *testing.T) {
		m := newStore()
		if _, err := importBlog(t, m, ownBlog(func(p *portable.Post) {}), nil); err != nil {
			t.Fatal(err)
		}
		p, record := m.posts[id], m.records[id]
		p.Content, record.Done = "Edited here.", false
		m.posts[id], m.records[id] = p, record
		if _, err := importBlog(t, m, blog, nil); err != nil {
			t.Fatal(err)
		}
		if p := m.posts[id]; !p.CommentsClosed || p.Content != "Edited here." || !m.records[id].Done {
			t.Errorf("the post is %+v, its record %+v", p, m.records[id])
		}
	})
	t.Run("except on the post from which the export was made", func(t *testing.T) {
		m := newStore()
		p := imported.posts[id]
		p.CommentsClosed = false
		m.posts[id] = p
		if _, err := importBlog(t, m, blog, nil); err != nil {
			t.Fatal(err)
		}
		if m.posts[id].CommentsClosed {
			t.Error("the import closes the comments of a post that it has not written")
		}
	})
	t.Run("unless the author opens them here", func(t *testing.T) {
		if _, err := (posts{imported}).CloseComments(t.Context(), id, ada.ID, false); err != nil {
			t.Fatal(err)
		}
		if _, err := importBlog(t, imported, blog, nil); err != nil {
			t.Fatal(err)
		}
		if imported.posts[id].CommentsClosed {
			t.Error("the next import closes them again")
		}
	})
}

func TestPicturesOfAnExportAreImportedWithTheirDescriptions(t *testing.T) {
	photo, err := os.ReadFile("../portable/testdata/photo.png")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"that a text shows": "![In the text](../images/photo.png)",
		"that no text shows": "Text."} {
		t.Run(name, func(t *testing.T) {
			root := fstest.MapFS{
				"inkfeed.json": {Data: []byte(`{"format": "inkfeed", "version": 1,
					"images": [{"file": "images/photo.png", "alt": "A described photo"}]}`)},
				"posts/one.md":     {Data: []byte("---\ntitle: One\nid: " + ownID + "\n---\n\n" + text + "\n")},
				"images/photo.png": {Data: photo},
			}
			blog, err := formats.Read([]fs.FS{root}, now)
			if err != nil {
				t.Fatal(err)
			}
			m := newStore()
			for _, want := range []int{1, 0} {
				r, err := importBlog(t, m, blog, func(i *importing.Importer) { i.DryRun = true })
				if err != nil || r.Pictures != want || len(m.images) != 1-want {
					t.Errorf("a preview of %d pictures reports %+v, error %v", want, r, err)
				}
				if r, err = importBlog(t, m, blog, nil); err != nil || r.Pictures != want || len(r.Problems) != 0 {
					t.Errorf("an import of %d pictures reports %+v, error %v", want, r, err)
				}
			}
			for _, image := range m.images {
				if image.Alt != "A described photo" || image.Incomplete {
					t.Errorf("the picture is %+v", image)
				}
			}
			if len(m.images) != 1 {
				t.Errorf("there are %d pictures", len(m.images))
			}
		})
	}
}

func TestCommentsAloneAreAnImport(t *testing.T) {
	blog := ownBlog(func(p *portable.Post) {})
	m := newStore()
	if _, err := importBlog(t, m, blog, nil); err != nil {
		t.Fatal(err)
	}
	blog.Posts, blog.Rest.Comments = nil, []portable.Comment{{ID: "cbcdefghijkmnpqrstuvwxyz23",
		PostID: m.idOf(t, "One"), Content: "A comment.", Created: now.AddDate(0, -1, 0)}}
	for _, c := range []struct {
		when   string
		dryRun bool
	}{{"when they are new", true}, {"when they are new", false}, {"when they are all here already", false},
		{"when they are all here already", true}} {
		t.Run(c.when, func(t *testing.T) {
			r, err := importBlog(t, m, blog, func(i *importing.Importer) { i.DryRun = c.dryRun })
			if err != nil || r.Check() != nil {
				t.Errorf("dry run %t: errors %v, %v", c.dryRun, err, r.Check())
			}
		})
	}
}

func TestPicturesAloneAreAnImport(t *testing.T) {
	photo, err := os.ReadFile("../portable/testdata/photo.png")
	if err != nil {
		t.Fatal(err)
	}
	export := func(t *testing.T, files fstest.MapFS) *portable.Blog {
		t.Helper()
		files["inkfeed.json"] = &fstest.MapFile{Data: []byte(`{"format": "inkfeed", "version": 1,
			"images": [{"file": "images/photo.png"}]}`)}
		blog, err := formats.Read([]fs.FS{files}, now)
		if err != nil {
			t.Fatal(err)
		}
		return blog
	}
	t.Run("also if they are all here already", func(t *testing.T) {
		m, blog := newStore(), export(t, fstest.MapFS{"images/photo.png": {Data: photo}})
		for _, dryRun := range []bool{true, false, false, true} {
			r, err := importBlog(t, m, blog, func(i *importing.Importer) { i.DryRun = dryRun })
			if err != nil || r.Check() != nil {
				t.Errorf("dry run %t: errors %v, %v", dryRun, err, r.Check())
			}
		}
	})
	t.Run("but not if none can be imported", func(t *testing.T) {
		r, err := importBlog(t, newStore(), export(t, fstest.MapFS{}), nil)
		if err != nil || r.Check() == nil || !strings.Contains(r.Check().Error(), "nothing was imported") {
			t.Errorf("errors %v, %v, want one that says that nothing was imported", err, r.Check())
		}
	})
}
