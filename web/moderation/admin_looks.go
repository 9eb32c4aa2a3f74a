package moderation

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	view "inkfeed/views/moderation"
	"inkfeed/web/site"
	"inkfeed/web/uploads"
)

// pictureFields returns the fields of the form for files.
func pictureFields() map[string]bool {
	fields := make(map[string]bool)
	for field := range new(siteinfo.Info).Pictures() {
		fields[field] = true
	}
	return fields
}

// changeLooks sets the pictures of a form to those that it contains, and returns their contents. Without a
// file the stored picture stays, unless the form removes it. Invalid names the fields of unsuitable files.
func (h adminSettings) changeLooks(ctx context.Context, sent uploads.Form, i *siteinfo.Info) (
	contents []domain.SitePicture, invalid, err error) {
	invalid = sent.Invalid
	for field, to := range i.Pictures() {
		file, chosen := sent.Pictures[field]
		if !chosen {
			if sent.Get(field+"-remove") == "yes" {
				*to = siteinfo.Picture{}
			}
			continue
		}
		made, content, err := h.uploads.MakeBrand(ctx, field, file)
		switch {
		case domain.Is(err, domain.Invalid):
			invalid = domain.JoinErrors(invalid, err)
		case err != nil:
			return nil, nil, err
		default:
			*to, contents = made, append(contents, content)
		}
	}
	return contents, invalid, nil
}

// sentLooks returns the looks that a form says. A property that the form lacks stays, as in a form from before the
// property existed.
func sentLooks(sent url.Values, stored siteinfo.Looks) siteinfo.Looks {
	for f := range siteinfo.LookFields() {
		if sent.Has(f.Name) {
			f.Set(&stored, sent.Get(f.Name))
		}
	}
	return stored
}

// restoreLook gives the site its former look back.
func (h adminSettings) restoreLook(c echo.Context) error {
	sent, actor, err := site.ReadForm(c, h.Administrator)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	stored, err := h.store.Settings.Get(ctx)
	if err != nil {
		return err
	}
	s := stored
	s.Info = stored.Info.WithLook(stored.Info.Former)
	s.Version, _ = strconv.Atoi(sent.Get("version"))
	written, err := h.store.Settings.Set(ctx, s)
	if err != nil {
		return err
	}
	h.Current.Apply(written)
	h.recordSettings(ctx, actor, stored, s)
	return site.SeeOther(c, site.AdminSettingsPath+"?done=restored#looks")
}

// preview shows the front page with the name, texts and looks of a form, without saving them. What is invalid in the
// form is left out; saving says why.
func (h adminSettings) preview(c echo.Context) error {
	actor, err := h.Administrator(c)
	if err != nil {
		return err
	}
	return h.uploads.ReceiveForm(c, h.Site, actor, pictureFields(), func(sent uploads.Form) error {
		stored := h.Info()
		info, err := domain.CleanInfo(sentInfo(sent.Values, stored))
		if err != nil {
			css := info.CSS // empty if it is refused
			info = stored
			info.CSS = css
			for f := range siteinfo.LookFields() {
				if o, known := f.Option(sent.Get(f.Name)); known && sent.Has(f.Name) {
					f.Set(&info.Looks, o.Value)
				}
			}
		}
		info.Looks.Switch = "" // the viewer's own choice of colours would hide the site's
		info.KeepPictures(stored)
		info.FrontUser, info.FrontPage, info.Featured = stored.FrontUser, stored.FrontPage, stored.Featured
		r := c.Request()
		c.SetRequest(r.WithContext(siteinfo.With(r.Context(), &info)))
		c.Response().Header().Set("Cache-Control", site.CacheNever)
		c.Response().Header().Set("X-Robots-Tag", "noindex")
		site.AllowFraming(c)
		return h.ShowFront(c)
	})
}

// showAccent is the fragment that says how the pages adapt an accent colour.
func (h adminSettings) showAccent(c echo.Context) error {
	if _, err := h.Administrator(c); err != nil {
		return err
	}
	return h.RenderForm(c, http.StatusOK, view.AccentNote(c.QueryParam("accent")))
}
