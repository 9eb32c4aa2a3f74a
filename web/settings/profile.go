package settings

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	view "inkfeed/views/settings"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/uploads"
)

// settingsProfile changes a user's display name, what they say about themselves and their blog, and their avatar.
type settingsProfile struct {
	handler
	uploads *uploads.Uploads
}

func (h settingsProfile) register(e *echo.Echo) {
	site.Get(e, "/settings/profile", h.show)
	e.POST("/settings/profile", h.describe)
	e.POST("/settings/avatar", h.upload)
	e.POST("/settings/avatar/remove", h.remove)
}

// Addresses to go to after a form of the profile.
const (
	profileSaved  = "/settings/profile?saved=yes"
	avatarChanged = "/settings/profile?avatar=yes"
)

func (h settingsProfile) show(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	naming, err := h.namingTime(c.Request().Context(), u)
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, view.ProfilePage{User: u, DisplayName: u.DisplayName, Profile: u.Profile,
		NamingTime: naming, Saved: c.QueryParam("saved") == "yes", AvatarChanged: c.QueryParam("avatar") == "yes"})
}

func (h settingsProfile) describe(c echo.Context) error {
	sent, tooLarge := site.ParseForm(c)
	if sent == nil {
		return tooLarge
	}
	u, userErr := h.Sender(c, sent)
	typed := profileOf(sent, u.Profile)
	clean, profileErr := domain.CleanProfile(typed)
	name, nameErr := u.DisplayName, error(nil)
	if sent.Has("displayName") { // a page of an older release has no such field
		name, nameErr = domain.CleanDisplayName(sent.Get("displayName"))
	}
	err := cmp.Or(userErr, tooLarge, domain.JoinErrors(nameErr, profileErr))
	if err == nil {
		err = h.saveTexts(c.Request().Context(), u, name, clean)
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.ProfilePage{User: u, SentBy: sent.Get("user"),
			DisplayName: sent.Get("displayName"), Profile: typed})
	}
	return site.SeeOther(c, profileSaved)
}

// profileOf reads a profile from a form, as typed. Fields that a page of an older release lacks stay as they are.
func profileOf(sent url.Values, before domain.Profile) domain.Profile {
	p := before
	p.Bio = sent.Get("bio")
	if !sent.Has("blogTitle") {
		return p
	}
	p.BlogTitle, p.WritingLanguage = sent.Get("blogTitle"), sent.Get("writingLanguage")
	for n := range p.Links {
		field := fmt.Sprint("link", n+1)
		p.Links[n] = siteinfo.Link{Label: sent.Get(field), Address: sent.Get(field + "-address")}
	}
	return p
}

// saveTexts stores the changed texts. Repeating it changes nothing.
func (h settingsProfile) saveTexts(ctx context.Context, u domain.User, displayName string, p domain.Profile) error {
	if displayName != u.DisplayName {
		err := h.limitPropagation(ctx, u, func() error {
			_, err := h.store.Profiles.SetDisplayName(ctx, u.ID, displayName)
			return err
		})
		if err != nil {
			return err
		}
	}
	return h.store.Profiles.SetProfile(ctx, u.ID, p)
}

// What the workers spend, in request units, on a post with its copies and on a comment or like, when they write a new
// name or avatar to it, and when they delete it. A new name that costs no more than costOfRename counts as one.
const (
	namingPost      = 132
	namingResponse  = 56
	erasingPost     = 150
	erasingResponse = 60
	costOfRename    = 1500
)

// pacedTime returns how long work on everything that a user wrote waits at most for the budget of the account, given
// its cost for a post and for a comment or like. It rounds up to minutes or hours.
func (h handler) pacedTime(ctx context.Context, u domain.User, post, response int) (time.Duration, error) {
	if u.Role.MayAdminister() || h.Pace.Free() {
		return 0, nil
	}
	posts, responses, err := h.store.Export.Authored(ctx, u.ID)
	wait := max(0, time.Until(h.Pace.Ends(u.ID, float64(post*posts+response*responses), 0)))
	unit := time.Minute
	if wait > 2*time.Hour {
		unit = time.Hour
	}
	return (wait + unit - 1).Truncate(unit), err
}

// namingTime returns how long it takes until a new name or avatar is shown everywhere.
func (h handler) namingTime(ctx context.Context, u domain.User) (time.Duration, error) {
	if u.PropagatedVersion >= u.NameVersion {
		return 0, nil
	}
	return h.pacedTime(ctx, u, namingPost, namingResponse)
}

// limitPropagation makes a change of the username, the display name or the avatar. It counts the change towards one
// rate limit, because each such change is written to all posts, comments and likes of the user. It counts by what that
// costs, except for administrators. A refused change costs nothing.
func (h handler) limitPropagation(ctx context.Context, u domain.User, change func() error) error {
	cost := 1
	if !u.Role.MayAdminister() {
		posts, responses, err := h.store.Export.Authored(ctx, u.ID)
		if err != nil {
			return err
		}
		cost += (namingPost*posts + namingResponse*responses) / costOfRename
	}
	if err := h.Limiter.AllowCost(ctx, ratelimit.Rename, u.ID, cost); err != nil {
		return err
	}
	err := change()
	if err != nil && !domain.Is(err, domain.Unavailable) { // which may have made the change
		h.Limiter.RefundCost(ratelimit.Rename, u.ID, cost)
	}
	return err
}

func (h settingsProfile) upload(c echo.Context) error {
	u, sent, err := h.uploads.Receive(c, h.Site, h.setAvatar)
	if errs, status, ok := uploads.FormErrors(h.Site, c, err); ok {
		return h.form(c, status, view.ProfilePage{User: u, SentBy: sent.User, DisplayName: u.DisplayName,
			Profile: u.Profile, ChooseFileAgain: true, FormErrors: errs})
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, avatarChanged)
}

// setAvatar stores a picture and makes it the user's avatar.
func (h settingsProfile) setAvatar(ctx context.Context, u domain.User, sent uploads.Upload) error {
	return h.limitPropagation(ctx, u, func() error {
		avatar, err := h.uploads.SaveAvatar(ctx, u, sent)
		if err != nil {
			return err
		}
		return h.store.Profiles.SetAvatar(ctx, u.ID, avatar.Name.String())
	})
}

func (h settingsProfile) remove(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	u, err := h.Sender(c, sent)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if u.Avatar != "" {
		err = h.limitPropagation(ctx, u, func() error { return h.store.Profiles.SetAvatar(ctx, u.ID, "") })
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.ProfilePage{User: u, DisplayName: u.DisplayName,
			Profile: u.Profile})
	}
	return site.SeeOther(c, avatarChanged)
}

func (h settingsProfile) form(c echo.Context, status int, p view.ProfilePage) error {
	p.LayoutData = h.FallbackLayout(c, site.T(c, "Profile"))
	return h.RenderForm(c, status, view.Profile(p))
}
