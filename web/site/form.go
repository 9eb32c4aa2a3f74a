package site

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// ParseForm reads the fields of a form from the body, and ignores the query of the address. It fails
// with TooLarge for a form that is too large. In that case it also returns the fields if they could
// be read, so that the handler can show them again; otherwise they are nil.
func ParseForm(c echo.Context) (url.Values, error) {
	body, bounded := c.Request().Body.(*boundedBody)
	if bounded {
		body.isForm = true
	}
	if err := c.Request().ParseForm(); err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return nil, errLargeForm
		}
		return nil, echo.NewHTTPError(http.StatusBadRequest).SetInternal(err)
	}
	if bounded && body.large() {
		return c.Request().PostForm, errLargeForm
	}
	return c.Request().PostForm, nil
}

// AttemptID returns the attempt id of a submitted form, or a new one. A form that is shown again
// keeps its id: the first submission may have succeeded although its response said otherwise.
func AttemptID(sent url.Values) string {
	if attempt := sent.Get("attempt"); domain.IsID(attempt) {
		return attempt
	}
	return domain.NewID()
}

// FormErrors returns the messages and the status for showing a form again after an error. It
// reports false for errors that need an error page. So a user's text is not lost when it breaks a
// rule, the session has ended, the data has changed, or the storage is unavailable.
func (s *Site) FormErrors(c echo.Context, err error) (complaints views.FormErrors, status int, ok bool) {
	e, isDomain := errors.AsType[*domain.Error](err)
	if !isDomain {
		return views.FormErrors{}, 0, false
	}
	status = StatusOf(e.Kind)
	switch e.Kind {
	case domain.Invalid:
		return views.FormErrors{Summary: e.Message, Fields: e.Fields}, status, true
	case domain.Conflict:
		return views.FormErrors{Summary: e.Message}, status, true
	case domain.Unauthenticated:
		return views.FormErrors{SessionEnded: true}, status, true
	case domain.TooLarge:
		return views.FormErrors{Summary: "Your text is too long to save. Shorten it."}, status, true
	case domain.TooMany:
		SetRetryAfter(c, status, err)
		return views.FormErrors{Summary: e.Message}, status, true
	case domain.Unavailable:
		s.LogFailure(c, status, err)
		SetRetryAfter(c, status, err)
		return views.FormErrors{Summary: "We couldn't save this. What you typed is safe: try again in a moment."},
			status, true
	}
	return views.FormErrors{}, 0, false
}
