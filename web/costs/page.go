package costs

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"inkfeed/cosmos/costs"
	"inkfeed/domain"
	view "inkfeed/views/costs"
	"inkfeed/web/site"
)

// page serves the page of costs, for administrators only.
type page struct {
	*site.Site
	store    Store
	prices   costs.Prices
	embedded bool
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
	if p.LayoutData, err = h.Layout(c, site.T(c, "Costs")); err != nil {
		return err
	}
	p.NoIndex, p.Embedded = true, h.embedded
	return h.Render(c, http.StatusOK, view.Costs(p))
}

// read reads everything that the page shows, all at the same time. It returns an error only if the figures cannot be
// read. The page names every other part that cannot be read.
func (h page) read(ctx context.Context, span costs.Span, now time.Time) (p view.CostsPage, err error) {
	var intervals []costs.Interval
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) { intervals, err = h.store.Costs.Intervals(ctx, span); return err })
	for _, part := range []struct {
		name    string
		unknown *bool
		read    func() error
	}{
		{"sizes", &p.SizesUnknown, func() (err error) { p.Sizes, err = h.store.Costs.Sizes(ctx); return err }},
		{"dead letters", &p.DeadLettersUnknown, func() (err error) {
			p.DeadLetters, err = h.store.DeadLetters.Count(ctx, view.MaxDeadLetters+1)
			return err
		}},
		{"imports", &p.ImportsUnknown, func() (err error) {
			p.Imports, p.MoreImports, err = h.imports(ctx)
			return err
		}},
		{"scheduled deletions", &p.DeletionsUnknown, func() (err error) {
			p.Deletions, err = h.deletions(ctx, now)
			return err
		}},
		{"fan-out", &p.FanOutUnknown, func() (err error) { p.FanOut, err = h.fanOut(ctx, now); return err }},
		{"lag", &p.LagUnknown, func() (err error) { p.Lags, err = h.store.Lags(ctx); return err }},
	} {
		reading.Go(func() error {
			err := part.read()
			if *part.unknown = err != nil; err != nil && !errors.Is(ctx.Err(), context.Canceled) {
				h.Logger.WarnContext(ctx, "cannot read a part of the page of costs", "part", part.name, "error", err)
			}
			return nil
		})
	}
	if err := reading.Wait(); err != nil {
		return p, err
	}
	p.Report = costs.NewReport(span, intervals, now)
	situation := costs.Situation{Report: p.Report, Lags: p.Live(), Tailers: h.store.Tailers(),
		DeadLetters: p.DeadLetters}
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

// maxImports is the number of imports that are shown. Each takes a point read, as does each entry of an ended one.
const maxImports = 20

// imports returns the imports that are under way, and the number of entries that it did not look at.
func (h page) imports(ctx context.Context) (found []view.Import, more int, err error) {
	entries, err := h.store.Imports.Entries(ctx)
	if err != nil {
		return nil, 0, err
	}
	var ids []string
	for len(entries) > 0 && len(found) < maxImports {
		job, err := h.store.Imports.Get(ctx, entries[0].UserID)
		entries = entries[1:]
		switch {
		case domain.Is(err, domain.NotFound):
		case err != nil:
			return nil, 0, err
		case underWay(job.State):
			found, ids = append(found, view.Import{ImportJob: job}), append(ids, job.UserID)
		}
	}
	if len(found) == 0 {
		return nil, 0, nil
	}
	names, err := h.store.Users.Authors(ctx, ids)
	for i := range found {
		if a := names[ids[i]]; !a.Deleted {
			found[i].Username = a.Name
		}
	}
	return found, len(entries), err
}

// underWay reports whether an instance works on an import in this state, or its user has to continue it.
func underWay(s domain.ImportState) bool {
	return s.Works() || s == domain.ImportReceiving || s == domain.ImportReady
}

// fanOut counts the queues of posts that are on their way to followers.
func (h page) fanOut(ctx context.Context, now time.Time) (f view.FanOut, err error) {
	due, err := h.store.Deliveries.Due(ctx, now)
	for _, d := range due {
		if strings.HasPrefix(d.Name, domain.TimelinesPrefix) {
			if f.Queues++; f.Since.IsZero() || d.Due.Before(f.Since) {
				f.Since = d.Due
			}
		}
	}
	return f, err
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
