package settings

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/views"
	view "inkfeed/views/settings"
	"inkfeed/web/site"
)

// settingsImport imports a blog from an uploaded file. It stores an upload until its user has seen
// the preview and decided.
type settingsImport struct {
	handler
	receiving *receiving
	wake      func()
}

func newSettingsImport(h handler, wake func()) settingsImport {
	if wake == nil {
		wake = func() {}
	}
	return settingsImport{h, newReceiving(), wake}
}

func (h settingsImport) register(e *echo.Echo) {
	site.Get(e, site.ImportPage, h.show)
	e.POST(site.ImportPage, h.upload)
	e.POST(site.ImportPage+"/preview", h.preview)
	e.POST(site.ImportPage+"/start", h.start)
	e.POST(site.ImportPage+"/discard", h.discard)
	site.Get(e, site.ImportPage+"/undo", h.confirmUndo)
	e.POST(site.ImportPage+"/undo", h.undo)
}

func (h settingsImport) show(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	j, err := h.job(c.Request().Context(), u)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, view.Import(h.importPage(c, j, views.FormErrors{})))
}

// job returns the user's job. If there is none, only its user is set.
func (h settingsImport) job(ctx context.Context, u domain.User) (domain.ImportJob, error) {
	j, err := h.store.Imports.Get(ctx, u.ID)
	if domain.Is(err, domain.NotFound) {
		return domain.ImportJob{UserID: u.ID}, nil
	}
	return j, err
}

func (h settingsImport) importPage(c echo.Context, j domain.ImportJob, errs views.FormErrors) view.ImportPage {
	title := view.ImportTitle(j.State).In(c.Request().Context())
	p := view.ImportPage{LayoutData: h.FallbackLayout(c, title), Job: j, FormErrors: errs, Now: time.Now(),
		PicturePolicy: string(portable.PicturePolicy(j.MissingPictures).For(j.Result.Missing, j.Result.Shown))}
	if j.State == domain.ImportRefused && errs.Fields == nil && errs.Summary.IsZero() {
		p.FormErrors = views.FormErrors{Fields: map[string]locale.Message{"file": j.Problem.Message()}}
	}
	if j.State.Works() {
		p.LayoutData.Refresh = 3 * time.Second
	}
	return p
}

// change moves the job in the form to another state, if allowed permits it. It ignores a form about
// an earlier job, which comes from an outdated page.
func (h settingsImport) change(c echo.Context, allowed func(domain.ImportJob) bool,
	change func(domain.ImportJob, time.Time) domain.ImportJob) error {
	sent, u, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	j, err := h.job(ctx, u)
	if err != nil {
		return err
	}
	if j.ID != "" && j.ID == sent.Get("import") && allowed(j) {
		j = change(j, time.Now())
		if err := h.store.Imports.PutEntry(ctx, j); err != nil {
			return err
		}
		// After a conflict, the page shows the job's current state.
		if _, err := h.store.Imports.Put(ctx, j); err != nil && !domain.Is(err, domain.Conflict) {
			return err
		}
		h.wake()
	}
	return site.SeeOther(c, site.ImportPage)
}

// preview requests a new preview with other choices for template code and missing pictures.
func (h settingsImport) preview(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	policy, err := portable.ParseTemplatePolicy(sent.Get("templates"))
	if err != nil {
		policy = portable.DraftTemplates
	}
	pictures, err := portable.ParsePicturePolicy(sent.Get("missing-pictures"))
	if err != nil {
		pictures = portable.ProposedPictures
	}
	return h.change(c, func(j domain.ImportJob) bool { return j.State == domain.ImportReady },
		func(j domain.ImportJob, now time.Time) domain.ImportJob {
			j = j.Change(domain.ImportReading, now)
			j.Templates, j.MissingPictures = string(policy), string(pictures)
			return j
		})
}

// start begins an import after its preview, or continues one that has failed.
func (h settingsImport) start(c echo.Context) error {
	return h.change(c, func(j domain.ImportJob) bool {
		return j.State == domain.ImportReady ||
			j.State == domain.ImportFailed
	},
		func(j domain.ImportJob, now time.Time) domain.ImportJob { return j.Change(domain.ImportRunning, now) })
}

// discard deletes an upload of which nothing was imported.
func (h settingsImport) discard(c echo.Context) error {
	return h.change(c, func(j domain.ImportJob) bool {
		return j.State == domain.ImportReady || j.State == domain.ImportReading || j.State == domain.ImportReceiving
	}, func(j domain.ImportJob, now time.Time) domain.ImportJob { return j.Change(domain.ImportDiscarded, now) })
}

func (h settingsImport) confirmUndo(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	j, err := h.job(c.Request().Context(), u)
	if err != nil {
		return err
	}
	if !j.State.Undoable() {
		return site.SeeOther(c, site.ImportPage)
	}
	return h.Render(c, http.StatusOK, view.ImportUndo(view.ImportPage{
		LayoutData: h.FallbackLayout(c, site.T(c, "Undo this import?")), Job: j}))
}

// undo requests that an import be undone. An import that is still running stops first.
func (h settingsImport) undo(c echo.Context) error {
	return h.change(c, func(j domain.ImportJob) bool { return j.State.Undoable() },
		func(j domain.ImportJob, now time.Time) domain.ImportJob {
			if j.Finished.IsZero() {
				j.Finished = domain.Timestamp(now)
			}
			j = j.Change(domain.ImportUndoing, now)
			j.Undone++
			return j
		})
}
