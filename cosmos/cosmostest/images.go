package cosmostest

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"inkfeed/domain"
)

// wantImages compares the user's counters with the records of pictures.
func (s *suite) wantImages(t *testing.T, owner domain.User, count int, bytes int64) {
	t.Helper()
	if u := must[domain.User](t)(s.Users.ByID(t.Context(), owner.ID)); u.ImageCount != count || u.ImageBytes != bytes {
		t.Errorf("%d pictures of %d bytes are counted, want %d of %d", u.ImageCount, u.ImageBytes, count, bytes)
	}
}

func (s *suite) pictures(t *testing.T) {
	owner, other := s.mustUser(t), s.mustUser(t)
	t.Run("a picture is incomplete until its files are stored", func(t *testing.T) {
		image := anImage(owner, 1)
		begun := must[domain.Image](t)(s.Images.Begin(t.Context(), image))
		image.Incomplete = true
		if begun != image {
			t.Errorf("got %+v, want %+v", begun, image)
		}
		for range 2 { // idempotent
			check(t, s.Images.Complete(t.Context(), owner.ID, image.Name))
		}
		image.Incomplete = false
		if got := must[domain.Image](t)(s.Images.Get(t.Context(), owner.ID, image.Name)); got != image {
			t.Errorf("got %+v, want %+v", got, image)
		}
		s.wantImages(t, owner, 1, 1000)
		check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
	})
	t.Run("a picture and an avatar lead to their owner", func(t *testing.T) {
		image, avatar := anImage(owner, 1), anImage(other, 1)
		avatar.Avatar = true
		for _, i := range []domain.Image{image, avatar} {
			must[domain.Image](t)(s.Images.Begin(t.Context(), i))
			if got := must[string](t)(s.Images.Owner(t.Context(), i.Name)); got != i.UserID {
				t.Errorf("%s is of %s, want %s", i.Name, got, i.UserID)
			}
			check(t, s.Images.Delete(t.Context(), i.UserID, i.Name))
			_, err := s.Images.Owner(t.Context(), i.Name)
			wantKind(t, err, domain.NotFound)
		}
	})
	t.Run("a picture records the files it was imported from", func(t *testing.T) {
		uploaded, imported, avatar := s.mustImage(t, owner, 1), anImage(owner, 2), anImage(owner, 3)
		imported.Source, avatar.Avatar = "source", true
		must[domain.Image](t)(s.Images.Begin(t.Context(), imported))
		must[domain.Image](t)(s.Images.Begin(t.Context(), avatar))
		check(t, s.Images.SetSource(t.Context(), owner.ID, uploaded.Name, "another"))
		sources := make(map[domain.ImageName]string)
		for _, image := range must[[]domain.Image](t)(s.Images.All(t.Context(), owner.ID)) {
			sources[image.Name] = image.Source
			if image.Incomplete != (image.Name == imported.Name) {
				t.Errorf("of %s it says that it is incomplete: %t", image.Name, image.Incomplete)
			}
		}
		if want := map[domain.ImageName]string{uploaded.Name: "another", imported.Name: "source"}; !maps.Equal(sources,
			want) {
			t.Errorf("the sources are %v, want %v", sources, want)
		}
		wantKind(t, s.Images.SetSource(t.Context(), owner.ID, anImage(owner, 4).Name, "none"), domain.NotFound)
		for _, image := range []domain.Image{uploaded, imported, avatar} {
			check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
		}
	})
	t.Run("uploading a picture again keeps its record", func(t *testing.T) {
		image := s.mustImage(t, owner, 1)
		again := image
		again.Alt, again.Created = "A dog", at(9)
		if got := must[domain.Image](t)(s.Images.Begin(t.Context(), again)); got != image {
			t.Errorf("got %+v, want %+v", got, image)
		}
		s.wantImages(t, owner, 1, 1000)
		check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
	})
	t.Run("pictures are listed newest first, without avatars", func(t *testing.T) {
		var want []domain.Image
		for minute := range domain.ImagesPerPage + 2 {
			want = append(want, s.mustImage(t, owner, minute))
		}
		avatar := anImage(owner, 99)
		avatar.Avatar = true
		must[domain.Image](t)(s.Images.Begin(t.Context(), avatar))
		s.mustImage(t, other, 50)
		slices.Reverse(want)
		got := all(t,
			func(page int) (domain.Page[domain.Image], error) { return s.Images.Of(t.Context(), owner.ID, page) })
		if !slices.Equal(got, want) {
			t.Errorf("got %+v", got)
		}
		s.wantImages(t, owner, len(want)+1, 1000*int64(len(want)+1))
		for _, image := range append(want, avatar) {
			check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
		}
		s.wantImages(t, owner, 0, 0)
	})
	t.Run("the description can be changed", func(t *testing.T) {
		image := s.mustImage(t, owner, 1)
		check(t, s.Images.Describe(t.Context(), owner.ID, image.Name, "A dog"))
		if got := must[domain.Image](t)(s.Images.Get(t.Context(), owner.ID, image.Name)); got.Alt != "A dog" {
			t.Errorf("%+v", got)
		}
		wantKind(t, s.Images.Describe(t.Context(), other.ID, image.Name, "A bird"), domain.NotFound)
		check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
	})
	t.Run("deleting a picture deletes its files", func(t *testing.T) {
		image := s.mustImage(t, owner, 1)
		check(t, s.Images.Delete(t.Context(), other.ID, image.Name)) // not by another user
		must[domain.Image](t)(s.Images.Get(t.Context(), owner.ID, image.Name))
		if s.Files.Gone(image.Name) {
			t.Error("another user's deletion took the files")
		}
		for range 2 { // idempotent
			check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
		}
		_, err := s.Images.Get(t.Context(), owner.ID, image.Name)
		wantKind(t, err, domain.NotFound)
		wantKind(t, s.Images.Complete(t.Context(), owner.ID, image.Name), domain.NotFound)
		if !s.Files.Gone(image.Name) {
			t.Error("files are left")
		}
		s.wantImages(t, owner, 0, 0)
	})
	t.Run("if files cannot be deleted, the record stays as incomplete", func(t *testing.T) {
		image := s.mustImage(t, owner, 1)
		s.Files.Fail(domain.Errorf(domain.Unavailable, "full"))
		wantKind(t, s.Images.Delete(t.Context(), owner.ID, image.Name), domain.Unavailable)
		s.Files.Fail(nil)
		if got := must[domain.Image](t)(s.Images.Get(t.Context(), owner.ID, image.Name)); !got.Incomplete {
			t.Errorf("%+v", got)
		}
		s.wantImages(t, owner, 1, 1000)
		check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
		s.wantImages(t, owner, 0, 0)
	})
	t.Run("a picture is rejected when the quota is used up", func(t *testing.T) {
		image := anImage(owner, 1)
		image.Bytes = domain.ImageQuota
		must[domain.Image](t)(s.Images.Begin(t.Context(), image))
		_, err := s.Images.Begin(t.Context(), anImage(owner, 2))
		var e *domain.Error
		if !errors.As(err, &e) || e.Kind != domain.Invalid || e.Fields["file"] == "" {
			t.Errorf("error %v", err)
		}
		must[domain.Image](t)(s.Images.Begin(t.Context(), image)) // a retry after a lost response
		check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
		must[domain.Image](t)(s.Images.Begin(t.Context(), anImage(owner, 3)))
	})
	t.Run("concurrent uploads are all counted", func(t *testing.T) {
		busy := s.mustUser(t)
		var uploading sync.WaitGroup
		for i := range 10 {
			uploading.Go(func() {
				if _, err := s.Images.Begin(t.Context(), anImage(busy, i)); err != nil {
					t.Error(err)
				}
			})
		}
		uploading.Wait()
		s.wantImages(t, busy, 10, 10_000)
	})
	t.Run("the pictures of a deleted account are deleted in steps and no new ones are accepted", func(t *testing.T) {
		gone := s.mustUser(t)
		var names []domain.ImageName
		for i := range 60 {
			image := anImage(gone, i)
			image.Avatar = i == 0
			names = append(names, must[domain.Image](t)(s.Images.Begin(t.Context(), image)).Name)
		}
		check(t, s.Users.Delete(t.Context(), gone.ID))
		_, err := s.Images.Begin(t.Context(), anImage(gone, 99))
		wantKind(t, err, domain.NotFound)
		s.Files.Fail(domain.Errorf(domain.Unavailable, "away"))
		_, err = s.Images.EraseImages(t.Context(), gone.ID)
		wantKind(t, err, domain.Unavailable)
		must[domain.Image](t)(s.Images.Get(t.Context(), gone.ID, names[1])) // files are deleted first
		s.Files.Fail(nil)
		steps := 1
		for ; must[bool](t)(s.Images.EraseImages(t.Context(), gone.ID)); steps++ {
		}
		if steps != 2 {
			t.Errorf("%d steps", steps)
		}
		for _, name := range names {
			if _, err := s.Images.Get(t.Context(), gone.ID, name); !domain.Is(err, domain.NotFound) ||
				!s.Files.Gone(name) {
				t.Errorf("%s is left, error %v", name, err)
			}
		}
		wantKind(t, s.Images.Complete(t.Context(), gone.ID, names[0]), domain.NotFound)
	})
	t.Run("an unknown user has no pictures", func(t *testing.T) {
		_, err := s.Images.Begin(t.Context(), anImage(domain.User{ID: domain.NewUserID(nil)}, 1))
		wantKind(t, err, domain.NotFound)
	})
}
