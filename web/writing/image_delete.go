package writing

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
	"inkfeed/web/uploads"
)

// imageDelete deletes pictures.
type imageDelete struct {
	*site.Site
	uploads *uploads.Uploads
}

func (h imageDelete) register(e *echo.Echo) {
	site.Get(e, "/images/:name/delete", h.show)
	e.POST("/images/:name/delete", h.submit)
}

func (h imageDelete) show(c echo.Context) error {
	image, err := h.ownImage(c)
	if err != nil {
		return err
	}
	page, err := h.Layout(c, site.T(c, "Delete this picture?"))
	if err != nil {
		return err
	}
	return h.RenderForm(c, http.StatusOK, view.ImageDelete(view.ImageDeletePage{LayoutData: page, Image: image,
		OfSite: ofSite(c)}))
}

// ownImage returns the user's picture in the address. Avatars are deleted in the profile settings.
func (h imageDelete) ownImage(c echo.Context) (domain.Image, error) {
	u, err := pictureOwner(c, h.Site)
	if err != nil {
		return domain.Image{}, err
	}
	name, ok := domain.ParseImageName(c.Param("name"))
	if !ok {
		return domain.Image{}, site.ErrNoPicture
	}
	image, err := h.uploads.Images.Get(c.Request().Context(), u.ID, name)
	if domain.Is(err, domain.NotFound) || err == nil && image.Avatar {
		return domain.Image{}, site.ErrNoPicture
	}
	return image, err
}

func (h imageDelete) submit(c echo.Context) error {
	image, err := h.ownImage(c)
	if _, isName := domain.ParseImageName(c.Param("name")); isName && err == site.ErrNoPicture {
		return site.SeeOther(c, site.DeletedPath(picturesPath(c), "")) // the second request of a double click
	}
	if err != nil {
		return err
	}
	if err := h.uploads.Images.Delete(c.Request().Context(), image.UserID, image.Name); err != nil {
		return err
	}
	return site.SeeOther(c, site.DeletedPath(picturesPath(c), ""))
}
