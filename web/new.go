package web

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type postCreator interface {
	// Create does nothing when there is a post of that id, and fails with Conflict
	// when there was one that has been deleted.
	Create(ctx context.Context, p domain.Post) error
}

// newPost is where posts are written.
type newPost struct {
	*site
	posts postCreator
}

func (h newPost) register(e *echo.Echo) {
	get(e, "/new", h.show)
	e.POST("/posts", h.submit)
}

func (h newPost) show(c echo.Context) error {
	if _, err := h.signedIn(c); err != nil {
		return err
	}
	return h.form(c, http.StatusOK, views.WritePage{Attempt: domain.NewID()})
}

func (h newPost) submit(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	p, err := h.create(c, sent)
	if complaints, status, ok := h.complain(c, err); ok {
		return h.form(c, status, views.WritePage{Attempt: attemptOf(sent),
			Fields: postFields(sent), Complaints: complaints})
	}
	if err != nil {
		return err
	}
	return seeOther(c, p.Path())
}

func (h newPost) create(c echo.Context, sent url.Values) (domain.Post, error) {
	author, err := h.signedIn(c)
	if err != nil {
		return domain.Post{}, err
	}
	p, err := domain.NewPost(author, sent.Get("title"), sent.Get("content"), time.Now())
	if err != nil {
		return domain.Post{}, err
	}
	p.ID = domain.AttemptID(sent.Get("attempt"), author.ID, p.Title, p.Content)
	// When the form is sent again after its post was deleted, the author wants it
	// anew. The first id to try then follows from the deleted one's, so that a double
	// click still publishes once.
	for _, id := range []string{p.ID, domain.AttemptID(p.ID, author.ID, p.Title, p.Content), domain.NewID()} {
		p.ID = id
		if err = h.posts.Create(c.Request().Context(), p); !domain.Is(err, domain.Conflict) {
			break
		}
	}
	return p, err
}

func (h newPost) form(c echo.Context, status int, w views.WritePage) error {
	w.Page = h.frame(c, "Write a post")
	return h.renderForm(c, status, views.Write(w))
}
