package cosmostest

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) redirects(t *testing.T) {
	ctx := t.Context()
	ada, bob := s.MustUser(t), s.MustUser(t)
	first, second := domain.NewID(), domain.NewID()
	old := "/" + domain.NewID() + "/älter?p=1"
	redirect := domain.Redirect{Path: old, OwnerID: ada.ID, PostID: first}

	fixture.Run(t, "an unknown address leads nowhere", func(t *testing.T) {
		_, err := s.Redirects.Find(ctx, old)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "an address stored several times leads to its post", func(t *testing.T) {
		for range 2 {
			if got := fixture.Must[domain.Redirect](t)(s.Redirects.Put(ctx, redirect)); got != redirect {
				t.Errorf("the address leads to %+v", got)
			}
		}
		if got := fixture.Must[domain.Redirect](t)(s.Redirects.Find(ctx, old)); got != redirect {
			t.Errorf("the address leads to %+v", got)
		}
	})
	fixture.Run(t, "storing another user's address returns its owner", func(t *testing.T) {
		got := fixture.Must[domain.Redirect](t)(s.Redirects.Put(ctx, domain.Redirect{Path: old, OwnerID: bob.ID,
			PostID: second}))
		if got != redirect {
			t.Errorf("the address leads to %+v", got)
		}
	})
	fixture.Run(t, "only its owner can change an address", func(t *testing.T) {
		fixture.WantKind(t, s.Redirects.Move(ctx, domain.Redirect{Path: old, OwnerID: bob.ID, PostID: second}),
			domain.Conflict)
		redirect.PostID = second
		fixture.Check(t, s.Redirects.Move(ctx, redirect))
		if got := fixture.Must[domain.Redirect](t)(s.Redirects.Find(ctx, old)); got != redirect {
			t.Errorf("the address leads to %+v", got)
		}
	})
	fixture.Run(t, "an address leads to a list until the post exists", func(t *testing.T) {
		list := domain.Redirect{Path: old + "/list", OwnerID: ada.ID, To: domain.OwnerPage + "/feed.rss"}
		fixture.Must[domain.Redirect](t)(s.Redirects.Put(ctx, list))
		if got := fixture.Must[domain.Redirect](t)(s.Redirects.Find(ctx, list.Path)); got != list {
			t.Errorf("the address leads to %+v", got)
		}
		for _, to := range []domain.Redirect{{Path: list.Path, OwnerID: ada.ID, PostID: first}, list} {
			fixture.Check(t, s.Redirects.Move(ctx, to))
			if got := fixture.Must[domain.Redirect](t)(s.Redirects.Find(ctx, list.Path)); got != to {
				t.Errorf("moved, it leads to %+v", got)
			}
		}
	})
	fixture.Run(t, "records are stored by user and post", func(t *testing.T) {
		_, err := s.Imports.Get(ctx, ada.ID, first)
		fixture.WantKind(t, err, domain.NotFound)
		record := domain.Import{UserID: ada.ID, PostID: first, Digest: "new", Previous: "old",
			Paths: []string{old, old + "/list"}}
		fixture.Check(t, s.Imports.Put(ctx, record))
		record.Previous, record.Done = "", true
		fixture.Check(t, s.Imports.Put(ctx, record))
		got := fixture.Must[domain.Import](t)(s.Imports.Get(ctx, ada.ID, first))
		if got.Digest != "new" || got.Previous != "" || !got.Done || !slices.Equal(got.Paths, record.Paths) {
			t.Errorf("the record is %+v", got)
		}
		if all := fixture.Must[[]domain.Import](t)(s.Imports.Of(ctx, ada.ID)); len(all) != 1 || all[0].PostID != first {
			t.Errorf("the records are %+v", all)
		}
	})
	fixture.Run(t, "requested addresses are listed, approved and assigned", func(t *testing.T) {
		asked := domain.Redirect{Path: old + "/asked", OwnerID: ada.ID, PostID: first}
		all := fixture.Must[domain.AddressRequests](t)(s.Redirects.Requests(ctx, ada.ID))
		all.Add([]domain.Redirect{asked, {Path: old + "/unnamed", OwnerID: ada.ID, PostID: first}})
		fixture.Check(t, s.Redirects.SetRequests(ctx, all))
		fixture.WantKind(t, s.Redirects.SetRequests(ctx, all), domain.Conflict)
		all = fixture.Must[domain.AddressRequests](t)(s.Redirects.Requests(ctx, ada.ID))
		list := fixture.Must[domain.ListPage[domain.AddressRequests]](t)(s.Redirects.ListRequests(ctx, 1))
		var row domain.AddressRequests
		for _, r := range list.Items {
			if r.UserID == ada.ID {
				row = r
			}
		}
		if row.Count != 2 || row.ETag != all.ETag || !slices.Equal(row.Examples, all.Examples) {
			t.Errorf("the list is %+v", list.Items)
		}
		fixture.Check(t, s.Imports.Put(ctx, domain.Import{UserID: ada.ID, PostID: domain.NewID(),
			Paths: []string{asked.Path}}))
		everything := func(domain.Redirect) bool { return true }
		left := fixture.Must[domain.AddressRequests](t)(s.Redirects.Approve(ctx, all, everything))
		if left.Count != 1 || left.Addresses[0].Path != old+"/unnamed" {
			t.Errorf("%+v are left", left)
		}
		if got := fixture.Must[domain.Redirect](t)(s.Redirects.Find(ctx, asked.Path)); got != asked {
			t.Errorf("the address leads to %+v", got)
		}
		_, err := s.Redirects.Find(ctx, old+"/unnamed")
		fixture.WantKind(t, err, domain.NotFound)
		assigned := domain.Redirect{Path: asked.Path, OwnerID: bob.ID, To: domain.OwnerPage}
		fixture.WantKind(t, s.Redirects.Assign(ctx, assigned, asked), domain.Conflict)
		for range 2 { // bob gets an address for the first time, and again
			fixture.Check(t, s.Redirects.Assign(ctx, asked, assigned))
			fixture.Check(t, s.Redirects.Assign(ctx, assigned, asked))
		}
		fixture.Check(t, s.Redirects.Assign(ctx, asked, domain.Redirect{Path: asked.Path}))
		_, err = s.Redirects.Find(ctx, asked.Path)
		fixture.WantKind(t, err, domain.NotFound)
		for _, record := range fixture.Must[[]domain.Import](t)(s.Imports.Of(ctx, ada.ID)) {
			if record.PostID != first {
				fixture.Check(t, s.Imports.Delete(ctx, record))
			}
		}
	})
	fixture.Run(t, "redirects are deleted with their account only", func(t *testing.T) {
		bobs := domain.Redirect{Path: old + "b", OwnerID: bob.ID, PostID: second}
		fixture.Must[domain.Redirect](t)(s.Redirects.Put(ctx, bobs))
		// A record contains an address that belongs to another post.
		fixture.Check(t, s.Imports.Put(ctx, domain.Import{UserID: ada.ID, PostID: second, Paths: []string{bobs.Path}}))
		fixture.Check(t, s.AccountDeletions.Delete(ctx, ada.ID))
		fixture.Check(t, s.AccountDeletions.FinishErasure(ctx, ada.ID))
		for _, path := range []string{old, old + "/list"} {
			_, err := s.Redirects.Find(ctx, path)
			fixture.WantKind(t, err, domain.NotFound)
		}
		if got := fixture.Must[domain.Redirect](t)(s.Redirects.Find(ctx, bobs.Path)); got != bobs {
			t.Errorf("another's leads to %+v", got)
		}
		if all := fixture.Must[[]domain.Import](t)(s.Imports.Of(ctx, ada.ID)); len(all) != 0 {
			t.Errorf("the records are %+v", all)
		}
	})
	fixture.Run(t, "thousands of redirects are deleted in bounded steps", func(t *testing.T) {
		gone := domain.NewUserID(nil)
		var paths []string
		for n := range 1500 {
			paths = append(paths, fmt.Sprint(old, "/many/", n))
		}
		last := domain.Redirect{Path: paths[1499], OwnerID: gone, PostID: first}
		fixture.Must[domain.Redirect](t)(s.Redirects.Put(ctx, last))
		fixture.Check(t, s.Imports.Put(ctx, domain.Import{UserID: gone, PostID: first, Paths: paths}))
		if more := fixture.Must[bool](t)(s.AccountDeletions.EraseImports(ctx, gone)); !more {
			t.Error("one step deletes them all")
		}
		if left := fixture.Must[domain.Import](t)(s.Imports.Get(ctx, gone, first)); len(left.Paths) != 500 {
			t.Errorf("%d redirects are left after a step", len(left.Paths))
		}
		if more := fixture.Must[bool](t)(s.AccountDeletions.EraseImports(ctx, gone)); more {
			t.Error("the second step leaves some")
		}
		_, err := s.Redirects.Find(ctx, last.Path)
		fixture.WantKind(t, err, domain.NotFound)
	})
}

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
