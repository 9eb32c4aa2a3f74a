package moderation

import (
	"context"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/sample"
	"inkfeed/web/site"
	"inkfeed/web/uploads"
)

// adminSamples publishes the sample posts of a new site and deletes them.
type adminSamples struct{ adminSettings }

func (h adminSamples) register(e *echo.Echo) {
	e.POST("/admin/samples", h.submit)
	e.POST("/admin/samples/delete", h.delete)
}

// submit publishes the sample posts that the setup could not publish.
func (h adminSamples) submit(c echo.Context) error {
	u, err := h.Administrator(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	settings, err := h.store.Settings.Get(ctx)
	if err == nil {
		err = h.publishSamples(ctx, u, settings.Info.Language)
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, setupDone)
}

// publishSamples publishes the sample posts under an administrator's name, in the language of the site, one for each of
// the last days. Repeating it publishes those that are missing, and so do simultaneous calls.
func (h adminSettings) publishSamples(ctx context.Context, u domain.User, siteLanguage string) error {
	posts, err := sample.WelcomePosts(u.ID, sample.WelcomeLanguage(siteLanguage))
	if err != nil {
		return err
	}
	now := domain.Timestamp(time.Now())
	for i, p := range posts {
		_, err := h.store.Posts.Latest(ctx, p.ID)
		if domain.Is(err, domain.NotFound) {
			err = h.publishSample(ctx, u, p, now.AddDate(0, 0, -i)) // the first one is the newest
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// publishSample publishes a sample post with its picture.
func (h adminSettings) publishSample(ctx context.Context, u domain.User, p sample.WelcomePost, at time.Time) error {
	picture, err := h.uploads.SavePicture(ctx, u, uploads.NewUpload(p.Draw(), p.Alt))
	if err != nil {
		return err
	}
	draft := domain.Draft{PostID: p.ID, AuthorID: u.ID, Title: p.Title, Content: p.Showing(picture.Name.Path()),
		Tags: p.Tags, Details: p.Details, Begun: at}
	if _, err = h.store.Drafts.Publish(ctx, u, draft, at); domain.Is(err, domain.Conflict) { // published meanwhile
		err = h.deleteUnused(ctx, u, domain.Cover{Image: picture.Name})
	}
	return err
}

// samplesOf returns the sample posts of an administrator that still exist as they were published, read from the storage
// and not from a cache, which may not know an edit yet. An edited post is the administrator's own, and so is one with a
// draft, which is lost with its post.
func (h adminSettings) samplesOf(ctx context.Context, u domain.User) (found []domain.Post, err error) {
	posts, err := sample.WelcomePosts(u.ID, sample.DefaultLanguage)
	if err != nil {
		return nil, err
	}
	for _, p := range posts {
		stored, err := h.store.Posts.Latest(ctx, p.ID)
		switch {
		case domain.Is(err, domain.NotFound):
			continue
		case err != nil:
			return nil, err
		}
		if stored.AuthorID != u.ID || stored.Revision != 1 || !stored.Status.Listed() || stored.Title == "" {
			continue
		}
		_, err = h.store.Drafts.Get(ctx, u.ID, p.ID)
		if domain.Is(err, domain.NotFound) {
			found = append(found, stored)
		} else if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// delete deletes the sample posts, and their pictures unless they are used elsewhere. It deletes neither an edited
// sample post, also if it is edited at this moment, nor a post of another author.
func (h adminSamples) delete(c echo.Context) error {
	u, err := h.Administrator(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	posts, err := h.samplesOf(ctx, u)
	if err != nil {
		return err
	}
	ctx, cancel := site.Uninterrupted(ctx)
	defer cancel()
	for _, p := range posts {
		err := h.store.Posts.DeleteRevision(ctx, p.ID, u.ID, p.Revision)
		if domain.Is(err, domain.Conflict) {
			continue
		}
		if err == nil {
			err = h.deleteUnused(ctx, u, markdown.Cover(p))
		}
		if err != nil {
			return err
		}
	}
	if len(posts) > 0 {
		e := domain.NewAuditEntry(u, domain.AuditSamplesDeleted, time.Now())
		e.TargetKind = domain.AuditsSite
		h.audit.Record(ctx, e)
	}
	return site.SeeOther(c, site.AdminSettingsPath+"?samples=deleted")
}

// deleteUnused deletes the picture of a deleted sample post unless it is used elsewhere.
func (h adminSettings) deleteUnused(ctx context.Context, u domain.User, cover domain.Cover) error {
	if !cover.Exists() {
		return nil
	}
	used, err := h.uses(ctx, u, cover.Image)
	if err != nil || used {
		return err
	}
	if err = h.uploads.Images.Delete(ctx, u.ID, cover.Image); domain.Is(err, domain.NotFound) {
		err = nil
	}
	return err
}

// uses reports whether a user's profile, post or draft, or a static page of the site, shows a picture.
func (h adminSettings) uses(ctx context.Context, u domain.User, picture domain.ImageName) (bool, error) {
	shows := func(text string, d domain.Details) bool {
		return strings.Contains(text, picture.Hash) || strings.Contains(d.Cover, picture.Hash)
	}
	if u.Header.Image == picture || shows(u.Bio, domain.Details{}) {
		return true, nil
	}
	for _, author := range []string{u.ID, domain.SiteUserID} {
		for p, err := range h.store.Texts.Posts(ctx, author) {
			if err != nil || shows(p.Content, p.Details) {
				return true, err
			}
		}
		for d, err := range h.store.Texts.Drafts(ctx, author) {
			if err != nil || shows(d.Content, d.Details) {
				return true, err
			}
		}
	}
	return false, nil
}
