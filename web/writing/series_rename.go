package writing

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// seriesRename renames a series of the viewer: all its posts, and the drafts that name it. Each post gets an edit of
// its own. So an interrupted request leaves some posts with the old title, and the author can send the form again.
type seriesRename struct{ editor }

// Limits of the work of one request.
const (
	maxRenamedPosts  = 50
	maxRenamedDrafts = 1000 // drafts that are looked at
)

func (h seriesRename) register(e *echo.Echo) {
	site.Get(e, "/@:username/series/:series/rename", h.show)
	e.POST("/@:username/series/:series/rename", h.submit)
}

// find returns the viewer, who must be the author, and the posts of the series in the address.
func (h seriesRename) find(c echo.Context) (author domain.User, posts []domain.Summary, err error) {
	if author, err = h.SignedIn(c); err != nil {
		return author, nil, err
	}
	key, _, err := site.SeriesAt(c)
	if err != nil {
		return author, nil, err
	}
	u, _, err := site.UserAt(c, h.store.Users.ByName)
	if err != nil {
		return author, nil, err
	}
	if u.ID != author.ID {
		return author, nil, domain.NewError(domain.Forbidden, "You can only rename your own series.")
	}
	posts, err = h.store.UserCopies.WholeSeries(c.Request().Context(), author.ID, key)
	if err == nil && len(posts) == 0 {
		err = site.ErrNoSeries
	}
	return author, posts, err
}

func (h seriesRename) show(c echo.Context) error {
	author, posts, err := h.find(c)
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, author.Username, view.SeriesRenamePage{Name: domain.SeriesTitle(posts),
		Typed: domain.SeriesTitle(posts)})
}

func (h seriesRename) form(c echo.Context, status int, username string, p view.SeriesRenamePage) error {
	p.LayoutData = h.FallbackLayout(c, site.T(c, "Rename your series"))
	p.Path = views.SeriesPath(username, domain.SeriesKey(p.Name))
	return h.RenderForm(c, status, view.SeriesRename(p))
}

// submit checks the title, whether another series has it, the rate limit, and then renames. The field combine names
// the series to combine this one with: the author was asked, or a part of the posts is renamed already.
func (h seriesRename) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	author, posts, err := h.find(c)
	if errs, status, ok := h.FormErrors(c, err); ok {
		name, _, err := site.SeriesAt(c) // the title is unknown
		if err != nil {
			return err
		}
		return h.form(c, status, c.Param("username"), view.SeriesRenamePage{Name: name, Typed: sent.Get("series"),
			Combine: sent.Get("combine"), FormErrors: errs})
	}
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	details, err := domain.Details{Series: sent.Get("series")}.Clean()
	if err == nil && details.Series == "" {
		err = domain.FieldError("series", "Enter the title of the series.")
	}
	if err == nil {
		err = h.Limiter.Allow(ctx, ratelimit.Post, author.ID)
	}
	p := view.SeriesRenamePage{Name: domain.SeriesTitle(posts), Typed: sent.Get("series")}
	key, title := domain.SeriesKey(p.Name), details.Series
	if err == nil && domain.SeriesKey(title) != key {
		var existing []domain.Summary
		existing, err = h.store.UserCopies.WholeSeries(ctx, author.ID, domain.SeriesKey(title))
		switch {
		case err != nil || len(existing) == 0:
		case sent.Get("combine") == domain.SeriesKey(title):
			title = domain.SeriesTitle(existing)
		default:
			p.Existing = domain.SeriesKey(title)
			err = domain.FieldError("series", "You already have a series with this title. Combine both?")
		}
	}
	if err == nil {
		if err = h.rename(ctx, author, posts, title); domain.Is(err, domain.Invalid) {
			p.Combine = domain.SeriesKey(title)
		}
	}
	if errs, status, ok := h.FormErrors(c, err); ok {
		p.FormErrors = errs
		return h.form(c, status, author.Username, p)
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, views.SeriesListPath(author.Username)+"?renamed=yes")
}

// rename gives the posts and drafts of a series another title. It fails with Invalid if some posts are left.
func (h seriesRename) rename(ctx context.Context, author domain.User, posts []domain.Summary, title string) error {
	key := domain.SeriesKey(domain.SeriesTitle(posts))
	if to := domain.SeriesKey(title); to != key {
		if err := h.store.UserCopies.RecordRenamedSeries(ctx, author.ID, key, to); err != nil {
			return err
		}
	}
	renamed, left := 0, 0
	for _, s := range posts {
		if s.Details.Series == title {
			continue
		}
		if renamed == maxRenamedPosts {
			left++
			continue
		}
		changed, err := h.renamePost(ctx, author, s.PostID, key, title)
		switch {
		case domain.Is(err, domain.Conflict): // edited at this moment
			left++
		case err != nil:
			return err
		case changed:
			renamed++
		}
	}
	if err := h.renameDrafts(ctx, author.ID, key, title); err != nil {
		return err
	}
	if left > 0 {
		return domain.NewError(domain.Invalid, "{n} posts still have the old title. Rename again to continue.",
			"n", left)
	}
	return nil
}

// renamePost edits a post of a series. The draft of the post follows, so that its author can publish it.
func (h seriesRename) renamePost(ctx context.Context, author domain.User, postID, key, title string) (changed bool,
	err error) {
	p, err := h.store.Posts.Own(ctx, postID, author.ID)
	if domain.Is(err, domain.NotFound) {
		return false, nil // deleted meanwhile
	}
	if err != nil || domain.SeriesKey(p.Details.Series) != key || p.Details.Series == title {
		return false, err
	}
	now := time.Now()
	renamed := domain.DraftOf(p, now)
	renamed.Details.Series = title
	edit := domain.Edit{PostID: p.ID, Revision: p.Revision, Title: p.Title, Content: p.Content, Tags: p.Tags,
		Details: renamed.Details, Status: p.Status, At: domain.Timestamp(now)}
	if edit.Held, err = h.Screening.Draft(ctx, author, p, renamed, now); err != nil {
		return false, err
	}
	edited, err := h.store.Posts.Edit(ctx, edit, author.ID)
	if err != nil {
		return false, err
	}
	d, err := h.store.Drafts.Get(ctx, author.ID, p.ID)
	if domain.Is(err, domain.NotFound) || err == nil && d.Revision != p.Revision {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	d.Revision = edited.Revision
	return true, h.renameDraft(ctx, d, key, title)
}

// renameDrafts renames the series in the author's drafts.
func (h seriesRename) renameDrafts(ctx context.Context, authorID, key, title string) error {
	for page := 1; page <= maxRenamedDrafts/domain.DraftsPerPage; page++ {
		list, err := h.store.Drafts.List(ctx, authorID, page)
		if err != nil {
			return err
		}
		for _, d := range list.Items {
			if domain.SeriesKey(d.Details.Series) == key && d.Details.Series != title {
				if err := h.renameDraft(ctx, d, key, title); err != nil {
					return err
				}
			}
		}
		if !list.More {
			return nil
		}
	}
	return nil
}

// renameDraft gives a draft the new title if it names the series, and updates its revision. It leaves a draft that is
// being published or was saved at this moment.
func (h seriesRename) renameDraft(ctx context.Context, d domain.Draft, key, title string) error {
	if domain.SeriesKey(d.Details.Series) == key {
		d.Details.Series = title
	}
	err := h.store.Drafts.SetSeries(ctx, d)
	if domain.Is(err, domain.Conflict) || domain.Is(err, domain.NotFound) {
		return nil
	}
	return err
}
