package writing

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
	"inkfeed/web/uploads"
)

// sitePictures is the parameter of addresses for the pictures of static pages, which belong to the site.
const sitePictures = "of=site"

// pictureOwner returns the owner of the pictures that an address is about: the viewer or, for administrators, the site.
func pictureOwner(c echo.Context, s *site.Site) (domain.User, error) {
	if !ofSite(c) {
		return s.SignedIn(c)
	}
	if _, err := s.Administrator(c); err != nil {
		return domain.User{}, err
	}
	return domain.SiteUser(), nil
}

func ofSite(c echo.Context) bool { return c.QueryParam("of") == "site" }

// picturesPath returns the address of the list of pictures with parameters.
func picturesPath(c echo.Context, parameters ...string) string {
	if ofSite(c) {
		parameters = append([]string{sitePictures}, parameters...)
	}
	if len(parameters) == 0 {
		return "/images"
	}
	return "/images?" + strings.Join(parameters, "&")
}

// images lists a user's pictures, uploads pictures and edits their descriptions.
type images struct {
	*site.Site
	uploads *uploads.Uploads
}

func (h images) register(e *echo.Echo) {
	site.Get(e, "/images", h.show)
	e.POST("/images", h.upload)
	e.POST("/images/:name", h.describe)
}

func (h images) show(c echo.Context) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	u, err := pictureOwner(c, h.Site)
	if err != nil {
		return err
	}
	list, err := h.uploads.Images.Of(c.Request().Context(), u.ID, number)
	if err := site.PageOrNotFound(list, err); err != nil {
		return err
	}
	p := view.ImagesPage{Images: list, User: u, Deleted: site.IsDeleted(c),
		Described: c.QueryParam("described") == "yes"}
	if name, ok := domain.ParseImageName(c.QueryParam("added")); ok {
		p.Added, err = h.uploads.Images.Get(c.Request().Context(), u.ID, name)
		if err != nil && !domain.Is(err, domain.NotFound) {
			return err
		}
	}
	return h.form(c, http.StatusOK, p)
}

// uploadResponse is the response to a script after an upload.
type uploadResponse struct {
	URL      string `json:"url"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Alt      string `json:"alt"`
	Markdown string `json:"markdown"`
}

// errorResponse is the response to a script after an error. Error is a message for the user.
type errorResponse struct {
	Error  string            `json:"error"`
	Fields map[string]string `json:"fields,omitempty"`
}

func (h images) upload(c echo.Context) error {
	var image domain.Image
	_, sent, err := h.uploads.Receive(c, h.Site, func(ctx context.Context, _ domain.User, sent uploads.Upload) error {
		owner, err := pictureOwner(c, h.Site)
		if err == nil {
			image, err = h.uploads.SavePicture(ctx, owner, sent)
		}
		return err
	})
	if err == nil && wantsJSON(c) {
		return c.JSON(http.StatusCreated, uploadResponse{image.Name.Path(), image.Name.Width, image.Name.Height,
			image.Alt,
			image.Markdown()})
	}
	if err == nil {
		return site.SeeOther(c, picturesPath(c, "added="+image.Name.String()))
	}
	errs, status, ok := uploads.FormErrors(h.Site, c, err)
	if wantsJSON(c) {
		return h.respondError(c, err, errs, status, ok)
	}
	if !ok {
		return err
	}
	p := view.ImagesPage{UserID: sent.User, Alt: sent.Alt, FormErrors: errs}
	if u, err := pictureOwner(c, h.Site); err == nil {
		p.User = u
		// Without the list, the form is still useful.
		p.Images, _ = h.uploads.Images.Of(c.Request().Context(), u.ID, 1)
	}
	return h.form(c, status, p)
}

func (h images) respondError(c echo.Context, err error, errs views.FormErrors, status int, ok bool) error {
	answer := errorResponse{Fields: errs.FieldTexts(c.Request().Context())}
	known := status
	status, answer.Error, _ = site.ErrorTexts(c, err)
	switch {
	case !ok:
		h.LogFailure(c, status, err)
	case errs.SessionEnded:
		status, answer.Error = known, site.T(c, "Your session has expired. Log in in another tab, then try again.")
	default:
		status = known
		answer.Error = cmp.Or(errs.Summary.In(c.Request().Context()), answer.Error)
	}
	c.Response().Header().Set("Cache-Control", site.CacheNever)
	return c.JSON(status, answer)
}

// wantsJSON reports whether a script, and not a form, sent the request.
func wantsJSON(c echo.Context) bool {
	return strings.Contains(c.Request().Header.Get("Accept"), echo.MIMEApplicationJSON)
}

func (h images) describe(c echo.Context) error {
	name, ok := domain.ParseImageName(c.Param("name"))
	if !ok {
		return site.ErrNoPicture
	}
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	alt, page := sent.Get("alt"), max(1, site.ParsePageNumber(sent.Get("page")))
	u, err := pictureOwner(c, h.Site)
	if err == nil {
		alt, err = domain.CleanAlt(alt)
	}
	if err == nil {
		err = h.uploads.Images.Describe(c.Request().Context(), u.ID, name, alt)
	}
	if domain.Is(err, domain.NotFound) {
		return site.ErrNoPicture
	}
	if errs, status, ok := h.FormErrors(c, err); ok {
		p := view.ImagesPage{User: u, Rejected: name, RejectedAlt: alt, FormErrors: errs}
		if p.Images, err = h.listWith(c.Request().Context(), u.ID, name, page); err != nil {
			return err
		}
		return h.form(c, status, p)
	}
	if err != nil {
		return err
	}
	parameters := []string{"described=yes"}
	if page > 1 {
		parameters = []string{fmt.Sprint("page=", page), "described=yes"}
	}
	return site.SeeOther(c, picturesPath(c, parameters...)+"#"+name.Hash)
}

// listWith returns a page of the user's pictures, so that a form for the picture with this name can be shown again. If
// the page lacks the picture, listWith adds it. It fails only if the user has no such picture. If the storage fails, it
// leaves out what it could not read.
func (h images) listWith(ctx context.Context, userID string, name domain.ImageName,
	page int) (list domain.ListPage[domain.Image], err error) {
	image := domain.Image{Name: name}
	if userID != "" {
		list, _ = h.uploads.Images.Of(ctx, userID, page)
	}
	list.Number = page
	if slices.ContainsFunc(list.Items, func(i domain.Image) bool { return i.Name == name }) {
		return list, nil
	}
	if userID != "" {
		stored, err := h.uploads.Images.Get(ctx, userID, name)
		if domain.Is(err, domain.NotFound) || err == nil && stored.Avatar {
			return list, site.ErrNoPicture
		}
		if err == nil {
			image = stored
		}
	}
	list.Items = slices.Insert(list.Items, 0, image)
	return list, nil
}

func (h images) form(c echo.Context, status int, p view.ImagesPage) error {
	title := site.T(c, "Pictures")
	if p.OfSite = ofSite(c); p.OfSite {
		title = site.T(c, "Pictures of pages")
	}
	p.LayoutData = h.FallbackLayout(c, title)
	p.UserID = cmp.Or(p.UserID, p.Viewer.ID)
	return h.RenderForm(c, status, view.Images(p))
}
