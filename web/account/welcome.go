package account

import (
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/account"
	"inkfeed/web/site"
)

// welcome shows new users what to do next.
type welcome struct {
	handler
	mail interface{ Sends() bool }
}

func (h welcome) register(e *echo.Echo) { site.Get(e, "/welcome", h.show) }

// welcomePath returns the address of the page that follows signing up. The invitation is the code that the
// user signed up with, or empty. Asked reports that an email was sent to verify the user's address.
func welcomePath(invitation string, asked bool) string {
	query := url.Values{}
	if invitation != "" {
		query.Set("invitation", invitation)
	}
	if asked {
		query.Set("asked", "yes")
	}
	return (&url.URL{Path: "/welcome", RawQuery: query.Encode()}).String()
}

func (h welcome) show(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	page := view.WelcomePage{LayoutData: h.FallbackLayout(c, site.T(c, "Welcome"))}
	if code := c.QueryParam("invitation"); code != "" {
		invitation, err := h.store.Invitations.UsedBy(ctx, code, u.ID)
		if err != nil && !domain.Is(err, domain.NotFound) && !domain.Is(err, domain.Invalid) {
			return err
		}
		page.InvitedBy = invitation.CreatorName
	}
	credentials, err := h.factors.Credentials.Get(ctx, u.ID)
	if err != nil {
		return err
	}
	page.HasEmail = credentials.AwaitedEmail() != "" || credentials.EmailVerified
	page.Mailed = c.QueryParam("asked") == "yes" && credentials.AwaitedEmail() != "" && h.mail.Sends()
	if page.Reviewed, err = h.Screening.Doubts(ctx, u, time.Now()); err != nil {
		return err
	}
	return h.RenderForm(c, http.StatusOK, view.Welcome(page))
}
