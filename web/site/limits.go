package site

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/subscription/contacts"
)

// requestLimits are the resources that a request may use.
type requestLimits struct {
	body int64         // bytes
	Time time.Duration // until it is answered
}

var (
	// UsualLimits are the limits of most routes. The body has room for the longest text except a
	// post, percent-encoded. The time is how long a visitor waits for the storage before an error
	// page.
	UsualLimits = requestLimits{body: 2 << 20, Time: 15 * time.Second}
	// postLimits is for forms with a post, whose text can triple when it is percent-encoded.
	postLimits = requestLimits{body: 3*domain.MaxContent + 100_000, Time: UsualLimits.Time}
	// uploadLimits is for pictures on a slow connection. A slightly larger body is read and
	// discarded, because browsers show no response before they have sent it.
	uploadLimits = requestLimits{body: 4 * domain.MaxUpload, Time: 2 * time.Minute}
	// settingsLimits is for the site's settings with its pictures. Files that are too large are read and discarded, so
	// that what was typed into the form is not lost.
	settingsLimits = requestLimits{body: 16 * domain.MaxUpload, Time: 2 * time.Minute}
	// importLimits is for uploads of a whole blog with its pictures.
	importLimits = requestLimits{body: domain.MaxImportUpload + 1<<20, Time: 30 * time.Minute}
	// subscribersLimits is for files of subscribers, who are stored in the background.
	subscribersLimits = requestLimits{body: contacts.MaxBytes + 1<<20, Time: 5 * time.Minute}
	// mediaLimits is for pictures.
	mediaLimits = requestLimits{body: UsualLimits.body, Time: 3 * time.Minute}
	// ExportLimits are for downloads of everything that a user has written, with all pictures. Package exporting ends
	// downloads of slow clients earlier.
	ExportLimits = requestLimits{body: UsualLimits.body, Time: 6 * time.Hour}
)

// limitsFor returns the limits of the request's route.
func limitsFor(c echo.Context) requestLimits {
	switch method, path := c.Request().Method, Route(c); {
	case method == http.MethodPost && (path == "/images" || path == "/settings/avatar" || path == "/settings/header"):
		return uploadLimits
	case method == http.MethodPost && path == AdminSettingsPath && isMultipart(c):
		return settingsLimits
	case method == http.MethodPost && (path == "/posts" || path == "/posts/:id" || path == "/drafts/:id" ||
		path == "/preview" || path == "/mail/bounces"):
		return postLimits
	case method == http.MethodPost && (path == ImportPage || path == PagesImportPath):
		return importLimits
	case method == http.MethodPost && path == SubscribersImportPath:
		return subscribersLimits
	case path == MediaRoute:
		return mediaLimits
	case path == ExportRoute || path == PagesExportPath || path == SubscribersExportPath:
		return ExportLimits
	}
	return UsualLimits
}

// isMultipart reports whether a request sends a form that may have files.
func isMultipart(c echo.Context) bool {
	return strings.HasPrefix(c.Request().Header.Get("Content-Type"), "multipart/form-data")
}

// extendDeadlines extends the server's deadlines for a route that needs more time.
func (l requestLimits) extendDeadlines(c echo.Context) {
	if l.Time <= UsualLimits.Time {
		return
	}
	// Connections without deadlines, as in tests, return an error.
	control := http.NewResponseController(c.Response())
	_ = control.SetReadDeadline(time.Now().Add(l.Time))
	_ = control.SetWriteDeadline(time.Now().Add(l.Time + UsualLimits.Time))
}

// Uninterrupted returns a context for a change that must be completed even if the user closes the page. The context
// outlives the request and expires after UsualLimits.Time.
func Uninterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), UsualLimits.Time)
}

// Uninterrupt gives a request an [Uninterrupted] context, until the caller calls the returned function.
func Uninterrupt(c echo.Context) (end func()) {
	r := c.Request()
	ctx, cancel := Uninterrupted(r.Context())
	c.SetRequest(r.WithContext(ctx))
	return func() {
		c.SetRequest(r)
		cancel()
	}
}

// Slots limit how many requests of an expensive kind are processed at a time. Other requests wait.
type Slots chan struct{}

// HalfOfCPUs returns slots for half of the processors, at least one. The other half stays free for
// other requests.
func HalfOfCPUs() Slots { return make(Slots, max(1, runtime.GOMAXPROCS(0)/2)) }

// Acquire waits for a slot. The caller calls release when it is done. The error is Unavailable when
// the context ends first.
func (s Slots) Acquire(ctx context.Context) (release func(), err error) {
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, ErrBusy(ctx.Err())
	}
}

// ErrBusy reports that a request has waited too long; err is the cause.
func ErrBusy(err error) error {
	return &domain.Error{Kind: domain.Unavailable, Err: err,
		Message: locale.M("This site is very busy right now. Please try again in a moment.")}
}
