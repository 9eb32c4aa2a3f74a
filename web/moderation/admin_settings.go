package moderation

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	view "inkfeed/views/moderation"
	"inkfeed/web/site"
	"inkfeed/web/uploads"
)

// adminSettings lets administrators change the site's settings.
type adminSettings struct {
	handler
	uploads *uploads.Uploads
}

func (h adminSettings) register(e *echo.Echo) {
	site.Get(e, site.AdminSettingsPath, h.show)
	e.POST(site.AdminSettingsPath, h.submit)
	e.POST(view.PreviewPath, h.preview)
	e.POST(view.RestoreLookPath, h.restoreLook)
	site.Get(e, view.AccentPath, h.showAccent)
}

func (h adminSettings) show(c echo.Context) error {
	viewer, err := h.Administrator(c)
	if err != nil {
		return err
	}
	settings, err := h.store.Settings.Get(c.Request().Context())
	if err != nil {
		return err
	}
	front, err := h.storedFront(c.Request().Context(), settings.Info)
	if err != nil {
		return err
	}
	page := view.AdminSettingsPage{Settings: settings, Days: newAccountDays(settings), Front: front,
		Done: c.QueryParam("done"), SamplesDeleted: c.QueryParam("samples") == "deleted",
		LinkNotes: h.linkNotes(c, settings.Info.Links), StoredLooks: settings.Info.Looks}
	if page.SetupPending, err = h.setupPending(c, settings); err != nil {
		return err
	}
	if page.Samples, err = h.samplesOf(c.Request().Context(), viewer); err != nil {
		return err
	}
	return h.form(c, http.StatusOK, page)
}

func (h adminSettings) submit(c echo.Context) error {
	actor, err := h.Administrator(c)
	if err != nil {
		return err
	}
	return h.uploads.ReceiveForm(c, h.Site, actor, pictureFields(),
		func(sent uploads.Form) error { return h.save(c, actor, sent) })
}

func (h adminSettings) save(c echo.Context, actor domain.User, form uploads.Form) error {
	ctx, sent := c.Request().Context(), form.Values
	stored, err := h.store.Settings.Get(ctx)
	if err != nil {
		return err
	}
	var s domain.Settings
	var badRegistration, badRole, badDays error
	s.Registration, badRegistration = domain.ParseRegistration(sent.Get("registration"))
	s.NewRole, badRole = domain.ParseRole(sent.Get("role"))
	s.NewDays, badDays = domain.ParseNewDays(sent.Get("days"))
	s.DoubtInvited, s.PlainEmbeds = sent.Get("invited") != "trusted", sent.Get("embeds") == "plain"
	s.Info = sentInfo(sent, stored.Info)
	s.Version, _ = strconv.Atoi(sent.Get("version"))
	days := sent.Get("days")
	clean, badInfo := domain.CleanInfo(s.Info)
	front := sentFront(sent)
	badFront, err := h.resolveFront(c, front, &clean)
	if err != nil {
		return err
	}
	pictures, badPictures, err := h.changeLooks(ctx, form, &clean)
	if err != nil {
		return err
	}
	err = domain.JoinErrors(badInfo, badFront, badRegistration, badRole, badDays, badPictures)
	if err == nil {
		written := s
		if clean.Look() != stored.Info.Look() {
			clean.Former = stored.Info.Look()
		}
		written.Info = clean
		if written, err = h.store.Settings.Set(ctx, written, pictures...); err == nil {
			h.Current.Apply(written)
		}
	}
	if errs, status, ok := h.FormErrors(c, err); ok {
		page := view.AdminSettingsPage{Settings: s, Days: days, Front: front, FormErrors: errs,
			StoredLooks:      stored.Info.Looks,
			ChooseFilesAgain: len(form.Pictures) > 0}
		if domain.Is(err, domain.Conflict) { // what was typed stays, and can be saved over the other change
			if stored, err = h.store.Settings.Get(ctx); err != nil {
				return err
			}
			page.Settings.Info = clean // has the ids of what the form names
			page.Settings.Info.KeepPictures(stored.Info)
			page.Settings.Version, page.Stored, page.StoredLooks = stored.Version, &stored, stored.Info.Looks
			if page.StoredFront, err = h.storedFront(ctx, stored.Info); err != nil {
				return err
			}
		}
		return h.form(c, status, page)
	}
	if err != nil {
		return err
	}
	s.Info = clean
	h.recordSettings(ctx, actor, stored, s)
	saved := url.URL{Path: site.AdminSettingsPath, RawQuery: "done=yes", Fragment: sent.Get("section")}
	return site.SeeOther(c, saved.String())
}

// recordSettings adds to the audit log which settings were changed, by the names of their fields. It records nothing if
// none was.
func (h adminSettings) recordSettings(ctx context.Context, actor domain.User, before, after domain.Settings) {
	changed := domain.ChangedSettings(before, after)
	if len(changed) == 0 {
		return
	}
	h.audit.Record(ctx, domain.NewAuditEntry(actor, domain.AuditSettings, time.Now()).AboutSettings(changed))
}

// sentInfo returns what the form says about the site, with the stored pictures.
func sentInfo(sent url.Values, stored siteinfo.Info) siteinfo.Info {
	i := siteinfo.Info{Name: sent.Get("name"), Tagline: sent.Get("tagline"), Description: sent.Get("description"),
		Footer: sent.Get("footer"), Language: sent.Get("language"), TimeZone: sent.Get("timeZone"),
		Contact: sent.Get("contact"), Accent: sent.Get("accent"), Looks: sentLooks(sent, stored.Looks),
		CSS: sent.Get("css"), PostalAddress: sent.Get("postalAddress"), Former: stored.Former}
	i.KeepPictures(stored)
	for n := range i.Links {
		field := fmt.Sprint("link", n+1)
		i.Links[n] = siteinfo.Link{Label: sent.Get(field), Address: sent.Get(field + "-address"),
			Header: sent.Get(field+"-place") == "header"}
	}
	return i
}

// newAccountDays returns the review period for new accounts in days, for the form.
func newAccountDays(s domain.Settings) string {
	return strconv.Itoa(int(s.ReviewPeriod().Hours() / 24))
}

func (h adminSettings) form(c echo.Context, status int, p view.AdminSettingsPage) error {
	p.LayoutData, p.Languages = h.FallbackLayout(c, site.T(c, "Site settings")), h.Languages.Languages()
	site.AllowFrames(c)
	return h.RenderForm(c, status, view.AdminSettings(p))
}
