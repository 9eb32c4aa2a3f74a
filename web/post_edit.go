package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type postEditor interface {
	// Edit fails with Conflict when the edit's revision is no longer the current
	// one, and with Forbidden when the post is somebody else's.
	Edit(ctx context.Context, e domain.Edit, authorID string) (domain.Post, error)
}

// postEdit is where authors change their posts.
type postEdit struct {
	*site
	posts interface {
		postGetter
		postEditor
	}
}

func (h postEdit) register(e *echo.Echo) {
	get(e, "/posts/:id/edit", h.show)
	e.POST("/posts/:id", h.submit)
}

func (h postEdit) show(c echo.Context) error {
	p, err := h.ownPost(c, h.posts, "Only its author can edit a post.")
	if err != nil {
		return err
	}
	fields := views.PostFields{Title: p.Title, Content: p.Content}
	return h.form(c, http.StatusOK, editTitle, views.WritePage{PostID: p.ID, Revision: p.Revision, Fields: fields})
}

func (h postEdit) submit(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	if !domain.IsID(c.Param("id")) {
		return errNoPost
	}
	// A revision that is none is not the current one.
	revision, _ := strconv.Atoi(sent.Get("revision"))
	p, err := h.edit(c, revision, sent)
	switch {
	case domain.Is(err, domain.Conflict):
		return h.conflict(c, sent)
	case domain.Is(err, domain.NotFound):
		return h.gone(c, sent)
	}
	if complaints, status, ok := h.complain(c, err); ok {
		return h.form(c, status, editTitle, views.WritePage{PostID: c.Param("id"), Revision: revision,
			Fields: postFields(sent), Complaints: complaints})
	}
	if err != nil {
		return err
	}
	return seeOther(c, p.Path())
}

func (h postEdit) edit(c echo.Context, revision int, sent url.Values) (domain.Post, error) {
	author, err := h.signedIn(c)
	if err != nil {
		return domain.Post{}, err
	}
	edit, err := domain.NewEdit(c.Param("id"), revision, sent.Get("title"), sent.Get("content"), time.Now())
	if err != nil {
		return domain.Post{}, err
	}
	return h.posts.Edit(c.Request().Context(), edit, author.ID)
}

// conflict shows what the author typed beside what was saved meanwhile. Sending
// the form again replaces the version shown, and no later one.
func (h postEdit) conflict(c echo.Context, sent url.Values) error {
	saved, err := getPost(c, h.posts)
	if domain.Is(err, domain.NotFound) {
		return h.gone(c, sent)
	}
	if err != nil {
		return err
	}
	title, _ := words(http.StatusConflict)
	return h.form(c, http.StatusConflict, title, views.WritePage{PostID: saved.ID, Revision: saved.Revision,
		Fields: postFields(sent), Saved: &saved})
}

// gone gives back what the author typed when the post was deleted meanwhile, in a
// form that makes a new post of it.
func (h postEdit) gone(c echo.Context, sent url.Values) error {
	return h.form(c, http.StatusNotFound, "This post is gone", views.WritePage{Attempt: domain.NewID(),
		Fields: postFields(sent), Gone: true})
}

const editTitle = "Edit your post"

func (h postEdit) form(c echo.Context, status int, title string, w views.WritePage) error {
	w.Page = h.frame(c, title)
	return h.renderForm(c, status, views.Write(w))
}

func postFields(sent url.Values) views.PostFields {
	return views.PostFields{Title: sent.Get("title"), Content: sent.Get("content")}
}
