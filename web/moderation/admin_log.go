package moderation

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/moderation"
	"inkfeed/web/site"
)

// adminLog shows moderators the audit log.
type adminLog struct{ handler }

func (h adminLog) register(e *echo.Echo) { site.Get(e, "/admin/log", h.show) }

const monthLayout = "2006-01"

func (h adminLog) show(c echo.Context) error {
	if _, err := h.Moderator(c); err != nil {
		return err
	}
	now := time.Now().UTC()
	month, first := now, now.Add(-domain.AuditTime)
	if asked := c.QueryParam("month"); asked != "" {
		var err error
		if month, err = time.Parse(monthLayout, asked); err != nil || asked > now.Format(monthLayout) ||
			asked < first.Format(monthLayout) {
			return site.ErrNoPage
		}
	}
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	entries, err := h.store.Audit.List(c.Request().Context(), month, number)
	if err = site.PageOrNotFound(entries, err); err != nil {
		return err
	}
	p := view.AdminLogPage{Month: time.Date(month.Year(), month.Month(), 1, 0, 0, 0, 0, time.UTC), Entries: entries}
	if before := p.Month.AddDate(0, -1, 0); before.Format(monthLayout) >= first.Format(monthLayout) {
		p.Before = before.Format(monthLayout)
	}
	if after := p.Month.AddDate(0, 1, 0); !after.After(now) {
		p.After = after.Format(monthLayout)
	}
	if p.LayoutData, err = h.Layout(c, site.T(c, "Audit log")); err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, view.AdminLog(p))
}
