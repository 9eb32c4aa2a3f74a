package comments

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/views"
	view "inkfeed/views/comments"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// commentNew adds comments and replies.
type commentNew struct {
	handler
	renderPost site.PostRenderer
}

func (h commentNew) register(e *echo.Echo) {
	e.POST("/posts/:id/comments", h.submit)
}

// submit publishes a comment. The first of these checks that fails shows the form again, with its status:
//  1. 413: the form is too large.
//  2. 409: the comment that it replies to was deleted or hidden. The same for a form whose own comment was deleted.
//  3. 401: the user is not signed in, or the session has expired. 403: another user is signed in (site.CheckSender).
//  4. 422: the user's account is new, and the form looks automated (botcheck.NewAccountChecker).
//  5. 422: the text is empty or too long (domain.NewComment).
//  6. 429: the user comments too often.
//  7. 404: the post was deleted. 403: its author has blocked the user, or has closed the comments
//     (site.ResponsePolicy).
//
// While the storage is unavailable, the form comes back with 503. The log names the reason of each of these answers
// except those of number 7; all but that of 503 need --log-level debug.
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
	back := views.CommentForm{PostID: postID, UserID: sent.Get("user"), Attempt: site.AttemptID(sent),
		Content: sent.Get("content")}
	if id := sent.Get("parent"); domain.IsID(id) {
		back.Parent = id
	}
	parent, parentErr := h.parent(c, sent.Get("parent"))
	author, senderErr := h.Sender(c, sent)
	if senderErr != nil { // the form keeps its token for its own user
		author = domain.User{}
	}
	token, hasty, botErr := h.WritingCheck.CheckUser(author, sent)
	author.Hasty = author.Hasty || hasty
	back.FormToken = token
	err = cmp.Or(tooLarge, parentErr, senderErr, botErr)
	var comment domain.Comment
	var p domain.Post
	if err == nil {
		comment, p, err = h.add(c, author, parent, sent)
	}
	switch {
	case errors.Is(err, domain.ErrCommentDeleted):
		back.Attempt = domain.NewID()
	case domain.Is(err, domain.Conflict):
		// The reply can be published as a separate comment.
		back.Parent, parent = "", nil
		err = domain.NewError(domain.Conflict, "The comment you are replying to was deleted. "+
			"Send your text again to publish it as a separate comment.")
	}
	if parent != nil {
		back.ParentName = parent.AuthorName
	}
	if errs, status, ok := h.FormErrors(c, err); ok {
		back.FormErrors = errs
		return h.redisplay(c, status, parent, back)
	}
	if domain.Is(err, domain.NotFound) {
		return h.renderUnsaved(c, back)
	}
	if domain.Is(err, domain.Forbidden) {
		return h.renderRefused(c, back, domain.Reason(err))
	}
	if err != nil {
		return err
	}
	return h.answer(c, p, comment, parent != nil)
}

// answer shows a published comment: on its page, or in place for htmx.
func (h commentNew) answer(c echo.Context, p domain.Post, comment domain.Comment, isReply bool) error {
	switch {
	case !site.IsFragment(c):
		return h.redirectToComment(c, p, comment)
	case isReply:
		c.Response().Header().Set("HX-Reswap", "delete") // removes the form
		return h.RenderForm(c, http.StatusOK, view.ReplyAdded(h.own(c, comment), p.CommentCount))
	}
	return h.RenderForm(c, http.StatusOK, view.CommentAdded(h.own(c, comment), p.CommentCount,
		h.NewCommentForm(c, p.ID)))
}

// parent returns the comment to reply to, or nil for a comment on the post. It fails with Conflict
// if that comment was deleted or hidden.
func (h commentNew) parent(c echo.Context, id string) (*domain.Comment, error) {
	if id == "" {
		return nil, nil
	}
	gone := domain.NewError(domain.Conflict, "gone")
	if !domain.IsID(id) {
		return nil, gone
	}
	parent, err := h.store.Posts.Comment(c.Request().Context(), c.Param("id"), id)
	if domain.Is(err, domain.NotFound) {
		return nil, gone
	}
	if err != nil {
		return nil, err
	}
	if parent.Hidden() { // hidden comments cannot be replied to or quoted
		return nil, gone
	}
	return &parent, nil
}

func (h commentNew) add(c echo.Context, author domain.User, parent *domain.Comment,
	sent url.Values) (domain.Comment, domain.Post, error) {
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
	if comment.Held, err = h.Screening.Comment(c.Request().Context(), author, domain.Comment{}, comment.Content,
		time.Now()); err != nil {
		return domain.Comment{}, domain.Post{}, err
	}
	if comment.Mentions, err = h.Mentions(c.Request().Context(), comment.Content); err != nil {
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

// redisplay shows the form again with its errors, without htmx on the whole page that contains it.
func (h commentNew) redisplay(c echo.Context, status int, parent *domain.Comment, form views.CommentForm) error {
	if site.IsFragment(c) {
		return h.RenderForm(c, status, view.CommentFormFragment(form))
	}
	var p domain.Post
	_, err := h.Viewer(c)
	if err == nil {
		p, err = h.finder.Post(c)
	}
	gone := domain.Is(err, domain.NotFound)
	// 404 would say that the comment does not exist. After a failure of the storage, that is unknown.
	if gone && status != http.StatusServiceUnavailable {
		return h.renderUnsaved(c, form)
	}
	switch {
	case err != nil:
	case parent != nil:
		err = h.renderReply(c, status, p, *parent, form)
	default:
		err = h.renderPost(c, status, p, form)
	}
	// If there is no page, show the text alone.
	if gone || domain.Is(err, domain.Unavailable) || domain.Is(err, domain.TooMany) {
		return h.RenderForm(c, status, view.UnsavedComment(view.UnsavedCommentPage{
			LayoutData: h.FallbackLayout(c, site.T(c, "Your comment was not published")),
			Problem:    form.FormErrors.Summary, Content: form.Content}))
	}
	return err
}

// renderUnsaved returns the text of a comment whose post was deleted, without htmx on a page of its
// own.
func (h commentNew) renderUnsaved(c echo.Context, form views.CommentForm) error {
	if !plaintext.Shown(form.Content) {
		return site.ErrNoPost
	}
	if site.IsFragment(c) {
		form.FormErrors = views.FormErrors{Summary: view.PostGone()}
		return h.RenderForm(c, http.StatusNotFound, view.CommentFormFragment(form))
	}
	return h.RenderForm(c, http.StatusNotFound, view.UnsavedComment(view.UnsavedCommentPage{
		LayoutData: h.FallbackLayout(c, site.T(c, "Post not found")), Problem: view.PostGone(), Content: form.Content}))
}

// renderRefused returns the text of a comment that the post's author does not accept.
func (h commentNew) renderRefused(c echo.Context, form views.CommentForm, why locale.Message) error {
	if site.IsFragment(c) {
		form.FormErrors = views.FormErrors{Summary: why}
		return h.RenderForm(c, http.StatusForbidden, view.CommentFormFragment(form))
	}
	return h.RenderForm(c, http.StatusForbidden, view.UnsavedComment(view.UnsavedCommentPage{
		LayoutData: h.FallbackLayout(c, site.T(c, "Your comment was not published")),
		Problem:    why, Content: form.Content}))
}
