package inspector

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/inspector"
	"inkfeed/web/site"
)

// modes turns the inspector on and off in the administrator's session.
type modes struct{ *Inspector }

func (h modes) register(e *echo.Echo) {
	site.Get(e, site.InspectorPath, h.show)
	e.POST(site.InspectorPath, h.submit)
}

func (h modes) show(c echo.Context) error {
	if _, err := h.Administrator(c); err != nil {
		return err
	}
	_, mode := h.modeOf(c.Request())
	return h.form(c, http.StatusOK, view.InspectorPage{Mode: mode, Saved: c.QueryParam("done") == "yes"})
}

func (h modes) submit(c echo.Context) error {
	sent, _, err := site.ReadForm(c, h.Administrator)
	if err != nil {
		return err
	}
	mode := sent.Get("mode")
	switch mode {
	case view.ModeOff, view.ModeCached, view.ModeFresh:
	default:
		err = domain.FieldError("mode", "Choose whether the panel is shown.")
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.InspectorPage{Mode: mode})
	}
	if err := h.setMode(c, mode); err != nil {
		return err
	}
	return site.SeeOther(c, site.NextOr(sent.Get("next"), site.InspectorPath+"?done=yes"))
}

func (h modes) form(c echo.Context, status int, p view.InspectorPage) error {
	p.LayoutData = h.FallbackLayout(c, site.T(c, "Cost inspector"))
	return h.RenderForm(c, status, view.Inspector(p))
}
