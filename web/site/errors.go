package site

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
)

// StatusOf returns the HTTP status for a kind of error. It is the only such table.
func StatusOf(k domain.Kind) int {
	switch k {
	case domain.NotFound:
		return http.StatusNotFound
	case domain.Invalid:
		return http.StatusUnprocessableEntity
	case domain.Conflict:
		return http.StatusConflict
	case domain.Unauthenticated:
		return http.StatusUnauthorized
	case domain.Forbidden:
		return http.StatusForbidden
	case domain.TooLarge:
		return http.StatusRequestEntityTooLarge
	case domain.Unavailable:
		return http.StatusServiceUnavailable
	case domain.TooMany:
		return http.StatusTooManyRequests
	}
	return http.StatusInternalServerError
}

// StatusText returns the title of the error page for a status, and its message for errors without
// one.
func StatusText(status int) (title, message locale.Message) {
	switch status {
	case http.StatusBadRequest:
		return locale.M("Bad request"), locale.M("We couldn't read this request. Go back and try again.")
	case http.StatusUnauthorized:
		return locale.M("Please log in"), locale.M("Log in to continue.")
	case http.StatusForbidden:
		return locale.M("Not allowed"), locale.M("You don't have permission to do this.")
	case http.StatusNotFound:
		return locale.M("Not found"), locale.M("The link may be mistyped or the page removed.")
	case http.StatusGone:
		return locale.M("Gone"), locale.M("The post at this address was deleted.")
	case http.StatusMethodNotAllowed:
		return locale.M("Not possible"), locale.M("This address can't be opened this way. Go back and try again.")
	case http.StatusNotImplemented:
		return locale.M("Not possible"), locale.M("This page isn't available in the requested format.")
	case http.StatusConflict:
		return locale.M("This has changed"), locale.M("This was changed before you saved it. Reload the page and " +
			"try again.")
	case http.StatusRequestEntityTooLarge:
		return locale.M("Too large"), locale.M("This is too large. Make it smaller and try again.")
	case http.StatusUnsupportedMediaType:
		return locale.M("Not supported"), locale.M("This site doesn't support that type of content.")
	case http.StatusUnprocessableEntity:
		return locale.M("Not accepted"), locale.M("Something in this form isn't right. Go back and check it.")
	case http.StatusTooManyRequests:
		return locale.M("Too many requests"), locale.M("You did this too often in a short time. Please try again " +
			"later.")
	case http.StatusServiceUnavailable:
		return locale.M("Temporarily unavailable"), locale.M("The site can't respond at the moment. Please try " +
			"again soon.")
	}
	return locale.M("Something went wrong"), locale.M("This is a problem on our side, and we have recorded it. " +
		"Please try again later.")
}

// retryAfter is the value of Retry-After when the site is unavailable, in seconds.
const retryAfter = "5"

// SetRetryAfter sets the header Retry-After if trying again may help.
func SetRetryAfter(c echo.Context, status int, err error) {
	switch e, ok := errors.AsType[*domain.Error](err); {
	case status == http.StatusServiceUnavailable:
		c.Response().Header().Set(echo.HeaderRetryAfter, retryAfter)
	case ok && e.Kind == domain.TooMany:
		seconds := int((e.Wait + time.Second - 1) / time.Second)
		c.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(max(1, seconds)))
	}
}

// errorPageTime limits the reads for an error page, such as that of the viewer's language. The limit of the route may
// have passed by then.
const errorPageTime = 3 * time.Second

// HandleError answers a request whose handler failed with an error page. For htmx, the answer is a
// notice on the current page. The cause goes to the log only.
func (s *Site) HandleError(err error, c echo.Context) {
	if c.Response().Committed {
		s.Logger.ErrorContext(c.Request().Context(), "request failed after its response", "error", err, "request_id",
			RequestID(c))
		return
	}
	r := c.Request()
	ctx, cancel := context.WithTimeout(r.Context(), errorPageTime)
	defer cancel()
	defer c.SetRequest(r)
	c.SetRequest(r.WithContext(ctx))
	if errors.Is(err, ErrUnconfirmed) {
		if err = s.askToConfirm(c, err); err == nil {
			return
		}
	}
	status, message := StatusAndMessage(err)
	s.LogFailure(c, status, err)
	SetRetryAfter(c, status, err)
	if status == http.StatusUnauthorized {
		err = s.askToLogIn(c)
	} else {
		err = s.showError(c, status, message)
	}
	if err != nil {
		s.Logger.ErrorContext(c.Request().Context(), "cannot render an error page", "error", err, "request_id",
			RequestID(c))
		http.Error(c.Response(), http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	}
}

// StatusAndMessage returns the HTTP status of an error and its message for the visitor. The message may be
// empty.
func StatusAndMessage(err error) (status int, message locale.Message) {
	if e, ok := errors.AsType[*domain.Error](err); ok {
		return StatusOf(e.Kind), e.Message
	}
	if e, ok := errors.AsType[*http.MaxBytesError](err); ok && e != nil {
		return http.StatusRequestEntityTooLarge, locale.Message{}
	}
	if e, ok := errors.AsType[*echo.HTTPError](err); ok {
		return e.Code, locale.Message{}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return http.StatusServiceUnavailable, locale.Message{}
	}
	return http.StatusInternalServerError, locale.Message{}
}

// ErrorTexts returns the HTTP status of an error, its text for the visitor and those of its fields, for answers that
// are not pages.
func ErrorTexts(c echo.Context, err error) (status int, text string, fields map[string]string) {
	status, message := StatusAndMessage(err)
	if e, ok := errors.AsType[*domain.Error](err); ok && len(e.Fields) > 0 {
		message, fields = domain.Reason(err), make(map[string]string)
		for name, problem := range e.Fields {
			fields[name] = problem.In(c.Request().Context())
		}
	}
	if message.IsZero() {
		_, message = StatusText(status)
	}
	return status, message.In(c.Request().Context()), fields
}

// LogFailure logs the error of a request: as an error if it is unexpected, as a warning if the site is unavailable or
// the storage has no room, and otherwise at the debug level.
func (s *Site) LogFailure(c echo.Context, status int, err error) {
	level := slog.LevelDebug
	switch {
	case c.Request().Context().Err() == context.Canceled: // the visitor has gone
	case status == http.StatusServiceUnavailable, isRefusedAsTooLarge(err):
		level = slog.LevelWarn
	case status >= http.StatusInternalServerError:
		level = slog.LevelError
	}
	s.Logger.Log(c.Request().Context(), level, "request failed", "error", err, "status", status,
		"route", Route(c), "request_id", RequestID(c))
}

// isRefusedAsTooLarge reports whether the storage has refused an item as too large, or because its logical partition is
// full. What the site itself refuses as too large has no cause.
func isRefusedAsTooLarge(err error) bool {
	e, ok := errors.AsType[*domain.Error](err)
	return ok && e.Kind == domain.TooLarge && e.Err != nil
}

// askToLogIn redirects to the log-in page, which leads back here. For htmx, the answer is a notice with a link to that
// page, because the current page may have text in its forms. Requests for a whole page are redirected with htmx, too.
func (s *Site) askToLogIn(c echo.Context) error {
	to := views.LoginPath(returnPath(c))
	switch {
	case !IsFragment(c):
		return SeeOther(c, to)
	case c.Request().Header.Get("HX-Request-Type") == "full":
		c.Response().Header().Set("HX-Redirect", to)
		return c.NoContent(http.StatusUnauthorized)
	}
	return s.notify(c, http.StatusUnauthorized, views.LoginNotice())
}

// notify shows a notice over the current page of htmx. The notice has its own element, so that the rest of the page
// stays.
func (s *Site) notify(c echo.Context, status int, notice templ.Component) error {
	h := c.Response().Header()
	h.Set("Cache-Control", CacheNever)
	h.Set("HX-Retarget", "#Page-notice")
	h.Set("HX-Reswap", "innerHTML")
	return s.Render(c, status, notice)
}

// ErrorPage returns the model of an error page. An empty message is replaced by that of StatusText.
func ErrorPage(c echo.Context, status int, message locale.Message) views.ErrorPage {
	title, usual := StatusText(status)
	if message.IsZero() {
		message = usual
	}
	return views.ErrorPage{LayoutData: views.LayoutData{Title: title.In(c.Request().Context())}, Message: message}
}

func (s *Site) showError(c echo.Context, status int, message locale.Message) error {
	page := ErrorPage(c, status, message)
	page.SignupClosed = s.Closed()
	if status == http.StatusInternalServerError {
		page.RequestID = RequestID(c)
	}
	if IsFragment(c) {
		return s.notify(c, status, views.ErrorNotice(page))
	}
	c.Response().Header().Set("Cache-Control", CacheNever)
	// The page shows the viewer if known. After a server error, reading the viewer might fail as
	// well.
	if viewer, ok := c.Get(viewerKey).(domain.User); ok {
		page.Viewer = viewer
	} else if status < http.StatusInternalServerError {
		page.Viewer, _ = s.Viewer(c)
	}
	if page.Missing = status == http.StatusNotFound; page.Missing {
		page.Newest = s.newestPosts(c.Request().Context())
	}
	if status < http.StatusInternalServerError {
		page.Waiting, _ = s.WaitingFor(c.Request().Context(), page.Viewer) // without it, the menu shows no number
	}
	page.Inspector = s.inspectorPanel(c, page.Viewer)
	return s.Render(c, status, views.Error(page))
}

// newestTime is how long the page of a missing address waits for the newest posts.
const newestTime = time.Second

// newestPosts returns the newest posts for the page of a missing address. With a page cache, requests for missing
// addresses, however many, cost one query after each change of the list. If the list cannot be read, the page is shown
// without it, and not cached.
func (s *Site) newestPosts(ctx context.Context) []domain.Summary {
	const most = 5
	limited, cancel := context.WithTimeout(ctx, newestTime)
	defer cancel()
	list, err := s.FrontPage(limited, 1)
	if err != nil {
		MarkIncomplete(ctx)
	}
	return list.Items[:min(len(list.Items), most)]
}
