package writing

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// newPost begins new posts.
type newPost struct{ editor }

func (h newPost) register(e *echo.Echo) {
	site.Get(e, "/new", h.form)
	e.POST("/posts", h.submit)
}

// form shows an empty form with a new post id, so that everything saved from this form becomes one
// post. An address with an id leads back to a form that was never saved.
func (h newPost) form(c echo.Context) error {
	postID := c.QueryParam("post")
	author, err := h.AuthorOf(c, postID)
	if err != nil {
		return err
	}
	if !domain.IsPageID(postID) {
		postID = h.ids.issue(author.ID, postID)
	}
	return h.write(c, http.StatusOK, formOf(domain.Draft{PostID: postID}), domain.Draft{}, nil, nil)
}

func (h newPost) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if sent == nil {
		return err
	}
	postID := sent.Get("post")
	if !domain.IsTextID(postID) {
		postID = domain.NewID()
	}
	t := readPostForm(sent, postID)
	if err != nil {
		return h.redisplay(c, t, err)
	}
	return h.editor.submit(c, t)
}
