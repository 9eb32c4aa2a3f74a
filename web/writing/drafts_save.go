package writing

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// draftSave saves drafts automatically for the editor's script. It responds in JSON.
type draftSave struct{ editor }

func (h draftSave) register(e *echo.Echo) { e.POST("/drafts/:id", h.submit) }

// saveResponse is the JSON response to an automatic save.
type saveResponse struct {
	Post     string    `json:"post,omitempty"` // the id of the draft
	Version  int       `json:"version"`
	Revision int       `json:"revision"`
	Saved    time.Time `json:"saved,omitzero"`
	// Error says why saving failed, for the author; Fields are messages by field.
	Error  string            `json:"error,omitempty"`
	Fields map[string]string `json:"fields,omitempty"`
	// After a conflict, the text of the stored draft. An editor that missed a response recognises
	// its own text.
	Title   string `json:"title,omitempty"`
	Content string `json:"content,omitempty"`
	Tags    string `json:"tags,omitempty"`
	domain.Details
}

func (h draftSave) submit(c echo.Context) error {
	c.Response().Header().Set("Cache-Control", site.CacheNever)
	sent, err := site.ParseForm(c)
	if err != nil {
		return h.respondError(c, err, saveResponse{})
	}
	if !domain.IsTextID(c.Param("id")) {
		return h.respondError(c, site.ErrNoPost, saveResponse{})
	}
	t := readPostForm(sent, c.Param("id"))
	author, err := h.authorOf(c, t)
	if err != nil {
		return h.respondError(c, err, saveResponse{})
	}
	t.draft.AuthorID = author.ID
	if t.draft.PostID, err = h.acceptedID(c.Request().Context(), t.draft); err != nil {
		return h.respondError(c, err, saveResponse{})
	}
	saved, err := h.save(c.Request().Context(), t)
	if domain.Is(err, domain.Conflict) {
		stored, getErr := h.store.Drafts.Get(c.Request().Context(), author.ID, t.draft.PostID)
		if getErr == nil {
			return h.respondError(c, err, saveResponse{Post: stored.PostID, Version: stored.Version,
				Revision: stored.Revision, Saved: stored.Saved,
				Title: stored.Title, Content: stored.Content, Tags: stored.Tags, Details: stored.Details})
		}
	}
	if err != nil {
		return h.respondError(c, err, saveResponse{})
	}
	return c.JSON(http.StatusOK, saveResponse{Post: saved.PostID, Version: saved.Version, Revision: saved.Revision,
		Saved: saved.Saved})
}

// respondError responds with an error message for the author.
func (h draftSave) respondError(c echo.Context, err error, answer saveResponse) error {
	status := 0
	status, answer.Error, answer.Fields = site.ErrorTexts(c, err)
	h.LogFailure(c, status, err)
	site.SetRetryAfter(c, status, err)
	return c.JSON(status, answer)
}
