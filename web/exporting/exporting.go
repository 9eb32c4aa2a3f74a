// Package exporting sends everything that a user or the site has written, as a zip that can be imported again.
package exporting

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/portable/export"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// maxExports is how many exports are made at a time. Each reads everything that a user wrote, in turns with other work,
// and waits for its client, which can take hours.
const maxExports = 16

// Exporter makes and sends exports.
type Exporter struct {
	site  *site.Site
	store Store
	slots chan struct{}
	busy  sync.Map // ids of the users with an export in progress
}

// New returns an exporter.
func New(s *site.Site, store Store) *Exporter {
	return &Exporter{site: s, store: store, slots: make(chan struct{}, maxExports)}
}

var errManyExports = domain.NewError(domain.Unavailable,
	"Many people are exporting their content right now. Please try again in a few minutes.")

// Send sends the export that source returns. A user has one export in progress at a time. The name of the file contains
// name and today's date.
func (e *Exporter) Send(c echo.Context, to domain.User, name string, source func() (export.Source, error)) error {
	if _, running := e.busy.LoadOrStore(to.ID, true); running {
		return domain.NewError(domain.Unavailable, "Wait until your current download is finished, then try again.")
	}
	defer e.busy.Delete(to.ID)
	end, err := e.pace(c, to)
	if err != nil {
		return err
	}
	defer end()
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	default:
		return errManyExports
	}
	ctx, now := c.Request().Context(), time.Now()
	content, err := source()
	if err != nil {
		return err
	}
	file := fmt.Sprintf("inkfeed-%s-%s.zip", strings.Map(fileNameRune, name), now.UTC().Format(time.DateOnly))
	header := c.Response().Header()
	header.Set("Content-Type", "application/zip")
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file}))
	header.Set("Cache-Control", site.CacheNever)
	if c.Request().Method == http.MethodHead {
		return c.NoContent(http.StatusOK)
	}
	turn, err := e.site.Throttle.Begin(ctx)
	if err != nil {
		return site.ErrBusy(err)
	}
	defer turn.End()
	client := newSteadyWriter(c.Response())
	// The zip's writer uses the buffer of Output as its own, and flushes it at the end.
	err = export.Write(turn.Output(client), inTurns(content, turn), now)
	if err != nil && c.Response().Committed {
		// Break the connection, so that an incomplete file does not look complete.
		e.site.Logger.WarnContext(ctx, "an export was interrupted", "error", err, "request_id", site.RequestID(c))
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		header.Del("Content-Type")
		header.Del("Content-Disposition") // an error page follows instead
	}
	return err
}

// pace charges an export to the budget of its user, unless they are an administrator. It fails while earlier work has
// used up the budget.
func (e *Exporter) pace(c echo.Context, to domain.User) (end func(), err error) {
	if to.Role.MayAdminister() {
		return func() {}, nil
	}
	r, pace := c.Request(), e.site.Pace
	if err := ratelimit.TooMany(ratelimit.UnitsUser, pace.Delay(to.ID, 0)); err != nil {
		return nil, err
	}
	ctx, work := pace.Begin(r.Context(), to.ID)
	c.SetRequest(r.WithContext(ctx))
	return func() { work.Charge() }, nil
}

// fileNameRune keeps the characters of usernames, which every system accepts in file names.
// Usernames from before these rules may contain others.
func fileNameRune(r rune) rune {
	if r == '-' || r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
		return r
	}
	return '_'
}

const (
	// MaxStall is how long an export waits for the client to read more of it.
	MaxStall = time.Minute
	// MaxDelay is how much longer a download may take than at minRate. site.ExportLimits limits the whole download.
	MaxDelay = 30 * time.Minute
	// minRate is the number of bytes that a client must read in a second, on average.
	minRate = 64 << 10
)

// steadyWriter is a response that fails after MaxStall without progress, or when its client has read too slowly. So a
// stalled download does not occupy a slot.
type steadyWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	end     time.Time // by which the client must have read all that was written so far
}

func newSteadyWriter(w http.ResponseWriter) *steadyWriter {
	return &steadyWriter{w, http.NewResponseController(w), time.Now().Add(MaxDelay)}
}

// steadyPiece is the number of bytes that a client must read within MaxStall.
const steadyPiece = 4096

func (s *steadyWriter) Write(b []byte) (written int, err error) {
	for piece := range slices.Chunk(b, steadyPiece) {
		deadline := time.Now().Add(MaxStall)
		if s.end.Before(deadline) {
			deadline = s.end
		}
		_ = s.control.SetWriteDeadline(deadline) // not every connection supports this
		n, err := s.ResponseWriter.Write(piece)
		s.end = s.end.Add(time.Duration(n) * time.Second / minRate)
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}
