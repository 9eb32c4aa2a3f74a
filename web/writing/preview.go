package writing

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// preview renders a text as a post or, with the field "card", as the entry of a list, for the editor's script.
type preview struct{ handler }

func (h preview) register(e *echo.Echo) { e.POST("/preview", h.submit) }

func (h preview) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", site.CacheNever)
	author, err := h.SignedIn(c)
	if domain.Is(err, domain.Unauthenticated) || domain.Is(err, domain.Forbidden) {
		// From this status the editor's script learns that the session has expired. It has no use for the log-in page.
		return h.Render(c, http.StatusUnauthorized, views.ErrorNotice(site.ErrorPage(c, http.StatusUnauthorized,
			locale.Message{})))
	}
	if err != nil {
		return err
	}
	if sent.Get("card") != "" {
		return h.card(c, author, readPostForm(sent, sent.Get("post")).draft)
	}
	rendered, err := h.Preview(c.Request().Context(), author, readPostForm(sent, "").draft)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, view.PreviewFragment(rendered))
}

// card shows a draft as lists will. An existing post keeps its date and the end of its address.
func (h preview) card(c echo.Context, author domain.User, d domain.Draft) error {
	stored, post, err := h.store.Drafts.Open(c.Request().Context(), author.ID, d.PostID)
	if err != nil && !domain.Is(err, domain.NotFound) {
		return err
	}
	p := futurePost(author, d, stored, post)
	summary, err := h.PreviewSummary(c.Request().Context(), p)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, view.CardFragment(summary, h.BaseURL(c)+p.Path()))
}

// futurePost returns the post that a draft will be. Invalid details and tags are left out. The stored draft may be zero
// and the post nil.
func futurePost(author domain.User, d, stored domain.Draft, post *domain.Post) domain.Post {
	p := domain.Post{ID: d.PostID, Slug: stored.Slug, Created: time.Now()}
	if post != nil {
		p = *post
	}
	p.AuthorID, p.AuthorName = author.ID, author.Username
	p.AuthorDisplayName, p.AuthorAvatar = author.DisplayName, author.Avatar
	p.Title, p.Content = strings.TrimSpace(d.Title), d.Content
	p.Details, _ = d.Details.Clean()
	p.Tags, _ = domain.CleanTags(d.Tags)
	return p
}
