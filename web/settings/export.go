package settings

import (
	"context"
	"iter"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/export"
	"inkfeed/web/exporting"
	"inkfeed/web/site"
)

// settingsExport exports everything that a user wrote, as a zip file that can be imported again.
type settingsExport struct {
	handler
	exporter *exporting.Exporter
}

func (h settingsExport) register(e *echo.Echo) { site.Get(e, site.ExportRoute, h.download) }

func (h settingsExport) download(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	return h.exporter.Send(c, u, u.Username, func() (export.Source, error) {
		ctx := c.Request().Context()
		paths, err := h.store.Export.Paths(ctx, u.ID)
		if err != nil {
			return export.Source{}, err
		}
		source := h.source(ctx, u, paths)
		follows, err := h.store.Follows.All(ctx, u.ID)
		for _, f := range follows {
			source.Follows = append(source.Follows, portable.Follow{Author: f.Source.AuthorID,
				Username: f.Person.Username, Tag: f.Source.Tag, Created: f.Created})
		}
		if err == nil {
			source.Profile.Mutes, err = h.store.Export.Muted(ctx, u.ID)
		}
		if err == nil {
			source.Profile.Subscriptions, err = h.store.Export.Subscribed(ctx, u.ID)
		}
		return source, err
	})
}

// source returns the content of a user's export.
func (h settingsExport) source(ctx context.Context, u domain.User, paths map[string][]string) export.Source {
	profile := portable.Profile{UserID: u.ID, Username: u.Username, DisplayName: u.DisplayName, Created: u.Created,
		Bio: u.Bio, Avatar: u.Avatar, BlogTitle: u.BlogTitle, Links: u.SetLinks(), WritingLanguage: u.WritingLanguage,
		Pins: u.Pinned(), LastActive: u.Active}
	if u.Header.Exists() {
		profile.Header, profile.HeaderAlt = export.ImagePath(u.Header.Name()), u.Header.Alt
	}
	if profile.Avatar != "" {
		profile.Avatar = export.ImagePath(profile.Avatar)
	}
	return export.Source{
		Profile: profile,
		Posts:   func() iter.Seq2[portable.Post, error] { return h.exporter.Posts(ctx, u.ID, paths) },
		Comments: exporting.Map(h.store.Export.Comments(ctx, u.ID), func(c domain.Comment) portable.Comment {
			return portable.Comment{ID: c.ID, PostID: c.PostID, Post: "/posts/" + c.PostID, ParentID: c.ParentID,
				Content: c.Content, Created: c.Created, Edited: c.Edited}
		}),
		Likes: exporting.Map(h.store.Export.Likes(ctx, u.ID), func(l domain.Like) portable.Reaction {
			return portable.Reaction{PostID: l.PostID, Post: "/posts/" + l.PostID, Created: l.Created}
		}),
		Bookmarks: exporting.Map(h.store.Export.Bookmarks(ctx, u.ID), func(b domain.Bookmark) portable.Reaction {
			return portable.Reaction{PostID: b.PostID, Post: "/posts/" + b.PostID, Created: b.Created}
		}),
		Images: h.exporter.Images(ctx, u.ID),
	}
}
