package writing

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// newPost is where posts are begun.
type newPost struct{ editor }

func (h newPost) register(e *echo.Echo) {
	site.Get(e, "/new", h.form)
	e.POST("/posts", h.submit)
}

// form allots the post's id, so that whatever is saved from this form, however often,
// is the same post. Who comes back to a form whose text was never saved names it.
func (h newPost) form(c echo.Context) error {
	if _, err := h.SignedIn(c); err != nil {
		return err
	}
	postID := c.QueryParam("post")
	if !domain.IsID(postID) {
		postID = domain.NewID()
	}
	return h.write(c, http.StatusOK, typedOf(domain.Draft{PostID: postID}), domain.Draft{}, nil, nil)
}

func (h newPost) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if sent == nil {
		return err
	}
	postID := sent.Get("post")
	if !domain.IsID(postID) {
		postID = domain.NewID()
	}
	t := readTyped(sent, postID)
	if err != nil {
		return h.back(c, t, err)
	}
	return h.editor.submit(c, t)
}
