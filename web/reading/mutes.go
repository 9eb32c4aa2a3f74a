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
	e.POST("/@:username/mute", h.changePerson)
	e.POST("/@:username/unmute", h.changePerson)
	e.POST("/tags/:tag/mute", h.changeTag)
	e.POST("/tags/:tag/unmute", h.changeTag)
	e.POST("/posts/:id/mute", h.changePost)
	e.POST("/posts/:id/unmute", h.changePost)
	site.Get(e, views.MutesPath, h.list)
	e.POST(views.MutesPath+"/remove", h.remove)
}

func (h mutes) changePerson(c echo.Context) error { return h.change(c, h.person) }
func (h mutes) changeTag(c echo.Context) error    { return h.change(c, h.tag) }
func (h mutes) changePost(c echo.Context) error   { return h.change(c, h.post) }

// person returns what the address says about the person to mute, and the person's id.
func (h mutes) person(c echo.Context) (views.Mute, string, error) {
	u, _, err := site.UserAt(c, h.store.Users.ByName)
	return views.Mute{Kind: domain.MutePerson, Path: names.UserPath(u.Username), Name: u.Username}, u.ID, err
}

func (h mutes) tag(c echo.Context) (views.Mute, string, error) {
	_, key, err := site.TagAt(c)
	if err == nil && len(key) > maxMutedTag {
		err = domain.NewError(domain.NotFound, "There is no such tag.")
	}
	return views.Mute{Kind: domain.MuteTag, Path: views.TagPath(key)}, key, err
}

// maxMutedTag is the maximum length of a muted tag's key, in bytes. It bounds the size of all mutes of a user.
const maxMutedTag = 4 * domain.MaxTag

func (h mutes) post(c echo.Context) (views.Mute, string, error) {
	id := c.Param("id")
	if !domain.IsID(id) {
		return views.Mute{}, "", site.ErrNoPost
	}
	return views.Mute{Kind: domain.MutePost, Path: views.PostPath(id)}, id, nil
}

// change mutes or unmutes what the address names, and leads back to the page with the button.
func (h mutes) change(c echo.Context, find func(echo.Context) (views.Mute, string, error)) error {
	sent, viewer, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	m, id, err := find(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	switch m.Muted = !strings.HasSuffix(site.Route(c), "/unmute"); {
	case !m.Muted:
		err = h.store.Mutes.Unmute(ctx, viewer.ID, m.Kind, id)
	case id == viewer.ID:
		return domain.NewError(domain.Invalid, "You can't mute yourself.")
	default:
		if m.Kind == domain.MutePost {
			_, err = h.finder.Post(c)
		}
		if err == nil {
			err = h.store.Mutes.Mute(ctx, viewer.ID, domain.Mute{Kind: m.Kind, ID: id, Date: time.Now()})
		}
	}
	if err != nil {
		return err
	}
	m.Next = site.SafeNext(sent.Get("next"))
	switch {
	case !site.IsFragment(c):
		return site.SeeOther(c, site.NextOr(m.Next, m.Path))
	case sent.Get("row") == "yes":
		return h.Render(c, http.StatusOK, view.MutedRow(m))
	}
	return h.Render(c, http.StatusOK, views.MuteItem(m))
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
	all, err := h.mutesOf(ctx, viewer)
	if err != nil {
		return err
	}
	shown := view.MutesPage{Done: c.QueryParam("done") == "unmuted"}
	rows := make([]view.Muted, 0, domain.MutesPerPage+1)
	for _, m := range all[min((number-1)*domain.MutesPerPage, len(all)):] {
		if rows = append(rows, view.Muted{Mute: m}); len(rows) > domain.MutesPerPage {
			break
		}
	}
	shown.Mutes = domain.Cut(rows, number, domain.MutesPerPage)
	if err := site.PageOrNotFound(shown.Mutes, h.complete(ctx, shown.Mutes.Items)); err != nil {
		return err
	}
	if shown.LayoutData, err = h.Layout(c, site.T(c, "Muted people, tags and posts")); err != nil {
		return err
	}
	return h.RenderForm(c, http.StatusOK, view.Mutes(shown))
}

// complete reads the people and posts of mutes, as far as others can see them.
func (h mutes) complete(ctx context.Context, rows []view.Muted) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrentReads)
	for i := range rows {
		group.Go(func() (err error) {
			switch row := &rows[i]; row.Kind {
			case domain.MutePerson:
				row.User, err = h.store.Users.ByID(ctx, row.ID)
			case domain.MutePost:
				if row.Post, err = h.store.Posts.Get(ctx, row.ID); err == nil && !row.Post.Open() {
					row.Post = domain.Post{}
				}
			}
			if domain.Is(err, domain.NotFound) {
				return nil
			}
			return err
		})
	}
	return group.Wait()
}

// remove unmutes an entry of the list, which may be about a person or post that is gone.
func (h mutes) remove(c echo.Context) error {
	sent, viewer, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	kind := domain.MuteKind(sent.Get("kind"))
	if err := h.store.Mutes.Unmute(c.Request().Context(), viewer.ID, kind, sent.Get("id")); err != nil {
		return err
	}
	return site.SeeOther(c, views.MutesPath+"?done=unmuted")
}
