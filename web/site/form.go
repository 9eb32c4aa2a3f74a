package site

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
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

// ReadForm reads a submitted form by ParseForm, and then its user by SignedIn, Moderator or Administrator. It returns
// the first error.
func ReadForm(c echo.Context, user func(echo.Context) (domain.User, error)) (sent url.Values, u domain.User,
	err error) {
	if sent, err = ParseForm(c); err == nil {
		u, err = user(c)
	}
	return sent, u, err
}

// AttemptID returns the attempt id of a submitted form, or a new one. A form that is shown again
// keeps its id: the first submission may have succeeded although its response said otherwise.
func AttemptID(sent url.Values) string {
	if attempt := sent.Get("attempt"); domain.IsID(attempt) {
		return attempt
	}
	return domain.NewID()
}

// FormErrors decides whether an error brings the form back, filled in, and with which status: after invalid input, a
// conflict, an expired session, a log-in of another user, a suspension, a rate limit, or while the storage is
// unavailable. It logs the reason. For other errors ok is false, and the caller returns the error.
func (s *Site) FormErrors(c echo.Context, err error) (errs views.FormErrors, status int, ok bool) {
	e, isDomain := errors.AsType[*domain.Error](err)
	if !isDomain {
		return views.FormErrors{}, 0, false
	}
	switch e.Kind {
	case domain.Invalid:
		errs = views.FormErrors{Summary: e.Message, Fields: e.Fields}
	case domain.Conflict, domain.TooMany:
		errs = views.FormErrors{Summary: e.Message}
	case domain.Unauthenticated:
		errs = views.FormErrors{SessionEnded: true}
	case domain.TooLarge:
		errs = views.FormErrors{Summary: e.Message}
		if e.Message.IsZero() {
			errs.Summary = locale.M("Your text is too long to save. Shorten it.")
		}
	case domain.Unavailable:
		errs = views.FormErrors{Summary: e.Message}
		if e.Message.IsZero() {
			errs.Summary = locale.M("We couldn't save this. What you typed is safe: try again in a moment.")
		}
	default:
		if err != errOtherUser && !errors.Is(err, errSuspended) {
			return views.FormErrors{}, 0, false
		}
		errs = views.FormErrors{Summary: e.Message} // the user can copy what they typed
	}
	status = StatusOf(e.Kind)
	SetRetryAfter(c, status, err)
	s.logRejectedForm(c, status, e)
	return errs, status, true
}

// FormPage is the model of a page with a form: a struct that embeds views.FormErrors.
type FormPage[P any] interface {
	*P
	SetErrors(errs views.FormErrors)
}

// Redisplay answers a form that failed with err. If FormErrors brings the form back, show renders it with its errors.
// The page contains what was typed. Redisplay returns other errors.
func Redisplay[P any, F FormPage[P]](s *Site, c echo.Context, err error, show func(echo.Context, int, P) error,
	page P) error {
	errs, status, ok := s.FormErrors(c, err)
	if !ok {
		return err
	}
	F(&page).SetErrors(errs)
	return show(c, status, page)
}

// logRejectedForm logs why a form comes back, without what the user typed.
func (s *Site) logRejectedForm(c echo.Context, status int, e *domain.Error) {
	if e.Kind == domain.Unavailable || isRefusedAsTooLarge(e) {
		s.LogFailure(c, status, e)
		return
	}
	s.Logger.DebugContext(c.Request().Context(), "form rejected", "kind", e.Kind, "reason", e.Message.String(),
		"fields", fieldReasons(e.Fields, c.Request().PostForm), "status", status, "route", Route(c),
		"request_id", RequestID(c))
}

// fieldReasons returns the error of each invalid field, in the order of their names. Some errors quote the field: a
// username that is taken, for example. The quotation is left out.
func fieldReasons(fields map[string]locale.Message, sent url.Values) string {
	var reasons []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		reason := fields[name].String()
		if typed := strings.TrimSpace(sent.Get(name)); typed != "" {
			reason = strings.ReplaceAll(reason, typed, "…")
		}
		reasons = append(reasons, name+": "+reason)
	}
	return strings.Join(reasons, " ")
}
