package exporting_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/export"
	"inkfeed/web/exporting"
	"inkfeed/web/webtest"
)

// busyExport calls a function after the posts were read.
type busyExport struct {
	exporting.Export
	then func()
}

func (b busyExport) Posts(ctx context.Context, userID string) iter.Seq2[domain.Post, error] {
	return func(yield func(domain.Post, error) bool) {
		b.Export.Posts(ctx, userID)(yield)
		b.then()
	}
}

func TestAPostPublishedDuringAnExportIsExported(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	store := s.Data.Store
	save := func(d domain.Draft) domain.Draft {
		saved, err := store.Drafts.Save(t.Context(), d)
		s.Data.Must(err)
		return saved
	}
	draft := save(domain.Draft{PostID: domain.NewID(), AuthorID: ada.User.ID, Title: "Soon", Content: "Text."})
	kept := save(domain.Draft{PostID: domain.NewID(), AuthorID: ada.User.ID, Title: "Idea", Content: "Text."})
	discarded := save(domain.Draft{PostID: domain.NewID(), AuthorID: ada.User.ID, Title: "Bad idea", Content: "Text."})
	published := func() {
		ada.Post("/posts", "post", draft.PostID, "title", "Soon", "content", "Text.", "version", "1", "do", "publish").
			Want(303)
		s.Data.Must(store.Drafts.Discard(t.Context(), ada.User.ID, discarded.PostID, 1))
	}
	exporter := exporting.New(nil, exporting.Store{Export: busyExport{store.Export, published}, Drafts: store.Drafts,
		Posts: store.Posts})
	got := map[string]portable.Status{}
	for p, err := range exporter.Posts(t.Context(), ada.User.ID, nil) {
		s.Data.Must(err)
		got[p.ID] = p.Status
	}
	if len(got) != 2 || got[draft.PostID] != portable.Published || got[kept.PostID] != portable.Draft {
		t.Errorf("the export has %v", got)
	}
}

func TestPicturesAreExportedWithTheirDescriptions(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	store := s.Data.Store
	add := func(content string, avatar bool) string {
		i := domain.Image{Name: domain.NewImageName(ada.User.ID, []byte(content), 1, 1, domain.ExtPNG),
			UserID: ada.User.ID, Alt: content, Avatar: avatar, Created: domain.Timestamp(time.Now())}
		_, err := store.Images.Begin(t.Context(), i)
		s.Data.Must(err)
		s.Data.Must(store.Images.Complete(t.Context(), ada.User.ID, i.Name))
		return export.ImagePath(i.Name.String())
	}
	photo, avatar := add("A photo", false), add("Myself", true)
	found := 0
	for i, err := range exporting.New(nil, exporting.Store{Export: store.Export}).Images(t.Context(), ada.User.ID) {
		s.Data.Must(err)
		switch {
		case i.Path == photo && i.Alt == "A photo" && i.Listed:
			found++
		case i.Path == avatar && !i.Listed:
			found++
		default:
			t.Errorf("the export has %+v", i)
		}
	}
	if found != 2 {
		t.Errorf("the export has %d of 2 pictures", found)
	}
}
