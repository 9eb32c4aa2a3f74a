package cosmostest

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// wantImages compares the user's counters with the records of pictures.
func (s *suite) wantImages(t *testing.T, owner domain.User, count int, bytes int64) {
	t.Helper()
	if u := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), owner.ID)); u.ImageCount != count ||
		u.ImageBytes != bytes {
		t.Errorf("%d pictures of %d bytes are counted, want %d of %d", u.ImageCount, u.ImageBytes, count, bytes)
	}
}

func (s *suite) pictures(t *testing.T) {
	owner, other := s.MustUser(t), s.MustUser(t)
	fixture.Run(t, "a picture is incomplete until its files are stored", func(t *testing.T) {
		image := fixture.AnImage(owner, 1)
		begun := fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), image))
		image.Incomplete = true
		if begun != image {
			t.Errorf("got %+v, want %+v", begun, image)
		}
		for range 2 { // idempotent
			fixture.Check(t, s.Images.Complete(t.Context(), owner.ID, image.Name))
		}
		image.Incomplete = false
		if got := fixture.Must[domain.Image](t)(s.Images.Get(t.Context(), owner.ID, image.Name)); got != image {
			t.Errorf("got %+v, want %+v", got, image)
		}
		s.wantImages(t, owner, 1, 1000)
		fixture.Check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
	})
	fixture.Run(t, "the owner of a picture or avatar can be found", func(t *testing.T) {
		image, avatar := fixture.AnImage(owner, 1), fixture.AnImage(other, 1)
		avatar.Avatar = true
		for _, i := range []domain.Image{image, avatar} {
			fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), i))
			if got := fixture.Must[string](t)(s.Images.Owner(t.Context(), i.Name)); got != i.UserID {
				t.Errorf("%s is of %s, want %s", i.Name, got, i.UserID)
			}
			fixture.Check(t, s.Images.Delete(t.Context(), i.UserID, i.Name))
			_, err := s.Images.Owner(t.Context(), i.Name)
			fixture.WantKind(t, err, domain.NotFound)
		}
	})
	fixture.Run(t, "a picture records the files it was imported from", func(t *testing.T) {
		uploaded, imported, avatar := s.MustImage(t, owner, 1), fixture.AnImage(owner, 2), fixture.AnImage(owner, 3)
		imported.Source, avatar.Avatar = "source", true
		fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), imported))
		fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), avatar))
		fixture.Check(t, s.Images.SetSource(t.Context(), owner.ID, uploaded.Name, "another"))
		sources := make(map[domain.ImageName]string)
		for _, image := range fixture.Must[[]domain.Image](t)(s.Images.All(t.Context(), owner.ID)) {
			sources[image.Name] = image.Source
			if image.Incomplete != (image.Name == imported.Name) {
				t.Errorf("the imported picture %s is incomplete: %t", image.Name, image.Incomplete)
			}
		}
		if want := map[domain.ImageName]string{uploaded.Name: "another", imported.Name: "source"}; !maps.Equal(sources,
			want) {
			t.Errorf("the sources are %v, want %v", sources, want)
		}
		fixture.WantKind(t, s.Images.SetSource(t.Context(), owner.ID, fixture.AnImage(owner, 4).Name, "none"),
			domain.NotFound)
		for _, image := range []domain.Image{uploaded, imported, avatar} {
			fixture.Check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
		}
	})
	fixture.Run(t, "uploading a picture again keeps its record", func(t *testing.T) {
		image := s.MustImage(t, owner, 1)
		again := image
		again.Alt, again.Created = "A dog", fixture.At(9)
		if got := fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), again)); got != image {
			t.Errorf("got %+v, want %+v", got, image)
		}
		s.wantImages(t, owner, 1, 1000)
		fixture.Check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
	})
	fixture.Run(t, "pictures are listed newest first, without avatars", func(t *testing.T) {
		var want []domain.Image
		for minute := range domain.ImagesPerPage + 2 {
			want = append(want, s.MustImage(t, owner, minute))
		}
		avatar := fixture.AnImage(owner, 99)
		avatar.Avatar = true
		fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), avatar))
		s.MustImage(t, other, 50)
		slices.Reverse(want)
		got := fixture.All(t,
			func(page int) (domain.ListPage[domain.Image], error) { return s.Images.Of(t.Context(), owner.ID, page) })
		if !slices.Equal(got, want) {
			t.Errorf("got %+v", got)
		}
		s.wantImages(t, owner, len(want)+1, 1000*int64(len(want)+1))
		for _, image := range append(want, avatar) {
			fixture.Check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
		}
		s.wantImages(t, owner, 0, 0)
	})
	fixture.Run(t, "the description can be changed", func(t *testing.T) {
		image := s.MustImage(t, owner, 1)
		fixture.Check(t, s.Images.Describe(t.Context(), owner.ID, image.Name, "A dog"))
		if got := fixture.Must[domain.Image](t)(s.Images.Get(t.Context(), owner.ID, image.Name)); got.Alt != "A dog" {
			t.Errorf("the picture is %+v", got)
		}
		fixture.WantKind(t, s.Images.Describe(t.Context(), other.ID, image.Name, "A bird"), domain.NotFound)
		fixture.Check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
	})
	fixture.Run(t, "an unknown user has no pictures", func(t *testing.T) {
		_, err := s.Images.Begin(t.Context(), fixture.AnImage(domain.User{ID: domain.NewUserID(nil)}, 1))
		fixture.WantKind(t, err, domain.NotFound)
	})
}

func (s *suite) deletedPictures(t *testing.T) {
	owner, other := s.MustUser(t), s.MustUser(t)
	fixture.Run(t, "deleting a picture deletes its files", func(t *testing.T) {
		image := s.MustImage(t, owner, 1)
		fixture.Check(t, s.Images.Delete(t.Context(), other.ID, image.Name)) // not by another user
		fixture.Must[domain.Image](t)(s.Images.Get(t.Context(), owner.ID, image.Name))
		if s.Files.Gone(image.Name) {
			t.Error("another user's deletion deleted the files")
		}
		for range 2 { // idempotent
			fixture.Check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
		}
		_, err := s.Images.Get(t.Context(), owner.ID, image.Name)
		fixture.WantKind(t, err, domain.NotFound)
		fixture.WantKind(t, s.Images.Complete(t.Context(), owner.ID, image.Name), domain.NotFound)
		if !s.Files.Gone(image.Name) {
			t.Error("the files were not deleted")
		}
		s.wantImages(t, owner, 0, 0)
	})
	fixture.Run(t, "if files cannot be deleted, the record stays as incomplete", func(t *testing.T) {
		image := s.MustImage(t, owner, 1)
		s.Files.Fail(domain.NewError(domain.Unavailable, "full"))
		fixture.WantKind(t, s.Images.Delete(t.Context(), owner.ID, image.Name), domain.Unavailable)
		s.Files.Fail(nil)
		if got := fixture.Must[domain.Image](t)(s.Images.Get(t.Context(), owner.ID, image.Name)); !got.Incomplete {
			t.Errorf("the record is %+v", got)
		}
		s.wantImages(t, owner, 1, 1000)
		fixture.Check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
		s.wantImages(t, owner, 0, 0)
	})
	fixture.Run(t, "the pictures of a deleted account are deleted in steps and no new ones are accepted",
		func(t *testing.T) {
			gone := s.MustUser(t)
			var names []domain.ImageName
			for i := range 60 {
				image := fixture.AnImage(gone, i)
				image.Avatar = i == 0
				names = append(names, fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), image)).Name)
			}
			fixture.Check(t, s.AccountDeletions.Delete(t.Context(), gone.ID))
			_, err := s.Images.Begin(t.Context(), fixture.AnImage(gone, 99))
			fixture.WantKind(t, err, domain.NotFound)
			s.Files.Fail(domain.NewError(domain.Unavailable, "away"))
			_, err = s.Images.EraseImages(t.Context(), gone.ID)
			fixture.WantKind(t, err, domain.Unavailable)
			fixture.Must[domain.Image](t)(s.Images.Get(t.Context(), gone.ID, names[1])) // files are deleted first
			s.Files.Fail(nil)
			steps := 1
			for ; fixture.Must[bool](t)(s.Images.EraseImages(t.Context(), gone.ID)); steps++ {
			}
			if steps != 2 {
				t.Errorf("the deletion took %d steps", steps)
			}
			for _, name := range names {
				if _, err := s.Images.Get(t.Context(), gone.ID, name); !domain.Is(err, domain.NotFound) ||
					!s.Files.Gone(name) {
					t.Errorf("reading the deleted picture %s: error %v", name, err)
				}
			}
			fixture.WantKind(t, s.Images.Complete(t.Context(), gone.ID, names[0]), domain.NotFound)
		})
}

func (s *suite) pictureQuota(t *testing.T) {
	owner := s.MustUser(t)
	fixture.Run(t, "a picture is rejected when the quota is used up", func(t *testing.T) {
		image := fixture.AnImage(owner, 1)
		image.Bytes = domain.ImageQuota
		fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), image))
		_, err := s.Images.Begin(t.Context(), fixture.AnImage(owner, 2))
		var e *domain.Error
		if !errors.As(err, &e) || e.Kind != domain.Invalid || e.Fields["file"].IsZero() {
			t.Errorf("error %v", err)
		}
		fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), image)) // a retry after a lost response
		fixture.Check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
		fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), fixture.AnImage(owner, 3)))
	})
	fixture.Run(t, "concurrent uploads are all counted", func(t *testing.T) {
		busy := s.MustUser(t)
		var uploading sync.WaitGroup
		for i := range 10 {
			uploading.Go(func() {
				if _, err := s.Images.Begin(t.Context(), fixture.AnImage(busy, i)); err != nil {
					t.Error(err)
				}
			})
		}
		uploading.Wait()
		s.wantImages(t, busy, 10, 10_000)
	})
}
