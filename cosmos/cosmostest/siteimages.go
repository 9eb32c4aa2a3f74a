package cosmostest

import (
	"slices"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// sitePictures tests the pictures of static pages, which belong to the site. It has no user item, so they are not
// counted.
func (s *suite) sitePictures(t *testing.T) {
	site := domain.SiteUser()
	fixture.Run(t, "a picture of the site is recorded, found and described without a user", func(t *testing.T) {
		image := fixture.AnImage(site, 1)
		image.Bytes = domain.ImageQuota
		begun := fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), image))
		for range 2 { // idempotent
			fixture.Check(t, s.Images.Complete(t.Context(), site.ID, image.Name))
		}
		fixture.Check(t, s.Images.Describe(t.Context(), site.ID, image.Name, "A harbour"))
		image.Alt = "A harbour"
		if got := fixture.Must[domain.Image](t)(s.Images.Get(t.Context(), site.ID, image.Name)); !begun.Incomplete ||
			got != image {
			t.Errorf("begun as %+v, completed as %+v", begun, got)
		}
		if got := fixture.Must[string](t)(s.Images.Owner(t.Context(), image.Name)); got != site.ID {
			t.Errorf("the picture is of %s", got)
		}
		// It used up the quota of a user. The site has none.
		second := s.MustImage(t, site, 2)
		for _, i := range []domain.Image{image, second} {
			fixture.Check(t, s.Images.Delete(t.Context(), site.ID, i.Name))
		}
	})
	fixture.Run(t, "uploading a picture of the site again keeps its record", func(t *testing.T) {
		image := s.MustImage(t, site, 1)
		again := image
		again.Alt, again.Created = "A dog", fixture.At(9)
		if got := fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), again)); got != image {
			t.Errorf("got %+v, want %+v", got, image)
		}
		fixture.Check(t, s.Images.Delete(t.Context(), site.ID, image.Name))
	})
	fixture.Run(t, "the site's pictures and those of a user are separate lists", func(t *testing.T) {
		owner := s.MustUser(t)
		own, first, second := s.MustImage(t, owner, 1), s.MustImage(t, site, 2), s.MustImage(t, site, 3)
		list := func(userID string) []domain.Image {
			return fixture.All(t,
				func(page int) (domain.ListPage[domain.Image], error) { return s.Images.Of(t.Context(), userID, page) })
		}
		if got := list(site.ID); !slices.Equal(got, []domain.Image{second, first}) {
			t.Errorf("the site has %+v", got)
		}
		if got := list(owner.ID); !slices.Equal(got, []domain.Image{own}) {
			t.Errorf("the user has %+v", got)
		}
		if got := fixture.Must[[]domain.Image](t)(s.Images.All(t.Context(), site.ID)); len(got) != 2 {
			t.Errorf("all pictures of the site are %+v", got)
		}
		s.wantImages(t, owner, 1, 1000)
		for _, i := range []domain.Image{first, second} {
			fixture.Check(t, s.Images.Delete(t.Context(), site.ID, i.Name))
		}
		s.wantImages(t, owner, 1, 1000)
	})
	fixture.Run(t, "deleting a picture of the site deletes its files, and only the site can", func(t *testing.T) {
		owner, image := s.MustUser(t), s.MustImage(t, site, 1)
		fixture.Check(t, s.Images.Delete(t.Context(), owner.ID, image.Name))
		fixture.Must[domain.Image](t)(s.Images.Get(t.Context(), site.ID, image.Name))
		for range 2 { // idempotent
			fixture.Check(t, s.Images.Delete(t.Context(), site.ID, image.Name))
		}
		_, err := s.Images.Get(t.Context(), site.ID, image.Name)
		fixture.WantKind(t, err, domain.NotFound)
		fixture.WantKind(t, s.Images.Complete(t.Context(), site.ID, image.Name), domain.NotFound)
		if !s.Files.Gone(image.Name) {
			t.Error("the files were not deleted")
		}
	})
	fixture.Run(t, "if its files cannot be deleted, the record of a picture stays as incomplete", func(t *testing.T) {
		image := s.MustImage(t, site, 1)
		s.Files.Fail(domain.NewError(domain.Unavailable, "full"))
		fixture.WantKind(t, s.Images.Delete(t.Context(), site.ID, image.Name), domain.Unavailable)
		s.Files.Fail(nil)
		if got := fixture.Must[domain.Image](t)(s.Images.Get(t.Context(), site.ID, image.Name)); !got.Incomplete {
			t.Errorf("the record is %+v", got)
		}
		fixture.Check(t, s.Images.Delete(t.Context(), site.ID, image.Name))
	})
	fixture.Run(t, "a picture of the site stays when the account is deleted that uploaded others", func(t *testing.T) {
		owner := s.MustUser(t)
		own, image := s.MustImage(t, owner, 1), s.MustImage(t, site, 2)
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), owner.ID))
		fixture.Must[bool](t)(s.Images.EraseImages(t.Context(), owner.ID))
		_, err := s.Images.Get(t.Context(), owner.ID, own.Name)
		fixture.WantKind(t, err, domain.NotFound)
		fixture.Must[domain.Image](t)(s.Images.Get(t.Context(), site.ID, image.Name))
		fixture.Check(t, s.Images.Delete(t.Context(), site.ID, image.Name))
	})
	fixture.Run(t, "a picture of the site cannot be a user's header", func(t *testing.T) {
		owner, image := s.MustUser(t), s.MustImage(t, site, 1)
		header := domain.Cover{Image: image.Name, Alt: "A harbour"}
		fixture.WantKind(t, s.Profiles.SetHeader(t.Context(), owner.ID, header), domain.Invalid)
		fixture.WantKind(t, s.Profiles.SetHeader(t.Context(), site.ID, header), domain.NotFound)
		fixture.Check(t, s.Images.Delete(t.Context(), site.ID, image.Name))
	})
}
