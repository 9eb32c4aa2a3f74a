package site

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
)

// confirmationTime is how long a confirmation of the user's identity is valid.
const confirmationTime = 15 * time.Minute

// ErrUnconfirmed reports that users must confirm who they are. HandleError leads to /confirm, and from there back.
var ErrUnconfirmed = errors.New("web: the user must confirm their identity")

// unconfirmedForm is ErrUnconfirmed for a submitted form. HandleError asks the user to confirm, on a page that names
// the action and repeats the form.
type unconfirmedForm struct {
	form   views.PendingForm
	status int
	errs   views.FormErrors // of an earlier attempt to confirm
}

func (unconfirmedForm) Error() string { return ErrUnconfirmed.Error() }

func (unconfirmedForm) Is(target error) bool { return target == ErrUnconfirmed }

// Confirmation protects the actions that could harm a user most, against someone who finds a browser open. It requires
// that the user has logged in, or confirmed with a password or passkey, within the last 15 minutes.
type Confirmation struct {
	Site *Site
}

// Identities asks signed-in users to prove who they are, and checks the proof.
type Identities interface {
	// CheckIdentity checks the password or the passkey's answer of the signed-in user.
	CheckIdentity(c echo.Context, password, passkey string) error
	// AskIdentity renders the page that asks to confirm a form.
	AskIdentity(c echo.Context, status int, form views.PendingForm, errs views.FormErrors) error
}

// Check returns ErrUnconfirmed if the session was not confirmed recently.
func (n Confirmation) Check(c echo.Context) error {
	confirmed, err := n.Site.Sessions.Confirmed(c, confirmationTime)
	if err == nil && !confirmed {
		err = ErrUnconfirmed
	}
	return err
}

// CheckForm is Check for a submitted form. The action says what the form does, for example "Change @ada's role to
// moderator". If the session was not confirmed recently, the answer is a page that repeats the form and asks for a
// password or passkey. The confirmed form is then sent to the same address, with the same checks, limits and errors.
// The page links to the path cancel for users who do not confirm; that page must not require a confirmation. CheckForm
// returns Forbidden if another user had begun to confirm the form in this browser.
func (n Confirmation) CheckForm(c echo.Context, action, cancel string) error {
	if c.Request().Method != http.MethodPost {
		return n.Check(c)
	}
	sent, err := ParseForm(c)
	if err != nil {
		return err
	}
	u, err := n.Site.SignedIn(c)
	if err != nil {
		return err
	}
	if sent.Has(views.PendingUserField) && sent.Get(views.PendingUserField) != u.ID {
		return domain.NewError(domain.Forbidden,
			"Someone else has logged in with this browser. Nothing was changed. Go back and reload the page.")
	}
	if err := n.Check(c); err != ErrUnconfirmed {
		return err
	}
	form, repeatable := pendingForm(c, sent)
	if !repeatable {
		return ErrUnconfirmed
	}
	form.Action, form.Cancel = action, cancel
	if !sent.Has(views.PendingUserField) {
		return unconfirmedForm{form: form, status: http.StatusForbidden}
	}
	err = n.Site.Identities.CheckIdentity(c, sent.Get(views.PendingPasswordField), sent.Get("passkey"))
	if err == nil {
		err = n.Site.Sessions.Confirm(c)
	} else if n.Check(c) == nil {
		return nil // the first request of a double click has used the passkey
	}
	if errs, status, ok := n.Site.FormErrors(c, err); ok {
		return unconfirmedForm{form: form, status: status, errs: errs}
	}
	return err
}

// SignedIn returns the signed-in user, or an error like CheckForm if the session was not confirmed recently. The action
// and cancel may be empty for a page.
func (n Confirmation) SignedIn(c echo.Context, action, cancel string) (domain.User, error) {
	u, err := n.Site.SignedIn(c)
	if err == nil {
		err = n.CheckForm(c, action, cancel)
	}
	return u, err
}

// askToConfirm asks users to confirm who they are. It repeats a submitted form if it can, and otherwise redirects to
// the page /confirm, which leads back to the page of the form.
func (s *Site) askToConfirm(c echo.Context, cause error) error {
	to := "/confirm"
	if next := returnPath(c); next != "" {
		to += "?next=" + url.QueryEscape(next)
	}
	if IsFragment(c) {
		c.Response().Header().Set("HX-Redirect", to)
		return s.Render(c, http.StatusForbidden, views.ErrorNotice(ErrorPage(c, http.StatusForbidden,
			locale.M("Please confirm it's you."))))
	}
	if f, ok := errors.AsType[unconfirmedForm](cause); ok {
		return s.Identities.AskIdentity(c, f.status, f.form, f.errs)
	}
	return SeeOther(c, to)
}

// maxPendingForm is the maximum size of a form that the page asking for a confirmation repeats, in bytes.
const maxPendingForm = 16 << 10

// pendingForm returns the submitted form for the page that asks to confirm it. It returns false for forms that must not
// be in a page: those with a password or a passkey's answer, files, and forms that are too large.
func pendingForm(c echo.Context, sent url.Values) (views.PendingForm, bool) {
	r := c.Request()
	content := r.Header.Get(echo.HeaderContentType)
	if !strings.HasPrefix(content, echo.MIMEApplicationForm) && r.ContentLength != 0 {
		return views.PendingForm{}, false
	}
	sent = maps.Clone(sent)
	if sent.Has(views.PendingUserField) { // otherwise these fields belong to the form itself
		for _, name := range []string{views.PendingUserField, views.PendingPasswordField, "passkey"} {
			sent.Del(name)
		}
	}
	path := SafeNext(r.URL.Path)
	if path == "" || sent.Has("password") || sent.Has("passkey") || len(sent.Encode()) > maxPendingForm {
		return views.PendingForm{}, false
	}
	form := views.PendingForm{Path: path}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		for _, value := range sent[name] {
			form.Fields = append(form.Fields, views.PendingField{Name: name, Value: value})
		}
	}
	return form, true
}
