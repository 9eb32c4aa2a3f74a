package following

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/views"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
)

// follow follows authors and tags, and ceases to.
type follow struct{ handler }

func (h follow) register(e *echo.Echo) {
	for _, of := range []string{"/@:username", "/tags/:tag"} {
		e.POST(of+"/follow", func(c echo.Context) error { return h.change(c, true) })
		e.POST(of+"/unfollow", func(c echo.Context) error { return h.change(c, false) })
	}
}

// target is the author or the tag in an address.
type target struct {
	domain.Source
	author domain.User // zero for a tag
}

func (t target) path() string {
	if t.Tag != "" {
		return views.TagPath(t.Tag)
	}
	return names.UserPath(t.author.Username)
}

// target returns the author or the tag in the address.
func (h handler) target(c echo.Context) (t target, err error) {
	if c.Param("tag") != "" {
		t.Tag, err = site.ShortTagAt(c)
		return t, err
	}
	t.author, _, err = site.UserAt(c, h.store.Users.ByName)
	t.AuthorID = t.author.ID
	return t, err
}

func (h follow) change(c echo.Context, following bool) error {
	sent, u, err := site.ReadForm(c, h.SignedIn)
	if err != nil && following {
		return h.PostponeFollow(c, sent.Get("next"), err)
	}
	if err != nil {
		return err
	}
	t, err := h.target(c)
	switch {
	case err != nil:
		return err
	case following:
		err = h.add(c, u, t)
	default:
		err = h.store.Follows.Unfollow(c.Request().Context(), u.ID, t.Source)
	}
	if err != nil {
		return err
	}
	if !site.IsFragment(c) {
		return site.SeeOther(c, site.NextOr(sent.Get("next"), t.path()))
	}
	counts := views.FollowCounts{Path: t.path(), Following: t.author.Following,
		Linked: t.Tag == "" && !t.author.HidesFollows}
	place := sent.Get("place")
	if place == "author" || place == "tag" {
		followers, err := h.store.Follows.Followers(c.Request().Context(), t.Source)
		if err != nil {
			return err
		}
		counts.Followers = followers.Count
	} else if place != "byline" && place != "card" {
		place = t.Key()
	}
	b := t.button(place, site.SafeNext(sent.Get("next"))).For(following)
	b.JustPressed = true
	return h.Render(c, http.StatusOK, views.Followed(b, counts))
}

func (t target) button(place, next string) views.FollowButton {
	if t.Tag != "" {
		return views.FollowTag(t.Tag, place, next)
	}
	return views.FollowAuthor(t.author.Username, place, next)
}

// add makes a user follow an author or tag, within the limits.
func (h handler) add(c echo.Context, u domain.User, t target) error {
	ctx, from := c.Request().Context(), remote.Of(c.Request())
	if err := h.checkBlocks(ctx, u, t.author); err != nil {
		return err
	}
	err := h.Limiter.CheckNetworks(ratelimit.Follows, "", from)
	if err == nil {
		err = h.Limiter.Allow(ctx, ratelimit.Follows, u.ID)
	}
	if err != nil {
		return err
	}
	h.Limiter.ChargeNetworks(ratelimit.Follows, "", from, 1)
	_, err = h.store.Follows.Follow(ctx, u.ID, t.Source, time.Now())
	return err
}

// checkBlocks fails if one of two users has blocked the other. The author is zero for a tag.
func (h handler) checkBlocks(ctx context.Context, u, author domain.User) error {
	if author.ID == "" {
		return nil
	}
	for blocker, other := range map[string]string{u.ID: author.ID, author.ID: u.ID} {
		blocked, err := h.store.Blocks.Has(ctx, blocker, other)
		if err != nil {
			return err
		}
		if blocked {
			return domain.ErrFollowBlocked(author.Username)
		}
	}
	return nil
}

// react follows the author or tag with a path after a log-in.
func (h follow) react(c echo.Context, u domain.User, _, path string) error {
	t, err := h.targetAt(c, path)
	if err != nil {
		return err
	}
	return h.add(c, u, t)
}

// targetAt returns the author or tag whose page, or whose feed, has a path on this site.
func (h handler) targetAt(c echo.Context, path string) (target, error) {
	name, value := sourceAt(path)
	if name == "" {
		return target{}, site.ErrNoPage
	}
	c.SetParamNames(name)
	c.SetParamValues(value)
	return h.target(c)
}
