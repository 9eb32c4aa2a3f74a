package settings

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/settings"
	"inkfeed/web/site"
	"inkfeed/web/uploads"
)

// settingsHeader changes the header picture of a user's page.
type settingsHeader struct {
	handler
	uploads *uploads.Uploads
}

func (h settingsHeader) register(e *echo.Echo) {
	site.Get(e, "/settings/header", h.show)
	e.POST("/settings/header", h.submit)
}

// headerSaved is the address to go to after the form.
const headerSaved = "/settings/header?saved=yes"

func (h settingsHeader) show(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, view.HeaderPage{User: u, UserID: u.ID, Chosen: u.Header.Name(), Alt: u.Header.Alt,
		Saved: c.QueryParam("saved") == "yes"})
}

func (h settingsHeader) submit(c echo.Context) error {
	u, sent, err := h.uploads.Receive(c, h.Site, h.setHeader)
	if errs, status, ok := uploads.FormErrors(h.Site, c, err); ok {
		// Browsers drop the file. The form must not remove the header if it is sent again without one.
		undecided := false
		if u.ID == "" || site.CheckSender(sent.User, u) != nil { // the sender's header and pictures are unknown
			chosen, _ := domain.ParseImageName(sent.Picture)
			u, undecided = domain.User{Header: domain.Cover{Image: chosen, Alt: sent.Alt}}, !sent.Chosen
		} else if sent.HasFile() || !errs.Fields["file"].IsZero() {
			sent.Picture = u.Header.Name()
		}
		return h.form(c, status, view.HeaderPage{User: u, UserID: sent.User, Chosen: sent.Picture, Alt: sent.Alt,
			ChooseFileAgain: undecided || sent.HasFile() || !errs.Fields["file"].IsZero(), Undecided: undecided,
			FormErrors: errs})
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, headerSaved)
}

// setHeader makes a picture the header of the user's page: the uploaded one or, without a file, the chosen one.
func (h settingsHeader) setHeader(ctx context.Context, u domain.User, sent uploads.Upload) error {
	alt, err := domain.CleanAlt(sent.Alt)
	if err != nil {
		return err
	}
	if sent.HasFile() {
		if alt == u.Header.Alt { // the description of the former header, with which the form came
			sent.Alt = ""
		}
		image, err := h.uploads.SavePicture(ctx, u, sent)
		if err != nil {
			return err
		}
		return h.store.Profiles.SetHeader(ctx, u.ID, domain.Cover{Image: image.Name, Alt: image.Alt})
	}
	if !sent.Chosen {
		return domain.FieldError("file", "Choose a file.")
	}
	if sent.Picture == "" {
		return h.store.Profiles.SetHeader(ctx, u.ID, domain.Cover{})
	}
	name, ok := domain.ParseImageName(sent.Picture)
	if !ok {
		return domain.ErrNotOwnPicture()
	}
	image, err := h.uploads.Images.Get(ctx, u.ID, name)
	if domain.Is(err, domain.NotFound) {
		return domain.ErrNotOwnPicture()
	}
	if err != nil {
		return err
	}
	if name != u.Header.Image && alt == u.Header.Alt {
		alt = ""
	}
	return h.store.Profiles.SetHeader(ctx, u.ID, domain.Cover{Image: name, Alt: cmp.Or(alt, image.Alt)})
}

func (h settingsHeader) form(c echo.Context, status int, p view.HeaderPage) error {
	if p.User.ID != "" {
		// Without the list, the form is still useful.
		list, _ := h.uploads.Images.Of(c.Request().Context(), p.User.ID, 1)
		p.Pictures = slices.DeleteFunc(slices.Clone(list.Items), func(i domain.Image) bool { return i.Incomplete })
	}
	current := p.User.Header
	if current.Exists() && !slices.ContainsFunc(p.Pictures,
		func(i domain.Image) bool { return i.Name == current.Image }) {
		p.Pictures = slices.Insert(p.Pictures, 0, domain.Image{Name: current.Image, Alt: current.Alt})
	}
	p.LayoutData = h.FallbackLayout(c, site.T(c, "Header picture"))
	return h.RenderForm(c, status, view.Header(p))
}
