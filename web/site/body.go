package site

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// Limits for a request body that is larger than its route accepts.
const (
	// maxLargeForm is the largest form, in bytes, that is read to show its text again.
	maxLargeForm = 8 << 20
	// maxLargeForms is the number of such forms that may be in memory at a time. The text of
	// further ones is not shown again.
	maxLargeForms = 2
	// maxDrain is the number of bytes beyond the limit that are read and discarded before the
	// answer is sent. If the server closes the connection while the browser is still sending, the
	// connection is reset and the browser shows a network error instead of the answer.
	maxDrain = 32 << 20
	// drainTime is the time limit for that reading.
	drainTime = 30 * time.Second
	// minRate is the minimum average rate, in bytes a second, at which an upload must arrive after slowStart. A slower
	// upload would hold its slot for a long time at no cost.
	minRate   = 16 << 10
	slowStart = 30 * time.Second
)

// errSlowBody reports an upload that arrives more slowly than minRate.
var errSlowBody = domain.NewError(domain.Invalid,
	"Your file arrived too slowly. Try again on a faster connection, or send a smaller file.")

// showsLargeForms are the routes whose handlers answer a body that is too large themselves: on their form with its
// text, or to a script. On other routes a declared length that is too large is refused at once.
var showsLargeForms = map[string]bool{
	"/posts": true, "/posts/:id": true, "/drafts/:id": true, "/settings/profile": true,
	"/posts/:id/comments": true, "/posts/:id/comments/:comment/edit": true,
	"/posts/:id/report": true, "/posts/:id/comments/:comment/report": true,
	"/images": true, "/settings/avatar": true, "/settings/header": true, ImportPage: true, AdminSettingsPath: true,
	PagesImportPath: true, OPMLImportPath: true, SubscribersImportPath: true,
}

// errLargeForm reports a form that is larger than its route accepts.
var errLargeForm = domain.NewError(domain.TooLarge,
	"Your text is larger than this site accepts. Shorten it and send it again.")

// boundedBody is the body of a request. Handlers read at most limit bytes of it, or up to
// maxLargeForm bytes of a form from a signed-in user. Beyond that Read fails with
// *http.MaxBytesError.
type boundedBody struct {
	io.ReadCloser
	limit     int64
	declared  int64         // Content-Length, -1: unknown
	reserve   func() func() // reserves memory for a large form and returns its release, or nil if there is no room
	isForm    bool          // set by form before it reads
	release   func()        // releases the memory of a large form
	count     int64         // bytes read
	refused   bool
	exhausted bool
	upload    *uploadTime // nil for bodies that must arrive within the usual time
}

// uploadTime is the time that an upload may take.
type uploadTime struct {
	control    *http.ResponseController
	start, end time.Time
}

// allow sets the time until which more of an upload must arrive, of which count bytes have arrived.
func (u *uploadTime) allow(count int64) {
	due := u.start.Add(slowStart + time.Duration(count)*time.Second/minRate)
	if due.After(u.end) {
		due = u.end
	}
	_ = u.control.SetReadDeadline(due) // fails without a connection, as in tests
}

// large reports whether the body is larger than the route accepts.
func (b *boundedBody) large() bool { return b.declared > b.limit || b.count > b.limit }

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.refused || b.large() && !b.extended() {
		return 0, b.refuse()
	}
	most := b.limit
	if b.release != nil {
		most = maxLargeForm
	}
	if b.upload != nil {
		b.upload.allow(b.count)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), most+1-b.count)]) // one byte more shows that it is too large
	if b.upload != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		err = errSlowBody
	}
	b.count += int64(n)
	b.exhausted = err == io.EOF
	if b.large() && !b.extended() || b.count > maxLargeForm && b.release != nil {
		return 0, b.refuse()
	}
	return n, err
}

func (b *boundedBody) refuse() error {
	b.refused = true
	return &http.MaxBytesError{Limit: b.limit}
}

// extended reports whether more than the limit may be read. It reserves memory for that once.
func (b *boundedBody) extended() bool {
	if b.release == nil && b.isForm && b.declared <= maxLargeForm {
		b.release = b.reserve()
	}
	return b.release != nil
}

// drain reads the rest of the body within the limits, and reports whether it reached the end.
func (b *boundedBody) drain(control *http.ResponseController) (whole bool) {
	if b.exhausted {
		return true
	}
	_ = control.SetReadDeadline(time.Now().Add(drainTime)) // fails without a connection, as in tests
	_, err := io.CopyN(io.Discard, b.ReadCloser, max(0, b.limit+maxDrain-b.count))
	return err == io.EOF
}

// LimitBody limits the size of a request body. It drains the part that the handler did not read
// before the answer is sent. Compressed bodies are refused: browsers do not compress forms, and a
// decompressed body could have any size.
func (s *Site) LimitBody(next echo.HandlerFunc) echo.HandlerFunc {
	large := make(Slots, maxLargeForms)
	return func(c echo.Context) error {
		r := c.Request()
		if r.Body == nil || r.Body == http.NoBody {
			return next(c)
		}
		limits := limitsFor(c)
		limit := limits.body
		if limit > uploadLimits.body && s.Sessions.CookieUser(r) == "" {
			limit = UsualLimits.body // an anonymous visitor's upload is rejected without reading it
		}
		body := &boundedBody{
			ReadCloser: r.Body,
			limit:      limit,
			declared:   r.ContentLength,
			reserve: func() func() {
				if !showsLargeForms[Route(c)] || s.Sessions.CookieUser(r) == "" {
					return nil
				}
				select {
				case large <- struct{}{}:
					return func() { <-large }
				default:
					return nil
				}
			},
		}
		defer func() {
			if body.release != nil {
				body.release()
			}
		}()
		if limit > UsualLimits.body && limits.Time > UsualLimits.Time {
			now := time.Now()
			body.upload = &uploadTime{http.NewResponseController(c.Response()), now, now.Add(limits.Time)}
		}
		r.Body = body
		c.Response().Before(func() {
			if body.count == 0 && r.Header.Get("Expect") != "" { // the client waits for 100 Continue, and sends nothing
				return
			}
			if !body.drain(http.NewResponseController(c.Response())) {
				c.Response().Header().Set("Connection", "close")
			}
		})
		if encoding := r.Header.Get(echo.HeaderContentEncoding); encoding != "" &&
			!strings.EqualFold(encoding, "identity") {
			return echo.NewHTTPError(http.StatusUnsupportedMediaType)
		}
		if body.large() && !showsLargeForms[Route(c)] {
			return errLargeForm
		}
		return next(c)
	}
}

// MultipartForm returns the parts of a form with files. The error has the status 415 if the request has another type of
// body, and 400 if the form is malformed.
func MultipartForm(c echo.Context) (*multipart.Reader, error) {
	if kind, _, _ := mime.ParseMediaType(c.Request().Header.Get("Content-Type")); kind != "multipart/form-data" {
		return nil, echo.NewHTTPError(http.StatusUnsupportedMediaType)
	}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return nil, echo.NewHTTPError(http.StatusBadRequest).SetInternal(err)
	}
	return parts, nil
}
