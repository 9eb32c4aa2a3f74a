package comments

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	view "inkfeed/views/comments"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// commentNew takes comments, on the post and on other comments.
type commentNew struct {
	handler
	renderPost site.PostRenderer
}

func (h commentNew) register(e *echo.Echo) {
	e.POST("/posts/:id/comments", h.submit)
}

// submit publishes a comment. It shows the form again
//   - with 422 if the text is empty or too long (domain.NewComment), or looks automated (botcheck.Checker.Check),
//   - with 409 if the comment that it replies to was deleted,
//   - with 401, 413, 429 or 503 as site.FormErrors decides,
//   - with 403 if the post's author has blocked the user (site.ResponsePolicy), and
//   - with 404 if the post was deleted.
//
// The log says why, at the debug level.
func (h commentNew) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if sent == nil {
		return err
	}
	tooLarge := err
	postID := c.Param("id")
	if !domain.IsID(postID) {
		return site.ErrNoPost
	}
	back := views.CommentForm{PostID: postID, Attempt: site.AttemptID(sent), Content: sent.Get("content")}
	if id := sent.Get("parent"); domain.IsID(id) {
		back.Parent = id
	}
	parent, err := h.parent(c, sent.Get("parent"))
	viewer, _ := h.Viewer(c)
	stamp, caught := h.WritingCheck.CheckFor(viewer, sent)
	back.FormToken = stamp
	if err == nil {
		err = cmp.Or(tooLarge, caught)
	}
	var comment domain.Comment
	var p domain.Post
	if err == nil {
		comment, p, err = h.add(c, parent, sent)
	}
	if domain.Is(err, domain.Conflict) {
		// What was to be a reply may become a comment of its own.
		back.Parent, parent = "", nil
		err = domain.Errorf(domain.Conflict, "The comment you are replying to was deleted. "+
			"Send your text again to publish it as a separate comment.")
	}
	if parent != nil {
		back.ParentName = parent.AuthorName
	}
	if complaints, status, ok := h.FormErrors(c, err); ok {
		back.FormErrors = complaints
		return h.again(c, status, parent, back)
	}
	if domain.Is(err, domain.NotFound) {
		return h.lost(c, back)
	}
	if domain.Is(err, domain.Forbidden) {
		return h.refused(c, back, domain.Reason(err))
	}
	switch {
	case err != nil:
		return err
	case !site.IsFragment(c):
		return h.redirectToComment(c, p, comment)
	case parent != nil:
		c.Response().Header().Set("HX-Reswap", "delete") // the form, which nothing takes the place of
		return h.RenderForm(c, http.StatusOK, view.ReplyAdded(h.comments.Comment(comment.AuthorID, comment),
			p.CommentCount))
	}
	return h.RenderForm(c, http.StatusOK, view.CommentAdded(h.comments.Comment(comment.AuthorID, comment),
		p.CommentCount,
		h.NewCommentForm(c, p.ID)))
}

// parent is the comment that is answered, nil for the post itself.
func (h commentNew) parent(c echo.Context, id string) (*domain.Comment, error) {
	if id == "" {
		return nil, nil
	}
	gone := domain.Errorf(domain.Conflict, "gone")
	if !domain.IsID(id) {
		return nil, gone
	}
	parent, err := h.store.Posts.Comment(c.Request().Context(), c.Param("id"), id)
	if domain.Is(err, domain.NotFound) {
		return nil, gone
	}
	if err == nil && parent.Hidden() { // nobody answers it, nor is it quoted
		return nil, gone
	}
	return &parent, err
}

func (h commentNew) add(c echo.Context, parent *domain.Comment, sent url.Values) (domain.Comment, domain.Post, error) {
	author, err := h.SignedIn(c)
	if err != nil {
		return domain.Comment{}, domain.Post{}, err
	}
	comment, err := newComment(author, c.Param("id"), parent, sent.Get("content"))
	if err != nil {
		return domain.Comment{}, domain.Post{}, err
	}
	if err := h.Limiter.Allow(c.Request().Context(), ratelimit.Comment, author.ID); err != nil {
		return domain.Comment{}, domain.Post{}, err
	}
	if err := h.policy.Check(c, author); err != nil {
		return domain.Comment{}, domain.Post{}, err
	}
	comment.ID = domain.AttemptID(sent.Get("attempt"), author.ID, comment.PostID, comment.Content)
	if comment.Held, err = h.Screening.Comment(c.Request().Context(), author, "", comment.Content,
		time.Now()); err != nil {
		return domain.Comment{}, domain.Post{}, err
	}
	p, err := h.store.Posts.AddComment(c.Request().Context(), comment)
	return comment, p, err
}

func newComment(author domain.User, postID string, parent *domain.Comment, content string) (domain.Comment, error) {
	if parent != nil {
		return domain.NewReply(author, *parent, content, time.Now())
	}
	return domain.NewComment(author, postID, content, time.Now())
}

// again brings the form back to be mended, without JavaScript on the whole page
// that it stands on.
func (h commentNew) again(c echo.Context, status int, parent *domain.Comment, form views.CommentForm) error {
	if site.IsFragment(c) {
		return h.RenderForm(c, status, view.CommentFormFragment(form))
	}
	p, err := h.finder.Post(c)
	if domain.Is(err, domain.NotFound) {
		return h.lost(c, form)
	}
	switch {
	case err != nil:
	case parent != nil:
		err = h.renderReply(c, status, p, *parent, form)
	default:
		err = h.renderPost(c, status, p, form)
	}
	if domain.Is(err, domain.Unavailable) { // the page cannot be made, but the text can be given back
		return h.RenderForm(c, status, view.UnsavedComment(view.UnsavedCommentPage{
			Page: h.FallbackLayout(c,
				"Your comment was not published"), Problem: form.FormErrors.Summary, Content: form.Content}))
	}
	return err
}

// lost gives back a comment whose post is gone, without JavaScript on a page of
// its own.
func (h commentNew) lost(c echo.Context, form views.CommentForm) error {
	if strings.TrimSpace(form.Content) == "" {
		return site.ErrNoPost
	}
	if site.IsFragment(c) {
		form.FormErrors = views.FormErrors{Summary: view.PostGone}
		return h.RenderForm(c, http.StatusNotFound, view.CommentFormFragment(form))
	}
	return h.RenderForm(c, http.StatusNotFound, view.UnsavedComment(view.UnsavedCommentPage{
		Page: h.FallbackLayout(c, "Post not found"), Problem: view.PostGone, Content: form.Content}))
}

// refused gives back a comment that the author of the post does not take.
func (h commentNew) refused(c echo.Context, form views.CommentForm, why string) error {
	if site.IsFragment(c) {
		form.FormErrors = views.FormErrors{Summary: why}
		return h.RenderForm(c, http.StatusForbidden, view.CommentFormFragment(form))
	}
	return h.RenderForm(c, http.StatusForbidden, view.UnsavedComment(view.UnsavedCommentPage{
		Page: h.FallbackLayout(c, "Your comment was not published"), Problem: why, Content: form.Content}))
}
