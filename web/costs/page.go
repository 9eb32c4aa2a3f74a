package costs

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	"inkfeed/domain/costs"
	view "inkfeed/views/costs"
	"inkfeed/web/site"
)

// page serves the page of costs, for administrators only.
type page struct {
	*site.Site
	store  Store
	prices costs.Prices
}

func (h page) register(e *echo.Echo) { site.Get(e, view.CostsPath, h.show) }

func (h page) show(c echo.Context) error {
	if _, err := h.Administrator(c); err != nil {
		return err
	}
	span := costs.Hour
	if asked := c.QueryParam("span"); asked != "" {
		if span = costs.Span(asked); !slices.Contains(costs.Spans(), span) {
			return site.ErrNoPage
		}
	}
	p, err := h.read(c.Request().Context(), span, time.Now())
	if err != nil {
		return err
	}
	if p.Page, err = h.Layout(c, "Costs"); err != nil {
		return err
	}
	p.NoIndex = true
	return h.Render(c, http.StatusOK, view.Costs(p))
}

// read reads everything that the page shows, all at the same time.
func (h page) read(ctx context.Context, span costs.Span, now time.Time) (p view.CostsPage, err error) {
	var intervals []costs.Interval
	reading, ctx := errgroup.WithContext(ctx)
	for _, read := range []func() error{
		func() (err error) { intervals, err = h.store.Costs.Intervals(ctx, span); return err },
		func() (err error) { p.Sizes, err = h.store.Costs.Sizes(ctx); return err },
		func() (err error) {
			p.DeadLetters, err = h.store.DeadLetters.Count(ctx, view.MaxDeadLetters+1)
			return err
		},
		func() (err error) { p.Imports, err = h.imports(ctx); return err },
		func() (err error) { p.Deletions, err = h.deletions(ctx, now); return err },
		func() error {
			var err error
			if p.Lags, err = h.store.Lags(ctx); err != nil { // the others are worth showing without it
				p.LagUnknown = true
				h.Logger.WarnContext(ctx, "cannot read the lag of all feed ranges", "error", err)
			}
			return nil
		},
	} {
		reading.Go(read)
	}
	if err := reading.Wait(); err != nil {
		return p, err
	}
	p.Report = costs.NewReport(span, intervals, now)
	situation := costs.Situation{Report: p.Report, Lags: p.Live(), DeadLetters: p.DeadLetters}
	var bytes int64
	for _, size := range p.Sizes {
		bytes += size.Bytes
	}
	if bill, ok := costs.NewBill(p.Report, bytes, h.prices); ok {
		p.Bill, situation.Bill = &bill, bill
	}
	p.Advice = costs.Advise(situation)
	return p, nil
}

// maxImports is the number of imports that are shown. Each takes a point read.
const maxImports = 20

// imports returns the imports that are under way.
func (h page) imports(ctx context.Context) ([]view.Import, error) {
	entries, err := h.store.Imports.Entries(ctx)
	if err != nil {
		return nil, err
	}
	var found []view.Import
	var ids []string
	for _, e := range entries[:min(len(entries), maxImports)] {
		job, err := h.store.Imports.Get(ctx, e.UserID)
		if domain.Is(err, domain.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found, ids = append(found, view.Import{ImportJob: job}), append(ids, e.UserID)
	}
	if len(found) == 0 {
		return nil, nil
	}
	names, err := h.store.Users.Authors(ctx, ids)
	for i := range found {
		if a := names[ids[i]]; !a.Deleted {
			found[i].Username = a.Name
		}
	}
	return found, err
}

// farFuture is later than every scheduled deletion.
const farFuture = 10 * 365 * 24 * time.Hour

// deletions counts the scheduled deletions of accounts.
func (h page) deletions(ctx context.Context, now time.Time) (d view.Deletions, err error) {
	for item, err := range h.store.Deletions.Upcoming(ctx, now.Add(farFuture)) {
		if err != nil {
			return d, err
		}
		if d.Scheduled++; d.Scheduled > view.MaxDeletions {
			break
		}
		if d.Next.IsZero() {
			d.Next = item.At
		}
		if !item.At.After(now) {
			d.Due++
		}
	}
	return d, nil
}
