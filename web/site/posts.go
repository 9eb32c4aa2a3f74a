package site

import (
	"cmp"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// PostAt gets the post that the address names. What has not the form of an id
// is not looked up.
func PostAt(c echo.Context, posts PostGetter) (domain.Post, error) {
	id := c.Param("id")
	if !domain.IsID(id) {
		return domain.Post{}, ErrNoPost
	}
	p, err := posts.Get(c.Request().Context(), id)
	if domain.Is(err, domain.NotFound) {
		return domain.Post{}, ErrNoPost
	}
	return p, err
}

// FindPost is getPost for whoever sees a hidden post, too: its author and moderators.
func (s *Site) FindPost(c echo.Context, posts interface {
	PostGetter
	LatestGetter
}) (domain.Post, error) {
	p, err := PostAt(c, posts)
	if !domain.Is(err, domain.NotFound) {
		return p, err
	}
	viewer, viewerErr := s.Viewer(c)
	if viewerErr != nil || viewer.ID == "" || !domain.IsID(c.Param("id")) {
		return domain.Post{}, cmp.Or(viewerErr, err)
	}
	hidden, latestErr := posts.Latest(c.Request().Context(), c.Param("id"))
	switch {
	case domain.Is(latestErr, domain.NotFound):
		return domain.Post{}, err
	case latestErr != nil:
		return domain.Post{}, latestErr
	case !hidden.Deleted.IsZero(), hidden.Standing() != domain.Hidden,
		viewer.ID != hidden.AuthorID && !viewer.Role.MayModerate():
		return domain.Post{}, err
	}
	return hidden, nil
}

// OpenOrNotFound is errNoPost for a post that others do not find any more, from which a reader has
// just taken something back: that is gone, and of the post nothing is shown.
func OpenOrNotFound(p domain.Post, err error) (domain.Post, error) {
	if err == nil && !p.Open() {
		return domain.Post{}, ErrNoPost
	}
	return p, err
}

// OwnPost is getPost for the post's author, who finds it also when it is unpublished;
// others are refused with those words.
func (s *Site) OwnPost(c echo.Context, posts interface {
	PostGetter
	OwnPostGetter
}, refusal string) (domain.Post, error) {
	author, err := s.SignedIn(c)
	if err != nil {
		return domain.Post{}, err
	}
	if !domain.IsID(c.Param("id")) {
		return domain.Post{}, ErrNoPost
	}
	p, err := posts.Own(c.Request().Context(), c.Param("id"), author.ID)
	if !domain.Is(err, domain.NotFound) {
		return p, err
	}
	if _, err := PostAt(c, posts); err != nil {
		return domain.Post{}, err
	}
	return domain.Post{}, domain.Errorf(domain.Forbidden, "%s", refusal)
}

var ErrNoPost = domain.Errorf(domain.NotFound,
	"There is no such post. Its author may have deleted it, or the link may be mistyped.")

// MayRespond refuses whom the author of a post has blocked, with Forbidden: two point reads.
// A post that others do not find is not found.
func (s *Site) MayRespond(c echo.Context, posts PostGetter, blocks BlockChecker, u domain.User) error {
	p, err := PostAt(c, posts)
	if err != nil || p.AuthorID == u.ID {
		return err
	}
	blocked, err := blocks.Blocks(c.Request().Context(), p.AuthorID, u.ID)
	if err == nil && blocked {
		err = domain.ErrBlocked(p.AuthorName)
	}
	return err
}
