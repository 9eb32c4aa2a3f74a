package site

import (
	"cmp"
	"context"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// ErrNoPost reports that there is no post at an address, or none that the viewer may see.
var ErrNoPost = domain.NewError(domain.NotFound,
	"There is no such post. Its author may have deleted it, or the link may be mistyped.")

// Posts reads posts. Errors are of kind NotFound for a post that does not exist, or not for this method.
type Posts interface {
	// Get returns a published post that is not hidden.
	Get(ctx context.Context, postID string) (domain.Post, error)
	// Author returns the id and username of the author of a published post that is not hidden.
	Author(ctx context.Context, postID string) (domain.User, error)
	// Own returns a post of the user, whatever its status. It fails with Conflict for a post in the trash.
	Own(ctx context.Context, postID, userID string) (domain.Post, error)
	// Latest returns a post whatever its status, and the rest of a deleted post.
	Latest(ctx context.Context, postID string) (domain.Post, error)
}

// PostFinder finds the post whose id is in the address of a request.
type PostFinder struct {
	Site  *Site
	Posts Posts
}

// Post returns the post if everyone may see it. Moderators may also see the post of a suspended author.
func (f PostFinder) Post(c echo.Context) (domain.Post, error) {
	return f.ofPresentAuthor(c, func(c echo.Context) (domain.Post, error) { return PostAt(c, f.Posts.Get) })
}

// VisiblePost returns the post if the viewer may see it: a hidden post, and one in the trash, is visible to its author
// and to moderators, and the post of a suspended author only to moderators, even before the workers have updated it.
func (f PostFinder) VisiblePost(c echo.Context) (domain.Post, error) {
	return f.ofPresentAuthor(c, f.PostOfAnyAuthor)
}

// ofPresentAuthor returns the post that find finds, if CheckAuthor admits it.
func (f PostFinder) ofPresentAuthor(c echo.Context,
	find func(echo.Context) (domain.Post, error)) (domain.Post, error) {
	p, err := find(c)
	if err == nil {
		err = f.CheckAuthor(c, p)
	}
	if err != nil {
		return domain.Post{}, err
	}
	return p, nil
}

// CheckAuthor returns ErrNoPost if the post's author is suspended or deleted, unless the viewer is a moderator.
func (f PostFinder) CheckAuthor(c echo.Context, p domain.Post) error {
	viewer, err := f.Site.Viewer(c)
	if err != nil {
		return err
	}
	_, gone, err := f.Author(c.Request().Context(), p, viewer)
	if err == nil && gone && !viewer.Role.MayModerate() {
		err = ErrNoPost
	}
	return err
}

// Author returns a post's author, and whether they are suspended or deleted; the author is then as the post shows them.
// It costs a point read of the user unless the viewer is the author, because a signed-in user is neither.
func (f PostFinder) Author(ctx context.Context, p domain.Post,
	viewer domain.User) (author domain.User, gone bool, err error) {
	if viewer.ID == p.AuthorID {
		return viewer, false, nil
	}
	author, err = f.Site.Users.ByID(ctx, p.AuthorID)
	if domain.Is(err, domain.NotFound) {
		return p.ShownAuthor(), true, nil
	}
	return author, false, err
}

// PostOfAnyAuthor is VisiblePost without CheckAuthor. The caller reads the author.
func (f PostFinder) PostOfAnyAuthor(c echo.Context) (domain.Post, error) {
	p, err := PostAt(c, f.Posts.Get)
	if !domain.Is(err, domain.NotFound) {
		return p, err
	}
	viewer, viewerErr := f.Site.Viewer(c)
	if viewerErr != nil || viewer.ID == "" || !domain.IsID(c.Param("id")) {
		return domain.Post{}, cmp.Or(viewerErr, err)
	}
	hidden, latestErr := f.Posts.Latest(c.Request().Context(), c.Param("id"))
	switch {
	case domain.Is(latestErr, domain.NotFound):
		return domain.Post{}, err
	case latestErr != nil:
		return domain.Post{}, latestErr
	case !hidden.Deleted.IsZero(), hidden.Standing() != domain.Hidden && !hidden.InTrash(),
		viewer.ID != hidden.AuthorID && (!viewer.Role.MayModerate() || hidden.Status == domain.Unpublished):
		return domain.Post{}, err
	}
	return hidden, nil
}

// OwnPost returns the post to its author, whatever its status, and a static page to administrators. Other users get an
// error of kind Forbidden with the text refusal. The author gets domain.ErrInTrash for a post in the trash.
func (f PostFinder) OwnPost(c echo.Context, refusal locale.Message) (domain.Post, error) {
	return f.OwnPostBy(c, refusal, f.Posts.Own)
}

// OwnPostBy is OwnPost with another way to read the post.
func (f PostFinder) OwnPostBy(c echo.Context, refusal locale.Message,
	own func(ctx context.Context, postID, userID string) (domain.Post, error)) (domain.Post, error) {
	author, err := f.Site.AuthorOf(c, c.Param("id"))
	if err != nil {
		return domain.Post{}, err
	}
	if !domain.IsTextID(c.Param("id")) {
		return domain.Post{}, ErrNoPost
	}
	p, err := own(c.Request().Context(), c.Param("id"), author.ID)
	if !domain.Is(err, domain.NotFound) {
		return p, err
	}
	if _, err := f.Post(c); err != nil {
		return domain.Post{}, err
	}
	return domain.Post{}, &domain.Error{Kind: domain.Forbidden, Message: refusal}
}

// Holds returns the holds of the hidden posts in a list, by post id. It reads each hidden post, because the copies in
// lists do not contain the hold. Hidden posts are few.
func (f PostFinder) Holds(ctx context.Context, posts []domain.Summary) (map[string]domain.Hold, error) {
	holds := make(map[string]domain.Hold)
	for _, s := range posts {
		if s.Status != domain.Hidden {
			continue
		}
		p, err := f.Posts.Latest(ctx, s.PostID)
		switch {
		case domain.Is(err, domain.NotFound):
		case err != nil:
			return nil, err
		default:
			holds[s.PostID] = p.Held
		}
	}
	return holds, nil
}

// PostAt returns what get finds of the post whose id is in the address. It does not look up a text that is no id.
func PostAt[T any](c echo.Context, get func(ctx context.Context, postID string) (T, error)) (T, error) {
	var none T
	id := c.Param("id")
	if !domain.IsID(id) {
		return none, ErrNoPost
	}
	found, err := get(c.Request().Context(), id)
	if domain.Is(err, domain.NotFound) {
		return none, ErrNoPost
	}
	return found, err
}

// OpenOrNotFound returns ErrNoPost in place of a post that others cannot open. After a reader has withdrawn a like or
// comment, nothing else of such a post is shown.
func OpenOrNotFound(p domain.Post, err error) (domain.Post, error) {
	if err == nil && !p.Open() {
		return domain.Post{}, ErrNoPost
	}
	return p, err
}
