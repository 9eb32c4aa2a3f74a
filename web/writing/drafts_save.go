package writing

import (
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// draftSave is where the script of the editor saves as one types. It answers in JSON.
type draftSave struct{ editor }

func (h draftSave) register(e *echo.Echo) { e.POST("/drafts/:id", h.submit) }

// draftSaved is what became of a saving.
type draftSaved struct {
	Version  int       `json:"version"`
	Revision int       `json:"revision"`
	Saved    time.Time `json:"saved,omitzero"`
	// Of a saving that failed: why, for the author to read, by field too.
	Error  string            `json:"error,omitempty"`
	Fields map[string]string `json:"fields,omitempty"`
	// Of a conflict with another draft: its text, in which an editor that lost an answer
	// knows its own again.
	Title   string `json:"title,omitempty"`
	Content string `json:"content,omitempty"`
	Tags    string `json:"tags,omitempty"`
	domain.Details
}

func (h draftSave) submit(c echo.Context) error {
	c.Response().Header().Set("Cache-Control", site.CacheNever)
	sent, err := site.ParseForm(c)
	if err != nil {
		return h.failed(c, err, draftSaved{})
	}
	if !domain.IsID(c.Param("id")) {
		return h.failed(c, site.ErrNoPost, draftSaved{})
	}
	author, err := h.SignedIn(c)
	if err != nil {
		return h.failed(c, err, draftSaved{})
	}
	t := readTyped(sent, c.Param("id"))
	t.draft.AuthorID = author.ID
	saved, err := h.save(c.Request().Context(), t.draft)
	if domain.Is(err, domain.Conflict) {
		stored, getErr := h.store.Drafts.Get(c.Request().Context(), author.ID, t.draft.PostID)
		if getErr == nil {
			return h.failed(c, err, draftSaved{Version: stored.Version, Revision: stored.Revision, Saved: stored.Saved,
				Title: stored.Title, Content: stored.Content, Tags: stored.Tags, Details: stored.Details})
		}
	}
	if err != nil {
		return h.failed(c, err, draftSaved{})
	}
	return c.JSON(http.StatusOK, draftSaved{Version: saved.Version, Revision: saved.Revision, Saved: saved.Saved})
}

// failed answers with what the author can be told.
func (h draftSave) failed(c echo.Context, err error, answer draftSaved) error {
	status, message := site.Classify(err)
	h.LogFailure(c, status, err)
	if _, usual := site.StatusText(status); message == "" {
		message = usual
	}
	answer.Error = message
	if e, ok := errors.AsType[*domain.Error](err); ok {
		answer.Fields = e.Fields
		if len(e.Fields) > 0 {
			answer.Error = domain.Reason(err)
		}
	}
	site.SetRetryAfter(c, status, err)
	return c.JSON(status, answer)
}
