package reading

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/screening"
	"inkfeed/views"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// user serves the page of a user with the user's posts.
type user struct{ handler }

func (h user) register(e *echo.Echo) {
	h.GetSharedShell(e, "/@:username", h.show)
}

// bio renders a user's biography, and reports whether the links of the profile are shown as plain text.
func (h user) bio(c echo.Context, u domain.User) (html string, unlinked bool, err error) {
	if unlinked, err = h.Screening.Profile(c.Request().Context(), u, time.Now()); err != nil || u.Bio == "" {
		return "", unlinked, err
	}
	html = h.Markdown.In(u.WritingLanguage).BioHTML(u.Bio)
	if unlinked {
		html = screening.WithoutLinks(html)
	}
	return html, unlinked, nil
}

func (h user) show(c echo.Context) error {
	u, other, err := site.UserAt(c, h.store.Users.ByName)
	if err != nil {
		return err
	}
	if !other {
		return h.page(c, u, names.UserPath(u.Username))
	}
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	return site.MovedPermanently(c, site.CanonicalPath(names.UserPath(u.Username), number))
}

// page shows the page of a user at a path.
func (h user) page(c echo.Context, u domain.User, path string) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	posts, err := h.store.UserCopies.PostsOf(c.Request().Context(), u.ID, number)
	if err := site.PageOrNotFound(posts, err); err != nil {
		return err
	}
	ctx := c.Request().Context()
	page, err := h.ReadingLayout(c, u.BlogName())
	if err != nil {
		return err
	}
	canonical := h.Info().BlogPath(u.ID, names.UserPath(u.Username))
	page.Canonical, page.Description = site.CanonicalPath(canonical, number), h.BlogDescription(ctx, u)
	page.AnnounceFeed(site.UserFeed(ctx, u))
	button := views.FollowAuthor(u.Username, "author", path)
	site.SetGaps(c, h.gaps(u.ID, button))
	blocked, muted, reader := false, false, page.Viewer
	if page.Shell {
		reader = domain.User{}
	}
	if viewer := page.Viewer.ID; viewer != "" && viewer != u.ID && !page.Shell {
		if blocked, err = h.store.Blocks.Has(ctx, viewer, u.ID); err != nil {
			return err
		}
		if muted, err = h.isMuted(ctx, page.Viewer, domain.MutePerson, u.ID); err != nil {
			return err
		}
	}
	bio, unlinked, err := h.bio(c, u)
	if err != nil {
		return err
	}
	page.Blog = &views.Blog{User: u, Path: canonical, LinksDisabled: unlinked}
	posts.Items = domain.InLanguage(posts.Items, u.WritingLanguage)
	var pinned []domain.Summary
	if number == 1 {
		if pinned, err = h.pinned(ctx, u, posts.Items); err != nil {
			return err
		}
		posts.Items = slices.DeleteFunc(posts.Items, func(s domain.Summary) bool {
			return slices.ContainsFunc(pinned, func(p domain.Summary) bool { return p.PostID == s.PostID })
		})
	}
	shown := view.UserPage{LayoutData: page, Path: path, User: u, Blocked: blocked, Muted: muted, Bio: bio,
		LinksDisabled: unlinked, Pinned: pinned, Posts: posts}
	if id := c.QueryParam("trashed"); domain.IsID(id) {
		shown.Trashed = id
	}
	if shown.Follow, err = h.follow(ctx, button, u.ID, reader); err != nil {
		return err
	}
	followers, err := h.store.Follows.Followers(ctx, domain.AuthorSource(u.ID))
	if err != nil {
		return err
	}
	shown.Counts = views.FollowCounts{Path: names.UserPath(u.Username), Followers: followers.Count,
		Following: u.Following, Linked: !u.HidesFollows || page.Viewer.ID == u.ID}
	if path == "/" && len(posts.Items)+len(pinned) > 0 {
		if shown.OtherAuthors, err = h.othersWrite(ctx, u.ID); err != nil {
			return err
		}
	}
	if page.Viewer.ID == u.ID && number == 1 {
		if shown.Hidden, shown.Holds, err = h.hidden(c.Request().Context(), u.ID); err != nil {
			return err
		}
	}
	return h.Render(c, http.StatusOK, view.User(shown))
}

// gaps describes how the page of a user differs between signed-in users: the user sees more than others, viewers who
// have blocked or muted the user see that, and those whom the user has blocked cannot follow.
func (h user) gaps(userID string, button views.FollowButton) site.Gaps {
	return site.Gaps{
		Ordinary: func(viewer domain.User) bool { return viewer.ID != userID },
		Fill: func(ctx context.Context, viewer domain.User) (map[string]templ.Component, bool, error) {
			if viewer.ID == userID {
				return nil, true, nil
			}
			if muted, err := h.isMuted(ctx, viewer, domain.MutePerson, userID); err != nil || muted {
				return nil, false, err
			}
			blocked, err := h.store.Blocks.Has(ctx, viewer.ID, userID)
			if err != nil || blocked {
				return nil, false, err
			}
			b, err := h.follow(ctx, button, userID, viewer)
			if b.Path == "" {
				return nil, false, err
			}
			return map[string]templ.Component{view.FollowGap: views.Follow(b)}, true, err
		},
	}
}

// follow returns the button for the user, and none for a viewer whom the user has blocked.
func (h user) follow(ctx context.Context, b views.FollowButton, userID string, viewer domain.User) (
	views.FollowButton, error) {
	if viewer.ID != "" && viewer.ID != userID {
		if blocked, err := h.store.Blocks.Has(ctx, userID, viewer.ID); err != nil || blocked {
			return views.FollowButton{}, err
		}
	}
	return h.followButton(ctx, b, domain.AuthorSource(userID), viewer)
}

// othersWrite reports whether other authors have written some of the newest posts.
func (h user) othersWrite(ctx context.Context, userID string) (bool, error) {
	newest, err := h.store.Feed.FrontPage(ctx, 1)
	return slices.ContainsFunc(newest.Items, func(s domain.Summary) bool { return s.AuthorID != userID }), err
}

// pinned returns a user's pinned posts, except those that are not public any more. It takes them from the given posts
// where it can, and reads the others with a point read each in the user's partition.
func (h user) pinned(ctx context.Context, u domain.User, posts []domain.Summary) ([]domain.Summary, error) {
	var pinned []domain.Summary
	for _, id := range u.Pinned() {
		if n := slices.IndexFunc(posts, func(s domain.Summary) bool { return s.PostID == id }); n >= 0 {
			pinned = append(pinned, posts[n])
			continue
		}
		s, err := h.store.UserCopies.Post(ctx, u.ID, id)
		if domain.Is(err, domain.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		pinned = append(pinned, s)
	}
	return domain.InLanguage(pinned, u.WritingLanguage), nil
}

// hidden returns the first page of a user's hidden posts, and their holds by post id.
func (h user) hidden(ctx context.Context, userID string) (list domain.ListPage[domain.Summary],
	holds map[string]domain.Hold, err error) {
	if list, err = h.store.UserCopies.HiddenOf(ctx, userID, 1); err == nil {
		holds, err = h.finder.Holds(ctx, list.Items)
	}
	return list, holds, err
}
