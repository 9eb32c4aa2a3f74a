package moderation

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/moderation"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// report lets readers report posts and comments.
type report struct{ handler }

func (h report) register(e *echo.Echo) {
	for _, path := range []string{"/posts/:id/report", "/posts/:id/comments/:comment/report"} {
		site.Get(e, path, h.show)
		e.POST(path, h.submit)
	}
}

// reportTarget is the post or comment in the address.
type reportTarget struct {
	domain.Target
	post    domain.Post
	comment *domain.Comment // nil: the post itself
}

func (r reportTarget) edited() time.Time {
	if r.comment != nil {
		return r.comment.Edited
	}
	return r.post.Edited
}

// about returns the post or comment in the address. Its id is set even if it cannot be read.
func (h report) about(c echo.Context) (found reportTarget, err error) {
	found.PostID, found.CommentID = c.Param("id"), c.Param("comment")
	finder := site.PostFinder{Site: h.Site, Posts: h.store.Posts}
	if found.post, err = finder.Post(c); err != nil {
		return found, err
	}
	if found.CommentID == "" {
		return found, nil
	}
	comment, err := site.CommentAt(c, h.store.Posts.Comment)
	if err == nil && (!comment.Deleted.IsZero() || comment.Hidden()) {
		err = site.ErrNoComment
	}
	if err != nil {
		return found, err
	}
	found.comment = &comment
	return found, nil
}

// mayReport returns an error if the post or comment is the user's own.
func (r reportTarget) mayReport(u domain.User) error {
	author := r.post.AuthorID
	if r.comment != nil {
		author = r.comment.AuthorID
	}
	if u.ID == author {
		return domain.NewError(domain.Forbidden,
			"You can't report your own posts and comments. You can edit or delete them.")
	}
	return nil
}

func (h report) show(c echo.Context) error {
	reader, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	found, err := h.about(c)
	if err != nil {
		return err
	}
	if err := found.mayReport(reader); err != nil {
		return err
	}
	page := view.ReportPage{Sent: c.QueryParam("sent") == "yes"}
	if !page.Sent {
		known, err := h.store.Reports.Of(c.Request().Context(), found.Target)
		if err != nil {
			return err
		}
		if own := known.From(reader.ID); own != nil {
			page.Reason, page.Text, page.Earlier = own.Reason, own.Text, own.At
		}
	}
	return h.form(c, http.StatusOK, found, page)
}

func (h report) submit(c echo.Context) error {
	sent, tooLarge := site.ParseForm(c)
	if sent == nil {
		return tooLarge
	}
	found, err := h.about(c)
	if err == nil {
		err = tooLarge
	}
	if err == nil {
		err = h.send(c, found, sent.Get("reason"), sent.Get("text"))
	}
	if errs, status, ok := h.FormErrors(c, err); ok {
		return h.form(c, status, found, view.ReportPage{FormErrors: errs,
			Reason: domain.ReportReason(sent.Get("reason")), Text: sent.Get("text")})
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, view.ReportPath(found.Target)+"?sent=yes")
}

func (h report) send(c echo.Context, found reportTarget, reason, text string) error {
	reader, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	if err := found.mayReport(reader); err != nil {
		return err
	}
	r, err := domain.NewReport(reader, reason, text, time.Now())
	if err != nil {
		return err
	}
	if err := h.Limiter.Allow(c.Request().Context(), ratelimit.Report, reader.ID); err != nil {
		return err
	}
	_, err = h.store.Reports.Report(c.Request().Context(), found.Target, r, found.edited())
	return err
}

func (h report) form(c echo.Context, status int, found reportTarget, page view.ReportPage) error {
	title := site.T(c, "Report a post")
	if found.CommentID != "" {
		title = site.T(c, "Report a comment")
	}
	if found.comment != nil {
		comment := h.comments.Comment(c.Request().Context(), "", *found.comment)
		page.Comment = &comment
	}
	page.LayoutData, page.Post, page.Target = h.FallbackLayout(c, title), found.post, found.Target
	return h.RenderForm(c, status, view.Report(page))
}
