package site

import (
	"bytes"
	"context"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/inspection"
)

// inspector is the cost inspector. It is asked only about requests whose operations are recorded.
type inspector interface {
	// Panel returns the panel below the page of a request. It is rendered after everything is read.
	Panel(c echo.Context, recording *inspection.Recording) templ.Component
	// Fragment returns what a fragment adds to the panel of its page.
	Fragment(c echo.Context, recording *inspection.Recording) templ.Component
}

// inspected returns the recording of a request if the viewer may see it, otherwise nil. Responses that the page cache
// asks for have no panel, because other visitors get them too.
func (s *Site) inspected(c echo.Context, viewer domain.User) *inspection.Recording {
	ctx := c.Request().Context()
	recording := inspection.From(ctx)
	if recording == nil || s.Inspector == nil || CacheabilityOf(ctx) != nil || !viewer.Role.MayAdminister() {
		return nil
	}
	return recording
}

// inspectorPanel returns the panel of the cost inspector for a page, or nil if there is none.
func (s *Site) inspectorPanel(c echo.Context, viewer domain.User) templ.Component {
	if recording := s.inspected(c, viewer); recording != nil {
		return s.Inspector.Panel(c, recording)
	}
	return nil
}

// addInspectorFragment appends to a rendered fragment what it adds to the panel of its page.
func (s *Site) addInspectorFragment(c echo.Context, b *bytes.Buffer) error {
	viewer, _ := c.Get(viewerKey).(domain.User)
	if recording := s.inspected(c, viewer); recording != nil {
		c.Response().Header().Set("Cache-Control", CacheNever)
		return s.Inspector.Fragment(c, recording).Render(context.WithoutCancel(c.Request().Context()), b)
	}
	return nil
}
