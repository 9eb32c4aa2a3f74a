package reading

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/views"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// mutes mutes people, tags and posts for the viewer, and lists what is muted.
type mutes struct{ handler }

func (h mutes) register(e *echo.Echo) {
	for _, path := range []string{"/@:username", "/tags/:tag", "/posts/:id"} {
		e.POST(path+"/mute", h.change)
		e.POST(path+"/unmute", h.change)
	}
	site.Get(e, views.MutesPath, h.list)
	e.POST(views.MutesPath+"/remove", h.remove)
}

// target returns the person, tag or post in the address, and its id.
func (h mutes) target(c echo.Context) (m views.Mute, id string, err error) {
	switch {
	case c.Param("username") != "":
		u, _, err := site.UserAt(c, h.store.Users.ByName)
		return views.Mute{Kind: domain.MutePerson, Path: names.UserPath(u.Username), Name: "@" + u.Username}, u.ID, err
	case c.Param("tag") != "":
		key, err := site.ShortTagAt(c)
		return views.Mute{Kind: domain.MuteTag, Path: views.TagPath(key), Name: "#" + key}, key, err
	}
	if id = c.Param("id"); !domain.IsID(id) {
		return m, "", site.ErrNoPost
	}
	return views.Mute{Kind: domain.MutePost, Path: views.PostPath(id)}, id, nil
}

// change mutes or unmutes what the address names, and leads back to the page with the button.
func (h mutes) change(c echo.Context) error {
	sent, viewer, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	m, id, err := h.target(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	m.Muted = strings.HasSuffix(site.Route(c), "/mute")
	if m.Muted && m.Kind == domain.MutePost {
		_, err = h.finder.Post(c)
	}
	switch {
	case err != nil:
	case id == viewer.ID:
		err = domain.NewError(domain.Invalid, "You can't mute yourself.")
	case m.Muted:
		err = h.store.Mutes.Mute(ctx, viewer.ID, domain.Mute{Kind: m.Kind, ID: id, Date: time.Now()})
	default:
		err = h.store.Mutes.Unmute(ctx, viewer.ID, m.Kind, id)
	}
	switch {
	case err != nil:
		return err
	case !site.IsFragment(c):
		return site.SeeOther(c, site.NextOr(sent.Get("next"), m.Path))
	}
	return h.Render(c, http.StatusOK, view.MutedRow(m))
}

// list shows what the viewer has muted.
func (h mutes) list(c echo.Context) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	viewer, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	all, err := site.MutesOf(ctx, h.store.Mutes, viewer)
	if err != nil {
		return err
	}
	found := domain.Cut(all[min((number-1)*domain.MutesPerPage, len(all)):], number, domain.MutesPerPage)
	rows := domain.ListPage[view.Muted]{Items: make([]view.Muted, len(found.Items)), Number: number, More: found.More}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrentReads)
	for i, m := range found.Items {
		group.Go(func() (err error) {
			if rows.Items[i], err = h.named(ctx, m); domain.Is(err, domain.NotFound) {
				err = nil
			}
			return err
		})
	}
	if err := site.PageOrNotFound(rows, group.Wait()); err != nil {
		return err
	}
	page, err := h.Layout(c, site.T(c, "Muted people, tags and posts"))
	if err != nil {
		return err
	}
	return h.RenderForm(c, http.StatusOK, view.Mutes(view.MutesPage{LayoutData: page, Mutes: rows,
		Done: c.QueryParam("done") == "unmuted"}))
}

// named adds the name and address of what a mute is about, as far as others can see it.
func (h mutes) named(ctx context.Context, m domain.Mute) (view.Muted, error) {
	row := view.Muted{Mute: m}
	switch m.Kind {
	case domain.MuteTag:
		row.Name, row.Path = "#"+m.ID, views.TagPath(m.ID)
	case domain.MutePerson:
		u, err := h.store.Users.ByID(ctx, m.ID)
		if err != nil {
			return row, err
		}
		row.Name, row.Path = "@"+u.Username, names.UserPath(u.Username)
	case domain.MutePost:
		post, err := h.store.Posts.Get(ctx, m.ID)
		if err != nil || !post.Open() {
			return row, err
		}
		row.Name, row.Path = post.Title, post.Path()
	}
	return row, nil
}

// remove unmutes an entry of the list, which may be about a person or post that is gone.
func (h mutes) remove(c echo.Context) error {
	sent, viewer, err := site.ReadForm(c, h.SignedIn)
	if err == nil {
		err = h.store.Mutes.Unmute(c.Request().Context(), viewer.ID, domain.MuteKind(sent.Get("kind")), sent.Get("id"))
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, views.MutesPath+"?done=unmuted")
}
