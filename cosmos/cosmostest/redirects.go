package cosmostest

import (
	"fmt"
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
