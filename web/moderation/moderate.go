package moderation

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
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
	if err == nil && m.Gone && known.Version == 0 {
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
		view.ModeratePage{Done: site.ModerationMessages[c.QueryParam("done")]})
}

func (h moderate) showTarget(c echo.Context, status int, viewer domain.User, m reviewItem,
	page view.ModeratePage) error {
	title := "Moderate a post"
	if m.CommentID != "" {
		title = "Moderate a comment"
	}
	if m.Content != "" {
		m.HTML = site.TableBoxes.Replace(h.Markdown.CommentHTML(m.Content))
	}
	page.Page, page.Moderated = h.FallbackLayout(c, title), m.Moderated
	if m.author.ID != "" && m.author.Suspended.IsZero() {
		page.Suspend = domain.MaySuspend(viewer, m.author) == nil
	}
	if !m.author.Suspended.IsZero() {
		page.Suspended = m.author.SuspendedFor
	}
	return h.RenderForm(c, status, view.Moderate(page))
}

func (h moderate) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	viewer, err := h.Moderator(c)
	if err != nil {
		return err
	}
	m, err := h.target(c, viewer)
	if err != nil {
		return err
	}
	err = h.carryOut(c.Request().Context(), viewer, m, sent)
	if site.IsFragment(c) && m.CommentID != "" { // htmx replaces the comment, or leaves it after an error
		if err != nil {
			return err
		}
		return h.renderDecided(c, viewer, m.Target)
	}
	if complaints, status, ok := h.FormErrors(c, err); ok {
		if m, err = h.target(c, viewer); err != nil { // its current state
			return err
		}
		if status == http.StatusConflict && !m.Reported.At.IsZero() && m.By != "" && m.By != viewer.Username {
			complaints.Summary = "@" + m.By + " has already handled this. Please review it again."
		}
		return h.showTarget(c, status, viewer, m, view.ModeratePage{Reason: sent.Get("reason"),
			Words: sent.Get("words"), FormErrors: complaints})
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, pathAfter(sent.Get("back"), views.ModeratePath(m.Target), sent.Get("do")))
}

// renderDecided writes the comment after a decision, for htmx.
func (h moderate) renderDecided(c echo.Context, viewer domain.User, target domain.Target) error {
	p, err := h.store.Posts.Latest(c.Request().Context(), target.PostID)
	if err != nil {
		return err
	}
	after, err := h.store.Posts.Comment(c.Request().Context(), target.PostID, target.CommentID)
	if err != nil {
		return err
	}
	list := h.comments.List(viewer, p, domain.Page[domain.Comment]{Items: []domain.Comment{after}})
	if len(list.Items) == 0 {
		return site.ErrNoComment
	}
	return h.Render(c, http.StatusOK, views.CommentHidden(list.Items[0], list, p.CommentCount))
}

// pathAfter returns the address to go to after a decision: the queue, if the decision was made
// there.
func pathAfter(back, otherwise, done string) string {
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
	u.RawQuery = q.Encode()
	return u.String()
}

var errNoDecision = domain.Errorf(domain.Invalid, "Choose an action.")

func (h moderate) carryOut(ctx context.Context, viewer domain.User, m reviewItem, sent url.Values) error {
	now := time.Now()
	if sent.Get("do") == site.DoSuspend {
		return h.suspend(ctx, viewer, m, sent.Get("reason"), now)
	}
	if err := domain.MayDecide(viewer, m.author); err != nil {
		return err
	}
	version, err := m.version(sent, viewer)
	if err != nil {
		return err
	}
	switch do := sent.Get("do"); do {
	case site.DoDismiss:
		return h.decide(ctx, viewer, m, version, domain.DecisionDismissed, domain.AuditDismissReports, "", now, nil)
	case site.DoHide:
		if m.Gone {
			return site.ErrNoPost
		}
		why, err := domain.HidingReason(sent.Get("why"), sent.Get("words"))
		if err != nil {
			return err
		}
		return h.decide(ctx, viewer, m, version, domain.DecisionHidden,
			m.audited(domain.AuditHidePost, domain.AuditHideComment), why, now, h.hide)
	case site.DoRestore, site.DoApprove:
		if m.Gone {
			return site.ErrNoPost
		}
		if sent.Get("text") != m.TextVersion() {
			return domain.ErrEdited()
		}
		action, follow := m.audited(domain.AuditShowPost, domain.AuditShowComment), h.release
		if do == site.DoApprove {
			action, follow = m.audited(domain.AuditApprovePost, domain.AuditApproveComment), h.approve
		}
		return h.decide(ctx, viewer, m, version, domain.DecisionDismissed, action, "", now, follow)
	}
	return errNoDecision
}

// version returns the version that the moderator has seen. Below the text itself, the form contains
// only how the text was held. If that has not changed, the decision applies to the current version.
func (m reviewItem) version(sent url.Values, viewer domain.User) (int, error) {
	known := m.Reported
	switch {
	case !sent.Has("seen"):
		version, err := strconv.Atoi(sent.Get("version"))
		if err != nil {
			version = -1 // matches no version
		}
		return version, nil
	case domain.Hold(sent.Get("seen")) == m.Held:
		return known.Version, nil
	case known.By == viewer.ID: // perhaps the same decision, sent again
		return known.Version - 1, nil
	}
	return 0, domain.Errorf(domain.Conflict, "Another moderator has already handled this. Please review it again.")
}

func (m reviewItem) audited(post, comment domain.AuditAction) domain.AuditAction {
	if m.CommentID != "" {
		return comment
	}
	return post
}

// decide stores a decision, carries out its consequences and removes the item from the review
// queue.
func (h moderate) decide(ctx context.Context, viewer domain.User, m reviewItem, version int, d domain.Decision,
	action domain.AuditAction, why string,
	now time.Time, follow func(context.Context, reviewItem) error) error {
	known := m.Reported
	if known.Decision != d || known.By != viewer.ID ||
		known.Version != version+1 { // otherwise this request repeats the viewer's own decision
		if _, err := h.store.Reports.Decide(ctx, m.Target, version, d, viewer.ID, why, now); err != nil {
			return err
		}
	}
	if follow != nil {
		if err := follow(ctx, m); err != nil {
			return err
		}
	}
	if m.Gone || follow != nil || m.Held != domain.HeldForReview {
		if err := h.store.Reviews.Done(ctx, m.Target); err != nil {
			return err
		}
	}
	e := m.entry(viewer, action, now)
	e.Reason = why
	return h.store.Audit.Record(ctx, e)
}

func (m reviewItem) entry(viewer domain.User, action domain.AuditAction, now time.Time) domain.AuditEntry {
	e := domain.NewAuditEntry(viewer, action, now)
	e.TargetKind, e.TargetID, e.TargetName = domain.AuditsPost, m.PostID, m.Title
	if m.CommentID != "" {
		e.TargetKind, e.TargetID, e.TargetPost, e.TargetName = domain.AuditsComment, m.CommentID, m.PostID,
			m.author.Username
	}
	return e
}

func (h moderate) hide(ctx context.Context, m reviewItem) (err error) {
	if m.CommentID != "" {
		_, err = h.store.Posts.HoldComment(ctx, m.PostID, m.CommentID, domain.HeldByModerator)
	} else {
		_, err = h.store.Posts.Hold(ctx, m.PostID, domain.HeldByModerator)
	}
	return err
}

func (h moderate) release(ctx context.Context, m reviewItem) (err error) {
	if m.CommentID != "" {
		_, err = h.store.Posts.ReleaseComment(ctx, m.PostID, m.CommentID, m.Edited)
	} else {
		_, err = h.store.Posts.Release(ctx, m.PostID, m.Revision)
	}
	return err
}

// approve publishes a held text and marks its author as trusted.
func (h moderate) approve(ctx context.Context, m reviewItem) error {
	if err := h.release(ctx, m); err != nil || m.author.ID == "" {
		return err
	}
	return h.store.Users.Trust(ctx, m.author.ID)
}

func (h moderate) suspend(ctx context.Context, viewer domain.User, m reviewItem, reason string, now time.Time) error {
	if m.author.ID == "" {
		return domain.Errorf(domain.NotFound, "This account was deleted.")
	}
	reason, err := domain.CleanReason(reason)
	if err != nil {
		return err
	}
	return h.suspendAccount(ctx, viewer, m.author, reason, now)
}
