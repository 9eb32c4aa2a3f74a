package mailings

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	view "inkfeed/views/mailings"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// preview shows the mail of a draft or a post to its author, and sends it to them.
type preview struct{ handler }

const previewPath = "/posts/:id/mail-preview"

func (h preview) register(e *echo.Echo) {
	site.Get(e, previewPath, func(c echo.Context) error {
		return h.form(c, http.StatusOK, view.PreviewPage{Sent: c.QueryParam("sent") == "yes"})
	})
	site.Get(e, previewPath+"/html", h.html)
	e.POST(previewPath, h.send)
}

// mailOf writes the mail of the post in the address.
func (h preview) mailOf(c echo.Context, u domain.User) (domain.Mail, error) {
	ctx, id := c.Request().Context(), c.Param("id")
	if !domain.IsID(id) { // static pages are not mailed
		return domain.Mail{}, site.ErrNoPost
	}
	d, published, err := h.store.Drafts.Open(ctx, u.ID, id)
	if domain.Is(err, domain.NotFound) {
		err = site.ErrNoPost
	}
	if err != nil {
		return domain.Mail{}, err
	}
	release, err := h.PreviewSlots.Acquire(ctx)
	if err != nil {
		return domain.Mail{}, err
	}
	defer release()
	if published != nil && d.Version == 0 {
		return h.mail.Preview(ctx, *published, u)
	}
	if !plaintext.Shown(d.Title) {
		d.Title = site.T(c, "Untitled")
	}
	post, err := d.Post(u, time.Now())
	if err != nil {
		return domain.Mail{}, domain.NewError(domain.Conflict,
			"Some fields of this draft are not valid yet. Correct them in the editor, then preview the email.")
	}
	return h.mail.Preview(ctx, post, u)
}

func (h preview) form(c echo.Context, status int, p view.PreviewPage) error {
	u, err := h.author(c)
	if err == nil {
		p.Mail, err = h.mailOf(c, u)
	}
	if err == nil {
		p.Address, err = h.address(c.Request().Context(), u)
	}
	if err == nil {
		p.Count, err = h.store.Subscriptions.Count(c.Request().Context(), u.ID)
	}
	if err == nil {
		p.LayoutData, err = h.Layout(c, site.T(c, "Preview of the email"))
	}
	if err != nil {
		return err
	}
	p.PostID = c.Param("id")
	site.AllowFrames(c)
	return h.RenderForm(c, status, view.Preview(p))
}

// address returns the author's verified address, or an empty text if there is none.
func (h preview) address(ctx context.Context, u domain.User) (string, error) {
	credentials, err := h.store.Credentials.Get(ctx, u.ID)
	if !credentials.EmailVerified {
		return "", err
	}
	return credentials.Email, err
}

// html shows the mail itself, in a frame. Mails need inline styles, so this response allows them, and nothing else.
func (h preview) html(c echo.Context) error {
	u, err := h.author(c)
	if err != nil {
		return err
	}
	mail, err := h.mailOf(c, u)
	if err != nil {
		return err
	}
	site.AllowFraming(c)
	c.Response().Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; "+
		"img-src 'self' "+h.URL+"; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox")
	c.Response().Header().Set("Cache-Control", site.CacheNever)
	return c.HTML(http.StatusOK, mail.HTML)
}

// send sends the mail to its author.
func (h preview) send(c echo.Context) error {
	u, err := h.author(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	mail, err := h.mailOf(c, u)
	if err != nil {
		return err
	}
	if mail.To, err = h.address(ctx, u); err == nil && mail.To == "" {
		err = domain.NewError(domain.Invalid, "Verify your email address in your settings first.")
	}
	if err == nil {
		err = h.Limiter.Allow(ctx, ratelimit.Mail, "preview|"+u.ID)
	}
	if err == nil {
		mail.Bulk = nil // nobody can unsubscribe from it
		err = h.store.Deliveries.Put(ctx, h.mail.Seal(domain.DeliverMail, u.ID, time.Hour, mail))
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.PreviewPage{})
	}
	return site.SeeOther(c, view.PreviewPath(c.Param("id"))+"?sent=yes")
}
