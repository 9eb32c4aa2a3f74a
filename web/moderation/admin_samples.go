package moderation

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/sample"
	"inkfeed/web/site"
	"inkfeed/web/uploads"
)

// publishSamples publishes the sample posts under an administrator's name. Repeating it publishes those that are
// missing.
func (h adminSettings) publishSamples(ctx context.Context, u domain.User) error {
	file, err := sample.Picture()
	if err != nil {
		return err
	}
	picture, err := h.uploads.SavePicture(ctx, u, uploads.NewUpload(file, sample.PictureAlt))
	if err != nil {
		return err
	}
	posts, err := sample.WelcomePosts(u.ID, picture.Name.Path())
	if err != nil {
		return err
	}
	now := domain.Timestamp(time.Now())
	for i, p := range posts {
		draft := domain.Draft{PostID: p.ID, AuthorID: u.ID, Title: p.Title, Content: p.Content, Tags: p.Tags,
			Details: domain.Details{Language: "en"}, Begun: now}
		at := now.Add(-time.Duration(i) * time.Minute) // the first one is the newest
		if _, err := h.store.Drafts.Publish(ctx, u, draft, at); err != nil && !domain.Is(err, domain.Conflict) {
			return err
		}
	}
	return nil
}

// samplesOf returns the sample posts of an administrator that still exist as they were published, read from the storage
// and not from a cache, which may not know an edit yet. An edited post is the administrator's own, and so is one with a
// draft, which is lost with its post.
func (h adminSettings) samplesOf(ctx context.Context, u domain.User) (found []domain.Post, err error) {
	posts, err := sample.WelcomePosts(u.ID, "")
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

// deleteSamples deletes the sample posts and their picture. It deletes neither an edited sample post nor a post of
// another author, because it deletes only what samplesOf finds.
func (h adminSetup) deleteSamples(c echo.Context) error {
	u, err := h.Administrator(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	posts, err := h.samplesOf(ctx, u)
	if err != nil {
		return err
	}
	for _, p := range posts {
		if err := h.store.Posts.Delete(ctx, p.ID, u.ID); err != nil {
			return err
		}
		if cover := markdown.Cover(p); cover.Exists() {
			if err := h.uploads.Images.Delete(ctx, u.ID, cover.Image); err != nil && !domain.Is(err, domain.NotFound) {
				return err
			}
		}
	}
	return site.SeeOther(c, site.AdminSettingsPath+"?samples=deleted")
}
