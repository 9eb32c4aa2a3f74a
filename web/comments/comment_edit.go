package comments

import (
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
	view "inkfeed/views/comments"
	"inkfeed/web/site"
)

// commentEdit edits a user's own comment.
type commentEdit struct{ handler }

func (h commentEdit) register(e *echo.Echo) {
	site.Get(e, "/posts/:id/comments/:comment/edit", h.show)
	e.POST("/posts/:id/comments/:comment/edit", h.submit)
}

var editCommentRefusal = locale.M("You can only edit your own comments.")

func (h commentEdit) show(c echo.Context) error {
	author, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	p, err := h.finder.Post(c)
	if err != nil {
		return err
	}
	comment, err := h.ownComment(c, editCommentRefusal)
	if err != nil {
		return err
	}
	if err := h.mayEdit(c, author); err != nil {
		return err
	}
	return h.form(c, http.StatusOK, p, view.CommentEditForm{Comment: h.own(c, comment),
		UserID: author.ID, BasedOn: versionOf(comment), Content: comment.Content})
}

// versionOf returns the version of a comment, for the form to detect conflicts.
func versionOf(c domain.Comment) string {
	if c.Edited.IsZero() {
		return ""
	}
	return c.Edited.UTC().Format(time.RFC3339Nano)
}

func (h commentEdit) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if sent == nil {
		return err
	}
	postID, id := c.Param("id"), c.Param("comment")
	if !domain.IsID(postID) {
		return site.ErrNoPost
	}
	if !domain.IsID(id) {
		return site.ErrNoComment
	}
	var comment domain.Comment
	recounted := false
	if err == nil {
		comment, recounted, err = h.edit(c, sent)
	}
	if errs, status, ok := h.FormErrors(c, err); ok {
		return h.redisplay(c, status, errs, sent)
	}
	switch {
	case domain.Is(err, domain.NotFound):
		return h.renderUnsaved(c, sent, http.StatusNotFound, site.T(c, "Comment not found"), view.CommentGone())
	case domain.Is(err, domain.Forbidden):
		return h.renderUnsaved(c, sent, http.StatusForbidden, site.T(c, "Your comment was not saved"),
			domain.Reason(err))
	case err != nil:
		return err
	}
	if site.IsFragment(c) && !recounted {
		return h.RenderForm(c, http.StatusOK, view.CommentEdited(h.own(c, comment), nil))
	}
	p, err := h.finder.Post(c)
	switch {
	case err != nil: // the post may have been unpublished meanwhile
		return h.RedirectStored(c, views.CommentPath(postID, id), err)
	case site.IsFragment(c):
		return h.RenderForm(c, http.StatusOK, view.CommentEdited(h.own(c, comment), &p.CommentCount))
	}
	return h.redirectToComment(c, p, comment)
}

// edit publishes an edit. Recounted reports that the edit may have changed the post's number of comments, because it
// held the comment or ended its review.
func (h commentEdit) edit(c echo.Context, sent url.Values) (edited domain.Comment, recounted bool, err error) {
	author, err := h.Sender(c, sent)
	if err != nil {
		return domain.Comment{}, false, err
	}
	began := domain.Comment{PostID: c.Param("id"), ID: c.Param("comment")}
	if version := sent.Get("began"); version != "" {
		// An invalid version counts as outdated.
		if began.Edited, err = time.Parse(time.RFC3339Nano, version); err != nil {
			began.Edited = time.Unix(0, 0)
		}
	}
	e, err := domain.NewCommentEdit(began, sent.Get("content"), time.Now())
	if err != nil {
		return domain.Comment{}, false, err
	}
	if err := h.mayEdit(c, author); err != nil {
		return domain.Comment{}, false, err
	}
	if err := h.examine(c, author, &e); err != nil {
		return domain.Comment{}, false, err
	}
	edited, err = h.store.Posts.EditComment(c.Request().Context(), e, author.ID)
	return edited, edited.Hidden() || e.Held == domain.ReviewOver, err
}

// mayEdit returns a Forbidden error if the user could not write a new comment on the post now: an
// edit can add new text as well. Deleting is always possible.
func (h commentEdit) mayEdit(c echo.Context, author domain.User) error {
	p, err := h.finder.Post(c)
	if err == nil && p.CommentsClosed {
		err = domain.NewError(domain.Forbidden, "Comments are closed. You can't edit comments on this post any more.")
	}
	if err != nil {
		return err
	}
	return h.policy.Check(c, author)
}

// examine decides whether an edit is held for review, and sets its mentions. If the comment has changed since the edit
// began, the current text is no base for that, and the edit will fail with Conflict.
func (h commentEdit) examine(c echo.Context, author domain.User, e *domain.CommentEdit) error {
	current, err := site.CommentAt(c, h.store.Posts.Comment)
	if err != nil {
		return err
	}
	if !current.Edited.Equal(e.Began) {
		current = domain.Comment{}
	}
	ctx := c.Request().Context()
	if e.Held, err = h.Screening.Comment(ctx, author, current, e.Content, time.Now()); err != nil {
		return err
	}
	mentions, err := h.Mentions(ctx, e.Content)
	e.Mentions = current.Mentions.Edited(mentions)
	return err
}

// redisplay shows the form again with its errors. After a conflict it also shows the saved text,
// and the form then begins from that version.
func (h commentEdit) redisplay(c echo.Context, status int, errs views.FormErrors, sent url.Values) error {
	back := view.CommentEditForm{UserID: sent.Get("user"), BasedOn: sent.Get("began"), Content: sent.Get("content"),
		FormErrors: errs,
		Comment:    views.Comment{Comment: domain.Comment{PostID: c.Param("id"), ID: c.Param("comment")}}}
	if status == http.StatusConflict {
		saved, err := h.ownComment(c, editCommentRefusal)
		if domain.Is(err, domain.NotFound) {
			return h.renderUnsaved(c, sent, http.StatusNotFound, site.T(c, "Comment not found"), view.CommentGone())
		}
		if err != nil {
			return err
		}
		back.FormErrors.Summary = locale.M("You changed this comment in another tab or on another device. Save again " +
			"to replace that version.")
		back.BasedOn, back.Saved = versionOf(saved), saved.Content
	}
	return h.form(c, status, domain.Post{ID: c.Param("id")}, back)
}

// form writes the form, for htmx in place of the comment. It reads the post if only the id is
// known.
func (h commentEdit) form(c echo.Context, status int, p domain.Post, f view.CommentEditForm) error {
	if site.IsFragment(c) {
		return h.RenderForm(c, status, view.CommentEditFragment(f))
	}
	if p.AuthorID == "" {
		var err error
		p, err = h.finder.Post(c)
		// 404 would say that the edit was not stored. After a failure of the storage, that is unknown.
		unknown := status == http.StatusServiceUnavailable && domain.Is(err, domain.NotFound)
		if err != nil && !unknown && !domain.Is(err, domain.Unavailable) {
			return err
		}
		p.ID = c.Param("id")
	}
	return h.RenderForm(c, status, view.CommentEdit(view.CommentEditPage{
		LayoutData: h.FallbackLayout(c, site.T(c, "Edit your comment")), Post: p, Form: f}))
}

// renderUnsaved returns the user's text when the comment was deleted or may not be changed.
func (h commentEdit) renderUnsaved(c echo.Context, sent url.Values, status int, title string,
	problem locale.Message) error {
	if site.IsFragment(c) {
		return h.RenderForm(c, status, view.CommentEditFragment(view.CommentEditForm{
			Comment: views.Comment{Comment: domain.Comment{PostID: c.Param("id"), ID: c.Param("comment")}},
			Content: sent.Get("content"), FormErrors: views.FormErrors{Summary: problem}}))
	}
	return h.RenderForm(c, status, view.UnsavedComment(view.UnsavedCommentPage{
		LayoutData: h.FallbackLayout(c, title), Problem: problem, Content: sent.Get("content")}))
}
