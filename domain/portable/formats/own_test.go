package formats_test

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/export"
	"inkfeed/domain/portable/formats"
	"inkfeed/domain/portable/markup"
)

const (
	anID      = "abcdefghijkmnpqrstuvwxyz23"
	anotherID = "bbcdefghijkmnpqrstuvwxyz23"
)

// all returns a sequence of values.
func all[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, one := range list {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// written returns an unpacked export of posts.
func written(t testing.TB, s export.Source, posts ...portable.Post) *zip.Reader {
	t.Helper()
	s.Posts = func() iter.Seq2[portable.Post, error] { return all(posts) }
	for _, list := range []*iter.Seq2[portable.Reaction, error]{&s.Likes, &s.Bookmarks} {
		if *list == nil {
			*list = all[portable.Reaction](nil)
		}
	}
	if s.Comments == nil {
		s.Comments = all[portable.Comment](nil)
	}
	if s.Images == nil {
		s.Images = all[export.Image](nil)
	}
	var b bytes.Buffer
	if err := export.Write(&b, s, now); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func reread(t testing.TB, z *zip.Reader) *portable.Blog {
	t.Helper()
	b, err := formats.Read([]fs.FS{z}, now)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// withoutOrigin returns a post without the fields that reading an export adds.
func withoutOrigin(p portable.Post) portable.Post {
	p.Key, p.Where, p.File = "", "", ""
	return p
}

// allDetails returns details with a value in every field.
func allDetails(value string) (d domain.Details) {
	fields := reflect.ValueOf(&d).Elem()
	for i := range fields.NumField() {
		fields.Field(i).SetString(value)
	}
	return d
}

func TestOwnExportIsReadBackUnchanged(t *testing.T) {
	at := func(minutes int) time.Time { return time.Date(2025, 1, 2, 3, minutes, 5, 678e6, time.UTC) }
	posts := []portable.Post{
		{ID: anID, Title: `A "title": with #signs, 'quotes' & — 日本`, Content: "\n\n# Not front matter\n---\ntext  \n\n",
			Tags: []string{"Go", "C++", "yes", "12", "Über uns"},
			Slug: "own-slug", Details: allDetails("de"), Status: portable.Published, Created: at(1), Edited: at(2),
			Paths: []string{
				"/old", "/2019/älter", "/?p=7"},
			PendingEdit: &portable.PendingEdit{Title: "null", Tags: "a, b", Details: allDetails("nl"),
				Content: "changed", Status: portable.Unlisted, Publish: at(9)},
			Versions: []portable.Version{{Revision: 1, Title: "First", Tags: []string{"x"},
				Details: allDetails("fr"), Content: "was", Saved: at(1)}}},
		{ID: "cbcdefghijkmnpqrstuvwxyz23", Title: "true", Content: "x", Status: portable.Unlisted, Created: at(3),
			CommentsClosed: true,
			PendingEdit:    &portable.PendingEdit{Title: "true", Content: "x", Status: portable.Published}},
		{ID: "dbcdefghijkmnpqrstuvwxyz23", Title: "2024-01-01", Content: "+++\nx\n+++", Status: portable.Unpublished,
			Created: at(4)},
		{ID: "ebcdefghijkmnpqrstuvwxyz23", Title: "", Content: "", Status: portable.Draft, Created: at(5),
			Hidden: true},
		{ID: "fbcdefghijkmnpqrstuvwxyz23", Title: "Later", Content: "![a](/media/" + anotherID +
			"-1x1.png) and `![a](/media/" + anotherID + "-1x1.png)`",
			Status: portable.Scheduled, Created: at(6), Publish: at(8)},
	}
	name, _ := domain.ParseImageName(anotherID + "-1x1.png")
	source := export.Source{
		Profile: portable.Profile{UserID: "u." + anID, Username: "ada", DisplayName: "Ada Lovelace", Created: at(0),
			Bio: "I *write*.", Avatar: "images/x.png"},
		Comments: all([]portable.Comment{{ID: anotherID, PostID: anID, Post: "/posts/" + anID, Content: "Hello",
			Created: at(7)}}),
		Likes:     all([]portable.Reaction{{PostID: anotherID, Post: "/posts/" + anotherID, Created: at(7)}}),
		Bookmarks: all([]portable.Reaction{{PostID: anID, Post: "/posts/" + anID, Created: at(8)}}),
		Images: all([]export.Image{
			{Path: export.ImagePath(name.String()), Open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader("png")), nil
			}, Listed: true, Alt: "A square"},
			{Path: "images/gone.png", Open: func() (io.ReadCloser, error) {
				return nil, domain.NewError(domain.NotFound, "deleted meanwhile")
			}}}),
	}
	z := written(t, source, posts...)
	b := reread(t, z)
	if b.Format != "Inkfeed" || len(b.Problems) != 0 {
		t.Errorf("format %s, problems %v", b.Format, b.Problems)
	}
	back := map[string]portable.Post{}
	for _, p := range b.Posts {
		back[p.ID] = p
	}
	for _, want := range posts {
		got := withoutOrigin(back[want.ID])
		want.Content = strings.Replace(want.Content, "](/media/", "](../images/", 1)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("read back as\n%+v, want\n%+v", got, want)
		}
	}
	if len(b.Rest.Comments) != 1 || len(b.Rest.Likes) != 1 || len(b.Rest.Bookmarks) != 1 ||
		b.Rest.Profile.Bio != "I *write*." ||
		b.Rest.Profile.DisplayName != "Ada Lovelace" {
		t.Errorf("the rest is %+v", b.Rest)
	}
	if want := []portable.Picture{{File: "images/" + name.String(), Alt: "A square"}}; !slices.Equal(
		b.Pictures, want) {
		t.Errorf("the pictures are %+v, want %+v", b.Pictures, want)
	}
	d := portable.NewDirectory(b)
	for i, p := range b.Posts {
		if p.Status == portable.Scheduled {
			if file, ok := d.File(i, "../images/"+name.String()); !ok || file != "images/"+name.String() {
				t.Errorf("the picture is %q, %v", file, ok)
			}
		}
	}
	t.Run("as files that Hugo reads", func(t *testing.T) {
		names := map[string]bool{}
		for _, f := range z.File {
			names[f.Name] = true
		}
		want := []string{"drafts/2025-01-02-de-abcdefgh-changes.md", "drafts/2025-01-02-later-fbcdefgh.md",
			"drafts/2025-01-02-post-ebcdefgh.md", "drafts/2025-01-02-true-cbcdefgh-changes.md",
			"images/" + name.String(), "inkfeed.json", "posts/2025-01-02-2024-01-01-dbcdefgh.md",
			"posts/2025-01-02-de-abcdefgh.md", "posts/2025-01-02-true-cbcdefgh.md"}
		if got := slices.Sorted(maps.Keys(names)); !slices.Equal(got, want) {
			t.Errorf("the files are %q", got)
		}
	})
}

func TestOwnExportKeepsAddressesOfPicturesThatItDoesNotContain(t *testing.T) {
	name, _ := domain.ParseImageName(anotherID + "-1x1.png")
	content := "![a](" + name.Path() + ") ![b](/media/" + anID + "-1x1.png)"
	p := portable.Post{ID: anID, Title: "x", Content: content, Status: portable.Published, Created: now}
	images := all([]export.Image{{Path: export.ImagePath(name.String()), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("png")), nil
	}}})
	b := reread(t, written(t, export.Source{Images: images}, p))
	if want := "![a](../images/" + name.String() + ") ![b](/media/" + anID + "-1x1.png)"; b.Posts[0].Content != want {
		t.Errorf("the text is %q, want %q", b.Posts[0].Content, want)
	}
}

func TestEditedOwnExportIsReadAsFarAsItIsValid(t *testing.T) {
	head := "---\ntitle: x\nid: " + anID + "\n"
	files := map[string]string{"e/inkfeed.json": `{"format": "inkfeed", "version": 1, "posts": []}`,
		"e/posts/a.md": head + "---\n\nNew text\n", "e/posts/b.md": head +
			"---\n\nTwice\n", "e/posts/c.md": "no front matter",
		"e/posts/d.md": "---\ntitle: x\nid: " + anotherID + "\nstatus: odd\n---\n\nx\n", "e/other/e.md": head + "---\n",
		"e/drafts/f.md": "---\ntitle: x\nid: " + anotherID + "\nchanges: true\n---\n\nx\n"}
	b := read(t, files)
	if len(b.Posts) != 1 || b.Posts[0].Content != "New text" {
		t.Errorf("posts %+v", b.Posts)
	}
	for _, about := range []string{"same post", "no valid post id", "the status \"odd\" is not known",
		"it changes a post"} {
		if len(problems(b, about)) != 1 {
			t.Errorf("%q is not reported exactly once: %v", about, b.Problems)
		}
	}
}

func FuzzOwnPost(f *testing.F) {
	f.Add("title", "content\n", "tag", "slug")
	f.Add("- [", "---\n+++\n", "a: b", "\u2028")
	f.Add("'\"\\", "[x](/media/"+anID+"-1x1.png)", "", "~")
	f.Fuzz(func(t *testing.T, title, content, tag, slug string) {
		title, content, err := domain.CleanPost(title, content)
		if err != nil {
			return
		}
		tags, err := domain.CleanTags(tag)
		if err != nil {
			return
		}
		if slug != "" {
			slug = names.Slug(slug)
		}
		p := portable.Post{ID: anID, Title: title, Content: content, Tags: tags.List(), Slug: slug,
			Status: portable.Published, Created: now}
		back := reread(t, written(t, export.Source{}, p)).Posts
		if len(back) != 1 {
			t.Fatalf("%d posts were read back", len(back))
		}
		got := withoutOrigin(back[0])
		got.Content = markup.Rewrite(got.Content, func(l markup.Link) (string, bool) {
			file, ok := strings.CutPrefix(l.Destination, "../images/")
			_, isName := domain.ParseImageName(file)
			return "/media/" + file, ok && isName
		})
		// The text may contain the address of a picture in an export literally.
		if got.Content != content && strings.Contains(content, "../images/") {
			got.Content = content
		}
		if !reflect.DeepEqual(got, p) {
			t.Errorf("%+v is read back as %+v", p, got)
		}
	})
}
