package site

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// limits are what a request may take.
type limits struct {
	body int64         // bytes
	Time time.Duration // until it is answered
}

var (
	// UsualLimits is more than the longest text but a post takes in a form's encoding, and how long the
	// data may take before the visitor is told so.
	UsualLimits = limits{body: 2 << 20, Time: 15 * time.Second}
	// writingPost is for a post, whose text takes up to three times as much in a form's encoding.
	writingPost = limits{body: 3*domain.MaxContent + 100_000, Time: UsualLimits.Time}
	// uploading is for a picture on a slow line. What is somewhat too large is read, and
	// thrown away, so that the browser comes to see the answer.
	uploading = limits{body: 4 * domain.MaxUpload, Time: 2 * time.Minute}
	// importing is for a whole blog with its pictures.
	importing = limits{body: domain.MaxImportUpload + 1<<20, Time: 30 * time.Minute}
	// downloading is for one, too.
	downloading = limits{body: UsualLimits.body, Time: 3 * time.Minute}
	// ExportLimits is for all that a user wrote, with all pictures.
	ExportLimits = limits{body: UsualLimits.body, Time: 30 * time.Minute}
)

// limitsOf knows the routes that need more than a form does.
func limitsOf(c echo.Context) limits {
	switch method, path := c.Request().Method, Route(c); {
	case method == http.MethodPost && (path == "/images" || path == "/settings/avatar"):
		return uploading
	case method == http.MethodPost && (path == "/posts" || path == "/posts/:id" || path == "/drafts/:id" ||
		path == "/preview"):
		return writingPost
	case method == http.MethodPost && path == ImportPage:
		return importing
	case path == MediaRoute:
		return downloading
	case path == ExportRoute:
		return ExportLimits
	}
	return UsualLimits
}

// extend lets a request of a route that needs it outlast the server's own limits.
func (l limits) extend(c echo.Context) {
	if l.Time <= UsualLimits.Time {
		return
	}
	// A connection that cannot, as in a test, has none.
	control := http.NewResponseController(c.Response())
	_ = control.SetReadDeadline(time.Now().Add(l.Time))
	_ = control.SetWriteDeadline(time.Now().Add(l.Time + UsualLimits.Time))
}
