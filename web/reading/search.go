package reading

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	"inkfeed/views"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// search serves the search page.
type search struct {
	handler
	slots site.Slots
}

func (h search) register(e *echo.Echo) {
	site.Get(e, "/search", h.show)
}

// maxQuery is the maximum length of a query, in bytes; the rest is ignored.
const maxQuery = 2000

func (h search) show(c echo.Context) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	query := strings.ToValidUTF8(c.QueryParam("q"), "")
	query = strings.TrimSpace(strings.ToValidUTF8(query[:min(len(query), maxQuery)], ""))
	found, err := h.find(c.Request().Context(), query, number)
	if err == nil && query != "" {
		err = site.PageOrNotFound(found.Posts, nil)
	}
	if err != nil {
		return err
	}
	title := site.T(c, "Search|title")
	if query != "" {
		title = site.T(c, "{query} – search", "query", plaintext.Truncate(query, 60))
	}
	page, err := h.ReadingLayout(c, title)
	if err != nil {
		return err
	}
	shown := query
	if found.Corrected {
		shown = found.Suggestion
	}
	return h.Render(c, http.StatusOK, view.Search(view.SearchPage{LayoutData: page, Query: query, Found: found,
		Path: views.SearchPath(shown)}))
}

// find waits for a free slot and then searches. Slots are limited because some queries take most of
// a second.
func (h search) find(ctx context.Context, query string, number int) (domain.Found, error) {
	release, err := h.slots.Acquire(ctx)
	if err != nil {
		return domain.Found{}, err
	}
	defer release()
	return h.store.Search.Search(ctx, query, number)
}
