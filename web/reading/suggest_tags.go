package reading

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// tagSuggest suggests tags while a user is typing one.
type tagSuggest struct{ tag tag }

func (h tagSuggest) register(e *echo.Echo) {
	site.Get(e, "/suggest/tags", h.suggest)
}

// tagSuggestions is the maximum number of suggestions.
const tagSuggestions = 10

// suggest responds with a JSON array of names. It suggests nothing if the index is unavailable.
// Without the parameter q, the address is the page of the tag "suggest".
func (h tagSuggest) suggest(c echo.Context) error {
	if !c.QueryParams().Has("q") {
		c.SetParamNames("tag")
		c.SetParamValues("suggest")
		return h.tag.show(c)
	}
	names := []string{}
	prefix, index, ctx := c.QueryParam("q"), h.tag.store.Search, c.Request().Context()
	if len(prefix) <= 4*domain.MaxTag {
		uses, err := index.Tags(ctx, prefix, tagSuggestions)
		if err != nil && !domain.Is(err, domain.Unavailable) {
			return err
		}
		for _, use := range uses {
			names = append(names, use.Name)
		}
	}
	if building, err := index.Building(ctx); err == nil && !building {
		c.Response().Header().Set("Cache-Control", "private, max-age=60")
	}
	return c.JSON(http.StatusOK, names)
}
