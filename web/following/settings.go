package following

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	view "inkfeed/views/following"
	"inkfeed/web/site"
)

// settings serves the settings of what a user follows.
type settings struct{ handler }

func (h settings) register(e *echo.Echo) {
	site.Get(e, views.FollowingSettingsPath, h.show)
	e.POST(site.UnfollowPath, h.unfollow)
	e.POST(views.FollowingSettingsPath+"/lists", h.hideLists)
	e.POST(views.FollowingSettingsPath+"/feed", h.changeFeed)
}

func (h settings) show(c echo.Context) error {
	return h.form(c, http.StatusOK, view.SettingsPage{Query: c.QueryParam("q"), Done: c.QueryParam("done")})
}

// form shows the settings, with the result of an import or with an error of one.
func (h settings) form(c echo.Context, status int, shown view.SettingsPage) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	if shown.LayoutData, err = h.Layout(c, site.T(c, "Authors and tags you follow")); err != nil {
		return err
	}
	shown.Feed = views.PrivateFeedPath(u)
	if shown.Feed != "" {
		shown.Feed = site.AbsoluteURL(h.BaseURL(c), shown.Feed)
	}
	ctx := c.Request().Context()
	if shown.Query == "" {
		shown.Follows, err = h.store.Follows.List(ctx, u.ID, number)
	} else {
		var all []domain.Follow
		all, err = h.store.Follows.All(ctx, u.ID)
		all = slices.DeleteFunc(all, func(f domain.Follow) bool { return !matches(f, shown.Query) })
		shown.Follows = domain.Cut(all[min(len(all), (number-1)*domain.FollowsPerPage):], number,
			domain.FollowsPerPage)
	}
	if err := site.PageOrNotFound(shown.Follows, err); err != nil {
		return err
	}
	return h.RenderForm(c, status, view.Settings(shown))
}

// matches reports whether the name of an author or tag contains a text.
func matches(f domain.Follow, query string) bool {
	query = strings.ToLower(strings.TrimLeft(strings.TrimSpace(query), "@#"))
	return strings.Contains(strings.ToLower(f.Person.Username+"\n"+f.Person.DisplayName+"\n"+f.Source.Tag), query)
}

// unfollow ends a follow, also of an author whose account is deleted or suspended.
func (h settings) unfollow(c echo.Context) error {
	sent, u, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	of := domain.Source{AuthorID: sent.Get("author"), Tag: sent.Get("tag")}
	if err := h.store.Follows.Unfollow(c.Request().Context(), u.ID, of); err != nil {
		return err
	}
	to := url.Values{"done": {"unfollowed"}}
	if q := sent.Get("q"); q != "" {
		to.Set("q", q)
	}
	return site.SeeOther(c, views.FollowingSettingsPath+"?"+to.Encode())
}

func (h settings) hideLists(c echo.Context) error {
	sent, u, err := site.ReadForm(c, h.SignedIn)
	if err == nil {
		err = h.store.Profiles.SetHidesFollows(c.Request().Context(), u.ID, sent.Get("hide") == "yes")
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, views.FollowingSettingsPath+"?done=saved")
}

// changeFeed makes a new address for the user's private feed, which ends the former one, or ends the feed.
func (h settings) changeFeed(c echo.Context) error {
	sent, u, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	secret, done := domain.NewID(), "feed"
	if sent.Get("do") == "remove" {
		secret, done = "", "removed"
	}
	if err := h.store.Profiles.SetFeedSecret(c.Request().Context(), u.ID, secret); err != nil {
		return err
	}
	return site.SeeOther(c, views.FollowingSettingsPath+"?done="+done+"#Page-private-feed")
}
