package cosmostest

import (
	"iter"
	"slices"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// collect returns a sequence as a list, sorted by a key.
func collect[T any](t *testing.T, all iter.Seq2[T, error], by func(T) string) (keys []string) {
	t.Helper()
	for one, err := range all {
		fixture.Check(t, err)
		keys = append(keys, by(one))
	}
	slices.Sort(keys)
	return keys
}

func wantKeys(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func (s *suite) export(t *testing.T) {
	ctx := t.Context()
	ada, bob := s.MustUser(t), s.MustUser(t)
	post, hidden, gone, theirs := s.MustPost(t, ada, 1), s.MustPost(t, ada, 2), s.MustPost(t, ada, 3),
		s.MustPost(t, bob, 4)
	_, err := s.Drafts.Unpublish(ctx, ada.ID, hidden.ID)
	fixture.Check(t, err)
	fixture.Check(t, s.Posts.Delete(ctx, gone.ID, ada.ID))
	edit := fixture.Must[domain.Edit](t)(domain.NewEdit(post.ID, 1, "Changed", "Changed", fixture.At(5)))
	fixture.Must[domain.Post](t)(s.Posts.Edit(ctx, edit, ada.ID))
	mine, _ := s.MustComment(t, ada, theirs.ID, 6)
	s.MustComment(t, bob, post.ID, 7)
	fixture.Must[domain.Post](t)(s.Posts.Like(ctx, domain.NewLike(ada, theirs.ID, fixture.At(8))))
	fixture.Must[domain.Post](t)(s.Posts.Like(ctx, domain.NewLike(bob, post.ID, fixture.At(8))))
	fixture.Must[domain.Bookmark](t)(s.Posts.Bookmark(ctx, theirs, ada.ID, fixture.At(9)))
	fixture.Must[domain.Bookmark](t)(s.Posts.Bookmark(ctx, post, ada.ID, fixture.At(9)))
	fixture.Must[domain.Bookmark](t)(s.Posts.Unbookmark(ctx, post.ID, ada.ID))
	name := domain.NewImageName(ada.ID, []byte("x"), 3, 2, domain.ExtPNG)
	half := domain.NewImageName(ada.ID, []byte("y"), 3, 2, domain.ExtPNG)
	for _, n := range []domain.ImageName{name, half} {
		fixture.Must[domain.Image](t)(s.Images.Begin(ctx, domain.Image{Name: n, UserID: ada.ID, Bytes: 1,
			Created: fixture.At(10)}))
	}
	fixture.Check(t, s.Images.Complete(ctx, ada.ID, name))
	fixture.Check(t, s.Imports.Put(ctx, domain.Import{UserID: ada.ID, PostID: post.ID, Paths: []string{"/old"}}))

	fixture.Run(t, "the export has everything the user wrote and nothing of others", func(t *testing.T) {
		wantKeys(t, "posts", collect(t, s.Export.Posts(ctx, ada.ID),
			func(p domain.Post) string { return p.ID + p.Title }),
			post.ID+"Changed", hidden.ID+hidden.Title)
		wantKeys(t, "comments", collect(t, s.Export.Comments(ctx, ada.ID),
			func(c domain.Comment) string { return c.ID + c.Content }), mine.ID+mine.Content)
		wantKeys(t, "likes", collect(t, s.Export.Likes(ctx, ada.ID), func(l domain.Like) string { return l.PostID }),
			theirs.ID)
		wantKeys(t, "bookmarks", collect(t, s.Export.Bookmarks(ctx, ada.ID),
			func(b domain.Bookmark) string { return b.PostID }), theirs.ID)
		wantKeys(t, "drafts", collect(t, s.Export.Drafts(ctx, ada.ID), func(d domain.Draft) string { return d.PostID }),
			hidden.ID)
		wantKeys(t, "pictures", collect(t, s.Export.Images(ctx, ada.ID),
			func(i domain.Image) string { return i.Name.String() }), name.String())
	})
	fixture.Run(t, "the export has past versions and former addresses", func(t *testing.T) {
		wantKeys(t, "versions", collect(t, s.Export.Versions(ctx, post.ID),
			func(v domain.PostVersion) string { return v.Title }), post.Title)
		paths := fixture.Must[map[string][]string](t)(s.Export.Paths(ctx, ada.ID))
		if len(paths) != 1 || !slices.Equal(paths[post.ID], []string{"/old"}) {
			t.Errorf("former addresses %v", paths)
		}
	})
	fixture.Run(t, "the export can be interrupted", func(t *testing.T) {
		n := 0
		for _, err := range s.Export.Posts(ctx, ada.ID) {
			fixture.Check(t, err)
			n++
			break
		}
		if n != 1 {
			t.Errorf("the export has %d posts", n)
		}
	})
	fixture.Run(t, "a past version is exported once", func(t *testing.T) {
		v := domain.PostVersion{PostID: post.ID, Revision: 1, Title: "Another", Content: "x", Saved: fixture.At(1)}
		fixture.Check(t, s.Posts.AddVersion(ctx, v))
		if got := fixture.Must[domain.PostVersion](t)(s.Posts.Version(ctx, post.ID, 1)); got.Title != post.Title {
			t.Errorf("the past version became %q", got.Title)
		}
	})
}
