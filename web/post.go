package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	"inkfeed/views"
)

type postGetter interface {
	Get(ctx context.Context, postID string) (domain.Post, error)
}

// post is the page of a post with its first comments.
type post struct {
	*site
	posts interface {
		postPageReader
		ownPostGetter
		latestGetter
	}
}

type postPageReader interface {
	postGetter
	commentLister
	marksReader
}

func (h post) register(e *echo.Echo) {
	get(e, "/posts/:id", shared(h.show))
	get(e, "/posts/:id/:slug", shared(h.show))
}

func (h post) show(c echo.Context) error {
	p, err := h.findPost(c, h.posts)
	if domain.Is(err, domain.NotFound) && h.unpublished(c) {
		return seeOther(c, "/posts/"+c.Param("id")+"/edit")
	}
	if err != nil {
		return err
	}
	if slug, err := url.PathUnescape(c.Param("slug")); err != nil || slug != domain.Slug(cmp.Or(p.Slug, p.Title)) {
		return h.redirect(c, p)
	}
	return h.renderPost(c, http.StatusOK, h.posts, p, h.freshComment(c, p.ID))
}

// redirect redirects to the post's canonical address. That address contains the title, so once the
// author is suspended the redirect is refused like the page.
func (h post) redirect(c echo.Context, p domain.Post) error {
	viewer, err := h.viewer(c)
	if err != nil {
		return err
	}
	gone, err := h.authorGone(c.Request().Context(), p, viewer)
	if err != nil {
		return err
	}
	if gone && !viewer.Role.MayModerate() {
		return errNoPost
	}
	return moved(c, p.Path())
}

// unpublished tells whether the address is that of a post that the viewer has taken back,
// which its author finds as a draft.
func (h post) unpublished(c echo.Context) bool {
	author, err := h.viewer(c)
	if err != nil || author.ID == "" || !domain.IsID(c.Param("id")) {
		return false
	}
	_, err = h.posts.Own(c.Request().Context(), c.Param("id"), author.ID)
	return err == nil
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

// findPost is getPost for whoever sees a hidden post, too: its author and moderators.
func (s *site) findPost(c echo.Context, posts interface {
	postGetter
	latestGetter
}) (domain.Post, error) {
	p, err := getPost(c, posts)
	if !domain.Is(err, domain.NotFound) {
		return p, err
	}
	viewer, viewerErr := s.viewer(c)
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

// shown is errNoPost for a post that others do not find any more, from which a reader has
// just taken something back: that is gone, and of the post nothing is shown.
func shown(p domain.Post, err error) (domain.Post, error) {
	if err == nil && !p.Open() {
		return domain.Post{}, errNoPost
	}
	return p, err
}

// ownPost is getPost for the post's author, who finds it also when it is unpublished;
// others are refused with those words.
func (s *site) ownPost(c echo.Context, posts interface {
	postGetter
	ownPostGetter
}, refusal string) (domain.Post, error) {
	author, err := s.signedIn(c)
	if err != nil {
		return domain.Post{}, err
	}
	if !domain.IsID(c.Param("id")) {
		return domain.Post{}, errNoPost
	}
	p, err := posts.Own(c.Request().Context(), c.Param("id"), author.ID)
	if !domain.Is(err, domain.NotFound) {
		return p, err
	}
	if _, err := getPost(c, posts); err != nil {
		return domain.Post{}, err
	}
	return domain.Post{}, domain.Errorf(domain.Forbidden, "%s", refusal)
}

var errNoPost = domain.Errorf(domain.NotFound, "There is no such post. Its author may have deleted it, or the link may be mistyped.")

// descriptionLength is about what search engines show, in characters.
const descriptionLength = 155

// renderPost shows a post with its first comments and the form for one more.
func (s *site) renderPost(c echo.Context, status int, posts postPageReader, p domain.Post, form views.CommentForm) error {
	page, err := s.page(c, p.Title)
	if err != nil {
		return err
	}
	ctx, viewer := c.Request().Context(), page.Viewer
	read, err := s.readPost(ctx, posts, &p, viewer)
	if err != nil {
		return err
	}
	text := s.text(p.Content)
	page.Description = text.Excerpt(descriptionLength)
	page.Canonical, page.Next = p.Path(), p.Path()
	page.Article, page.NoIndex = article(p, text), !p.Listed()
	page.Feeds = append(page.Feeds, userFeed(p.AuthorName))
	list := s.commentList(viewer, p, read.comments)
	s.tellWhy(ctx, &list)
	why := ""
	if p.Held == domain.HeldByModerator {
		why = s.hiddenFor(ctx, domain.Target{PostID: p.ID})
	}
	done := ""
	if viewer.Role.MayModerate() {
		done = moderationDone[c.QueryParam("done")]
	}
	return s.render(c, status, views.Post(views.PostPage{Page: page, Post: p, Text: text, HiddenFor: why, Done: done,
		Like:     views.LikeButton{PostID: p.ID, SignedIn: viewer.ID != "", Liked: read.liked},
		LikedBy:  views.LikedBy{PostID: p.ID, Count: p.LikeCount},
		Bookmark: views.BookmarkButton{PostID: p.ID, Bookmarked: read.bookmarked},
		Comments: list, Form: form, ReadOn: read.on,
		Deleted: viewer.ID != "" && isDeleteDone(c)}))
}

// postParts is what a post's page shows besides the post.
type postParts struct {
	comments          domain.Page[domain.Comment]
	liked, bookmarked bool
	on                views.ReadOn
}

// readPost reads all that at once, and the post's author: from the moment at which an account
// is suspended or deleted nobody finds its posts, whatever the workers have still to do. To
// moderators the post says that.
func (s *site) readPost(ctx context.Context, posts postPageReader, p *domain.Post, viewer domain.User) (read postParts, err error) {
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		read.comments, err = posts.Comments(groupCtx, p.ID, 1)
		return err
	})
	group.Go(func() (err error) {
		read.liked, read.bookmarked, err = marks(groupCtx, posts, *p, viewer.ID)
		return err
	})
	group.Go(func() error {
		read.on = s.around.of(groupCtx, s, *p)
		return nil
	})
	gone := false
	group.Go(func() (err error) {
		gone, err = s.authorGone(groupCtx, *p, viewer)
		return err
	})
	if err := group.Wait(); err != nil {
		return read, err
	}
	if gone && !viewer.Role.MayModerate() {
		return read, errNoPost
	}
	p.AuthorSuspended = p.AuthorSuspended || gone
	return read, nil
}

// authorGone reports whether a post's author is suspended or deleted. It costs a point read of the
// user unless the viewer is the author, because a signed-in user is neither.
func (s *site) authorGone(ctx context.Context, p domain.Post, viewer domain.User) (bool, error) {
	if viewer.ID == p.AuthorID {
		return false, nil
	}
	_, err := s.users.ByID(ctx, p.AuthorID)
	if domain.Is(err, domain.NotFound) {
		return true, nil
	}
	return false, err
}
