package moderation

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	view "inkfeed/views/moderation"
	"inkfeed/web/site"
)

// adminDeliveries shows administrators what waits to be delivered and what failed, and lets them try it again or drop
// it.
type adminDeliveries struct {
	handler
	sendsMail func() bool
}

func (h adminDeliveries) register(e *echo.Echo) {
	site.Get(e, view.DeliveriesPath, h.list)
	site.Get(e, view.DeliveriesPath+"/:destination", h.show)
	e.POST(view.DeliveriesPath+"/:destination", h.decide)
}

func (h adminDeliveries) list(c echo.Context) error {
	if _, err := h.Administrator(c); err != nil {
		return err
	}
	ctx := c.Request().Context()
	destinations, err := h.store.Deliveries.Destinations(ctx)
	if err != nil {
		return err
	}
	place := func(d domain.Destination) string { return strings.TrimPrefix(d.Name, domain.UrgentMail) } // it is first
	slices.SortFunc(destinations, func(a, b domain.Destination) int { return cmp.Compare(place(a), place(b)) })
	p := view.AdminDeliveriesPage{SendsMail: h.sendsMail(), Rows: h.rows(ctx, destinations)}
	p.Rows = slices.DeleteFunc(p.Rows, func(r view.DestinationRow) bool { // nothing waits, and nothing is unusual
		return !r.Uncounted && r.Counts == domain.DeliveryCounts{} && r.Due.IsZero() && r.Failures == 0
	})
	if p.LayoutData, err = h.Layout(c, site.T(c, "Deliveries")); err != nil {
		return err
	}
	p.NoIndex = true
	return h.Render(c, http.StatusOK, view.AdminDeliveries(p))
}

// rows counts the deliveries to destinations, a few at a time. Those that cannot be counted in time have no counts.
func (h adminDeliveries) rows(ctx context.Context, destinations []domain.Destination) []view.DestinationRow {
	counting, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	rows := make([]view.DestinationRow, len(destinations))
	var group errgroup.Group
	group.SetLimit(8)
	for i, d := range destinations {
		group.Go(func() error {
			counts, err := h.store.Deliveries.Count(counting, d)
			rows[i] = view.DestinationRow{Destination: d, Counts: counts, Uncounted: err != nil, Now: time.Now()}
			if err != nil && ctx.Err() == nil {
				h.Logger.WarnContext(ctx, "cannot count deliveries", "destination", d.Name, "error", err)
			}
			return nil
		})
	}
	_ = group.Wait() // no function fails
	return rows
}

func (h adminDeliveries) show(c echo.Context) error {
	if _, err := h.Administrator(c); err != nil {
		return err
	}
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	d, err := h.store.Deliveries.Destination(ctx, c.Param("destination"))
	if err != nil {
		return err
	}
	p := view.AdminDestinationPage{Row: view.DestinationRow{Destination: d, Now: time.Now()},
		Done: c.QueryParam("done")}
	p.Changed, _ = strconv.Atoi(c.QueryParam("n")) // an invalid number is 0
	p.Failed, err = h.store.Deliveries.List(ctx, d.Name, number)
	if err = site.PageOrNotFound(p.Failed, err); err != nil {
		return err
	}
	if p.LayoutData, err = h.Layout(c, view.DestinationLabel(d.Name).In(ctx)); err != nil {
		return err
	}
	p.NoIndex = true
	return h.Render(c, http.StatusOK, view.AdminDestination(p))
}

// decide has deliveries tried again or drops them: one, or all that the administrator has seen.
func (h adminDeliveries) decide(c echo.Context) error {
	sent, actor, err := site.ReadForm(c, h.Administrator)
	if err != nil {
		return err
	}
	done, change, action := "again", h.store.Deliveries.Repeat, domain.AuditRepeatDeliveries
	if sent.Has("drop") {
		done, change, action = "drop", h.store.Deliveries.GiveUp, domain.AuditDropDeliveries
	}
	ids := strings.Fields(sent.Get(done))
	ids = slices.DeleteFunc(ids, func(id string) bool { return !domain.IsID(id) })
	ctx, cancel := site.Uninterrupted(c.Request().Context())
	defer cancel()
	destination := c.Param("destination")
	n, err := change(ctx, destination, ids[:min(len(ids), domain.DeliveriesPerPage)])
	if n > 0 {
		e := domain.NewAuditEntry(actor, action, time.Now())
		e.TargetKind, e.Detail = domain.AuditsSite, plaintext.Count(n, "delivery", "deliveries")+" to "+destination
		h.audit.Record(ctx, e)
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, view.DeliveriesPath+"/"+url.PathEscape(destination)+"?done="+done+"&n="+strconv.Itoa(n))
}
