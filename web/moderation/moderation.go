package moderation

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	view "inkfeed/views/moderation"
	"inkfeed/web/site"
)

// moderation serves the queue of items to moderate, for moderators only.
type moderation struct{ handler }

func (h moderation) register(e *echo.Echo) {
	site.Get(e, "/moderation", h.show)
	site.Get(e, "/moderation/held", h.showHeld)
}

func (h moderation) show(c echo.Context) error {
	viewer, err := h.Moderator(c)
	if err != nil {
		return err
	}
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	order := domain.NewestReports
	if c.QueryParam("order") == string(domain.MostReports) {
		order = domain.MostReports
	}
	found, err := h.store.Reports.Open(c.Request().Context(), order, number)
	if err := site.PageOrNotFound(found, err); err != nil {
		return err
	}
	page := view.ModerationPage{Order: order, Items: domain.ListPage[view.Item]{Number: found.Number,
		More: found.More}}
	for _, r := range found.Items {
		m, err := h.readItem(c.Request().Context(), viewer, r)
		if err != nil {
			return err
		}
		page.Items.Items = append(page.Items.Items, m.Item)
	}
	return h.queue(c, viewer, page)
}

func (h moderation) showHeld(c echo.Context) error {
	viewer, err := h.Moderator(c)
	if err != nil {
		return err
	}
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	found, err := h.store.Reviews.List(c.Request().Context(), number)
	if err := site.PageOrNotFound(found, err); err != nil {
		return err
	}
	page := view.ModerationPage{InReview: true, Items: domain.ListPage[view.Item]{Number: found.Number,
		More: found.More}}
	for _, waiting := range found.Items {
		known, err := h.store.Reports.Of(c.Request().Context(), waiting.Target)
		if err != nil {
			return err
		}
		m, err := h.readItem(c.Request().Context(), viewer, known)
		if err != nil {
			return err
		}
		m.Outdated = m.Held != domain.HeldForReview
		page.Items.Items = append(page.Items.Items, m.Item)
	}
	return h.queue(c, viewer, page)
}

func (h moderation) queue(c echo.Context, viewer domain.User, page view.ModerationPage) (err error) {
	if page.LayoutData, err = h.Layout(c, site.T(c, "Moderation")); err != nil {
		return err
	}
	page.NoIndex = true
	if page.Done, err = h.done(c, viewer, page.CurrentPath()); err != nil {
		return err
	}
	// Never cached, so that going back shows the current queue.
	return h.RenderForm(c, http.StatusOK, view.Moderation(page))
}

// done returns what the viewer has just done. After hiding, it reads the decision in order to offer to undo it.
func (h moderation) done(c echo.Context, viewer domain.User, back string) (views.ModerationDone, error) {
	var known domain.Reported
	if target := domain.ParseTarget(c.QueryParam(site.UndoParameter)); c.QueryParam("done") == site.DoHide &&
		target.Valid() {
		var err error
		if known, err = h.store.Reports.Of(c.Request().Context(), target); err != nil {
			return views.ModerationDone{}, err
		}
	}
	return site.ModerationDone(c, viewer, known, back), nil
}

// reviewItem is a target with the data to decide about it.
type reviewItem struct {
	view.Item
	author domain.User // zero: the account was deleted
}

// excerptLength is the length of the excerpts in the queue, in characters.
const excerptLength = 300

// Limits for the link targets that the queue shows of a text: their number, and the length of each
// in characters.
const (
	linksShown = 5
	linkLength = 200
)

// readItem reads everything about a target.
func (h moderation) readItem(ctx context.Context, viewer domain.User, known domain.Reported) (reviewItem, error) {
	m := reviewItem{Item: view.Item{Target: known.Target, Reported: known}}
	authorID, err := h.fillText(ctx, &m.Item)
	if err != nil {
		return reviewItem{}, err
	}
	m.author, err = h.store.Users.Account(ctx, authorID)
	if err != nil && !domain.Is(err, domain.NotFound) {
		return reviewItem{}, err
	}
	m.Item.Author = m.author.Username
	if err := domain.MayDecide(viewer, m.author); err != nil {
		m.WhyNot = domain.Reason(err)
	} else {
		m.MayDecide = true
	}
	ids := map[string]bool{known.By: known.By != ""}
	for _, r := range known.Reports {
		ids[r.UserID] = true
	}
	maps.DeleteFunc(ids, func(_ string, asked bool) bool { return !asked })
	names, err := h.store.Users.Authors(ctx, slices.Sorted(maps.Keys(ids)))
	if err != nil {
		return reviewItem{}, err
	}
	name := func(id string) string {
		if a := names[id]; !a.Deleted {
			return a.Name
		}
		return ""
	}
	m.DecidedBy = name(known.By)
	for _, r := range known.Reports {
		m.Reports = append(m.Reports, view.ReaderReport{Report: r, Username: name(r.UserID)})
	}
	return m, nil
}

// fillText fills in the text of a target and returns its author's id, or "" if it was deleted.
func (h moderation) fillText(ctx context.Context, m *view.Item) (authorID string, err error) {
	post, err := h.store.Posts.Latest(ctx, m.PostID)
	if domain.Is(err, domain.NotFound) || err == nil && !post.Deleted.IsZero() {
		m.Deleted = true
		return "", nil
	}
	if err != nil {
		return "", err
	}
	m.Title, m.Content, m.Revision, m.Held, authorID = post.Title, post.Content, post.Revision, post.Held, post.AuthorID
	m.Mentions, m.Trashed = post.Mentions, post.InTrash()
	if m.CommentID != "" {
		comment, err := h.store.Posts.Comment(ctx, m.PostID, m.CommentID)
		if domain.Is(err, domain.NotFound) || err == nil && !comment.Deleted.IsZero() {
			m.Deleted, m.Content = true, ""
			return "", nil
		}
		if err != nil {
			return "", err
		}
		m.Content, m.Edited, m.Held, authorID = comment.Content, comment.Edited, comment.Held, comment.AuthorID
		m.Mentions = comment.Mentions
	}
	m.Excerpt = h.Markdown.Text(m.Content, excerptLength)
	if m.Held == domain.HeldForReview {
		links := h.Screening.Links(m.Content)
		if m.CommentID == "" {
			links = h.Screening.Links(post.Title + "\n\n" + post.Details.Text() + "\n\n" + post.Content)
		}
		m.MoreLinks = max(0, len(links)-linksShown)
		for _, link := range links[:len(links)-m.MoreLinks] {
			if runes := []rune(link); len(runes) > linkLength {
				link = string(runes[:linkLength]) + "…"
			}
			m.Links = append(m.Links, link)
		}
	}
	return authorID, nil
}
