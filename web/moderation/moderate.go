package moderation

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
	view "inkfeed/views/moderation"
	"inkfeed/web/site"
)

// moderate lets moderators review one post or comment and decide about it. The decision is stored
// first, on the condition that no other moderator has decided in the meantime. Then its
// consequences are carried out and recorded in the audit log. Repeating a request completes an
// interrupted one.
type moderate struct{ moderation }

func (h moderate) register(e *echo.Echo) {
	for _, path := range []string{"/posts/:id/moderate", "/posts/:id/comments/:comment/moderate"} {
		site.Get(e, path, h.show)
		e.POST(path, h.submit)
	}
}

// target returns the post or comment in the address.
func (h moderate) target(c echo.Context, viewer domain.User) (reviewItem, error) {
	target := domain.Target{PostID: c.Param("id"), CommentID: c.Param("comment")}
	if !target.Valid() {
		return reviewItem{}, site.ErrNoPost
	}
	known, err := h.store.Reports.Of(c.Request().Context(), target)
	if err != nil {
		return reviewItem{}, err
	}
	m, err := h.readItem(c.Request().Context(), viewer, known)
	if err == nil && m.Deleted && known.Version == 0 {
		err = site.ErrNoPost // which never existed
	}
	return m, err
}

func (h moderate) show(c echo.Context) error {
	viewer, err := h.Moderator(c)
	if err != nil {
		return err
	}
	m, err := h.target(c, viewer)
	if err != nil {
		return err
	}
	return h.showTarget(c, http.StatusOK, viewer, m,
		view.ModeratePage{Done: site.ModerationDone(c, viewer, m.Reported, "")})
}

func (h moderate) showTarget(c echo.Context, status int, viewer domain.User, m reviewItem,
	page view.ModeratePage) error {
	title := site.T(c, "Moderate a post")
	if m.CommentID != "" {
		title = site.T(c, "Moderate a comment")
	}
	if m.Content != "" {
		usernames, err := h.Usernames(c.Request().Context(), m.Mentions)
		if err != nil {
			return err
		}
		m.HTML = site.TableBoxes.Replace(h.Markdown.Mentioning(m.Mentions, usernames).CommentHTML(m.Content))
	}
	page.LayoutData, page.Item = h.FallbackLayout(c, title), m.Item
	if m.author.ID != "" && m.author.Suspended.IsZero() {
		page.MaySuspend = domain.MaySuspend(viewer, m.author) == nil
	}
	if !m.author.Suspended.IsZero() {
		page.SuspensionReason = m.author.SuspendedFor
	}
	return h.RenderForm(c, status, view.Moderate(page))
}

func (h moderate) submit(c echo.Context) error {
	sent, viewer, err := site.ReadForm(c, h.Moderator)
	if err != nil {
		return err
	}
	m, err := h.target(c, viewer)
	if err == site.ErrNoPost && sent.Get("do") == site.DoDismiss {
		return h.removeLeftover(c, sent)
	}
	if err != nil {
		return err
	}
	err = h.carryOut(c.Request().Context(), viewer, m, sent)
	if site.IsFragment(c) && m.CommentID != "" { // htmx replaces the comment, or leaves it after an error
		if domain.Is(err, domain.Invalid) { // there is no room for an error beside the field
			err = &domain.Error{Kind: domain.Invalid, Message: domain.Reason(err)}
		}
		if err != nil {
			return err
		}
		return h.renderDecided(c, viewer, m.Target)
	}
	if errs, status, ok := h.FormErrors(c, err); ok {
		if m, err = h.target(c, viewer); err != nil { // its current state
			return err
		}
		if status == http.StatusConflict && !m.Reported.At.IsZero() && m.DecidedBy != "" &&
			m.DecidedBy != viewer.Username {
			errs.Summary = locale.M("{user} has already handled this. Please review it again.", "user", "@"+m.DecidedBy)
		}
		return h.showTarget(c, status, viewer, m, view.ModeratePage{Reason: sent.Get("reason"),
			Message: sent.Get("words"), Why: sent.Get("why"), FormErrors: errs})
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, pathAfter(sent.Get("back"), m.Item, views.ModeratePath(m.Target), sent.Get("do")))
}

// removeLeftover removes an entry of the review queue whose text is gone and has no reports.
func (h moderate) removeLeftover(c echo.Context, sent url.Values) error {
	target := domain.Target{PostID: c.Param("id"), CommentID: c.Param("comment")}
	if !target.Valid() {
		return site.ErrNoPost
	}
	if err := h.store.Reviews.Done(c.Request().Context(), target); err != nil {
		return err
	}
	return site.SeeOther(c, pathAfter(sent.Get("back"), view.Item{}, "/moderation", site.DoDismiss))
}

// renderDecided writes the comment after a decision, for htmx.
func (h moderate) renderDecided(c echo.Context, viewer domain.User, target domain.Target) error {
	p, err := h.store.Posts.Latest(c.Request().Context(), target.PostID)
	var after domain.Comment
	if err == nil {
		after, err = h.store.Posts.Comment(c.Request().Context(), target.PostID, target.CommentID)
	}
	if domain.Is(err, domain.NotFound) {
		return err // deleted meanwhile
	}
	if err != nil {
		return h.RedirectStored(c, views.CommentPath(target.PostID, target.CommentID), err)
	}
	list, err := h.comments.List(c.Request().Context(), viewer, p,
		domain.ListPage[domain.Comment]{Items: []domain.Comment{after}})
	if err != nil {
		return h.RedirectStored(c, views.CommentPath(target.PostID, target.CommentID), err)
	}
	if len(list.Items) == 0 {
		return site.ErrNoComment
	}
	return h.Render(c, http.StatusOK, views.CommentHidden(list.Items[0], list, p.CommentCount))
}

// pathAfter returns the address to go to after a decision about an item: the queue, if the decision was made there.
// After hiding, that page offers to undo it.
func pathAfter(back string, m view.Item, otherwise, done string) string {
	to := site.SafeNext(back)
	if to == "" {
		to = otherwise
	}
	u, err := url.Parse(to)
	if err != nil {
		return otherwise
	}
	q := u.Query()
	q.Set("done", done)
	q.Del("page") // the page may no longer exist
	q.Del(site.UndoParameter)
	if done == site.DoHide {
		q.Set(site.UndoParameter, m.ID())
	}
	u.RawQuery = q.Encode()
	return u.String()
}
