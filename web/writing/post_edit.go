package writing

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// postEdit continues drafts and edits posts.
type postEdit struct{ editor }

func (h postEdit) register(e *echo.Echo) {
	site.Get(e, "/posts/:id/edit", h.form)
	e.POST("/posts/:id", h.submit)
}

// form opens the draft of a post if there is one, and otherwise the post.
func (h postEdit) form(c echo.Context) error {
	author, err := h.AuthorOf(c, c.Param("id"))
	if err != nil {
		return err
	}
	if !domain.IsTextID(c.Param("id")) {
		return site.ErrNoPost
	}
	draft, post, err := h.store.Drafts.Open(c.Request().Context(), author.ID, c.Param("id"))
	if domain.Is(err, domain.NotFound) && domain.IsPageID(c.Param("id")) {
		return h.unwritten(c)
	}
	if domain.Is(err, domain.NotFound) { // the address of an editor that sends an id from before ids were issued
		id := h.ids.issue(author.ID, c.Param("id"))
		if _, err := h.store.Drafts.Get(c.Request().Context(), author.ID, id); err == nil {
			return site.SeeOther(c, "/posts/"+id+"/edit?was="+c.Param("id")) // its text in the browser has the old id
		}
		_, err = h.finder.OwnPost(c, locale.M("You can only edit your own posts."))
		if err == nil { // published just now
			err = site.ErrNoPost
		}
	}
	if err != nil {
		return err
	}
	t := formOf(draft)
	t.edit = true
	gone := post == nil && draft.Revision > 0
	if gone {
		t.draft.Revision = 0
	}
	return h.write(c, http.StatusOK, t, draft, post, func(w *view.WritePage) {
		done := c.QueryParam("done")
		w.Done, w.Shared, w.PostDeleted = doneMessages[done], done == doShare, gone
	})
}

func (h postEdit) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if sent == nil {
		return err
	}
	if !domain.IsTextID(c.Param("id")) {
		return site.ErrNoPost
	}
	t := readPostForm(sent, c.Param("id"))
	t.edit = true
	if err != nil {
		return h.redisplay(c, t, err)
	}
	return h.editor.submit(c, t)
}

// lineEnds normalises the line ends of a submitted form, so that an unchanged text stays equal.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// oneLine joins the lines of a title or detail, whose field may wrap and so allow line breaks.
var oneLine = strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ")
