package writing_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestDescribingAPictureOnALaterPage(t *testing.T) {
	s := webtest.NewSite(t)
	ada, bob := s.SignUp("ada"), s.SignUp("bob")
	name, _ := domain.ParseImagePath(ada.Scripted().Upload("/images", webtest.Photo(t, 600, 300)).JSON().URL)
	fillPageOfPictures(ada)
	form := ada.Get("/images?page=2").Page().Find("form.describe")
	page, path := form.Find(`[name="page"]`).AttrOr("value", ""), form.AttrOr("action", "")
	long := strings.Repeat("x", 600)
	wantRejected := func(t *testing.T, answer *webtest.Response, message string) {
		t.Helper()
		answer.Has("#alt-error-"+name.Hash, message)
		field := answer.Page().Find("#alt-" + name.Hash)
		if got := field.AttrOr("value", ""); got != long {
			t.Errorf("the field has %q", got)
		}
		if got := field.Closest("form").Find(`[name="page"]`).AttrOr("value", ""); got != page {
			t.Errorf("the form is for page %q, want %q", got, page)
		}
	}
	t.Run("leads back to that page", func(t *testing.T) {
		ada.Post(path, "page", page, "alt", "A cat").
			WantRedirect(http.StatusSeeOther, "/images?page=2&described=yes#"+name.Hash)
	})
	t.Run("shows a description that is too long again", func(t *testing.T) {
		wantRejected(t, ada.Post(path, "page", page, "alt", long).Want(http.StatusUnprocessableEntity),
			"600 characters")
	})
	t.Run("keeps the description if the session has ended", func(t *testing.T) {
		wantRejected(t, ada.WithoutSession().Post(path, "page", page, "alt", long).Want(http.StatusUnauthorized),
			"Your session has expired")
	})
	t.Run("keeps the description if the list cannot be read", func(t *testing.T) {
		ada.Data.Fail("Images.Of")
		defer ada.Data.Recover("Images.Of")
		wantRejected(t, ada.Post(path, "page", page, "alt", long).Want(http.StatusUnprocessableEntity),
			"600 characters")
	})
	t.Run("shows the error if the picture has moved to another page", func(t *testing.T) {
		ada.Post(path, "alt", long).Want(http.StatusUnprocessableEntity).
			Has("#alt-error-"+name.Hash, "600 characters").Has(".pictures li:first-child .meta", "600 × 300")
	})
	t.Run("is refused for other users", func(t *testing.T) {
		bob.Post(path, "page", page, "alt", "Mine").Want(http.StatusNotFound)
		bob.Post(path, "page", page, "alt", long).Want(http.StatusNotFound)
	})
}

// fillPageOfPictures adds as many pictures as a page of the list shows. They are newer than the others.
func fillPageOfPictures(v *webtest.Visitor) {
	v.T.Helper()
	for i := range domain.ImagesPerPage {
		_, err := v.Data.Store.Images.Begin(v.T.Context(), domain.Image{
			UserID:  v.User.ID,
			Name:    domain.ImageName{Hash: domain.NewID(), Width: 5 + i, Height: 5, Ext: "png"},
			Created: time.Now().Add(time.Hour),
		})
		v.Data.Must(err)
	}
}
