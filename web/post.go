package web

import (
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type postGetter interface {
	Get(ctx context.Context, postID string) (domain.Post, error)
}

type likeChecker interface {
	Liked(ctx context.Context, postID, userID string) (bool, error)
}

// post is the page of a post with its first comments.
type post struct {
	*site
	posts postPageReader
}

type postPageReader interface {
	postGetter
	commentLister
	likeChecker
}

func (h post) register(e *echo.Echo) {
	get(e, "/posts/:id", h.show)
	get(e, "/posts/:id/:slug", h.show)
}

func (h post) show(c echo.Context) error {
	p, err := getPost(c, h.posts)
	if err != nil {
		return err
	}
	if slug, err := url.PathUnescape(c.Param("slug")); err != nil || slug != domain.Slug(p.Title) {
		return moved(c, p.Path())
	}
	return h.renderPost(c, http.StatusOK, h.posts, p, views.CommentForm{PostID: p.ID, Attempt: domain.NewID()})
}

// getPost gets the post that the address names. What has not the form of an id
// is not looked up.
func getPost(c echo.Context, posts postGetter) (domain.Post, error) {
	id := c.Param("id")
	if !domain.IsID(id) {
		return domain.Post{}, errNoPost
	}
	p, err := posts.Get(c.Request().Context(), id)
	if domain.Is(err, domain.NotFound) {
		return domain.Post{}, errNoPost
	}
	return p, err
}

// ownPost is getPost for the post's author; others are refused with those words.
func (s *site) ownPost(c echo.Context, posts postGetter, refusal string) (domain.Post, error) {
	author, err := s.signedIn(c)
	if err != nil {
		return domain.Post{}, err
	}
	p, err := getPost(c, posts)
	if err == nil && p.AuthorID != author.ID {
		err = domain.Errorf(domain.Forbidden, "%s", refusal)
	}
	return p, err
}

var errNoPost = domain.Errorf(domain.NotFound, "There is no such post. Its author may have deleted it, or the address is mistyped.")

// descriptionLength is about what search engines show, in characters.
const descriptionLength = 155

// renderPost shows a post with its first comments and the form for one more.
func (s *site) renderPost(c echo.Context, status int, posts postPageReader, p domain.Post, form views.CommentForm) error {
	page, err := s.page(c, p.Title)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	comments, err := posts.Comments(ctx, p.ID, 1)
	if err != nil {
		return err
	}
	button := views.LikeButton{PostID: p.ID, Count: p.LikeCount}
	if viewer := page.Viewer; viewer.ID != "" {
		button.SignedIn = true
		if button.Liked, err = posts.Liked(ctx, p.ID, viewer.ID); err != nil {
			return err
		}
	}
	page.Description = s.markdown.Text(p.Content, descriptionLength)
	page.Canonical, page.Next = p.Path(), p.Path()
	return s.render(c, status, views.Post(views.PostPage{Page: page, Post: p, HTML: s.html(p.Content),
		Like: button, Comments: s.commentList(page.Viewer.ID, p.ID, comments), Form: form,
		Deleted: page.Viewer.ID != "" && isDeleteDone(c)}))
}
