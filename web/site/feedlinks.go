package site

import (
	"context"
	"net/url"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
)

// FrontFeed returns the link to the feed of the front page.
func FrontFeed(ctx context.Context) views.Feed {
	return views.Feed{Title: siteinfo.From(ctx).Title(), Path: "/feed"}
}

// UserFeed returns the link to a user's feed. Its title is that of the user's blog, if it has one.
func UserFeed(ctx context.Context, u domain.User) views.Feed {
	title := u.BlogTitle
	if title == "" {
		title = feedTitle(ctx, "@"+u.Username)
	}
	return views.Feed{Title: title, Path: names.UserPath(u.Username) + "/feed"}
}

// blogDescription is the maximum length of the description of a blog, in characters.
const blogDescription = 280

// BlogDescription returns a description of a user's blog: the beginning of the user's self-description or, if it is
// empty, whose posts these are.
func (s *Site) BlogDescription(ctx context.Context, u domain.User) string {
	if text := s.Markdown.Text(u.Bio, blogDescription); text != "" {
		return text
	}
	return locale.T(ctx, "Posts by {author} on {site}.", "author", names.Called(u.Username, u.DisplayName),
		"site", siteinfo.From(ctx).Title())
}

// TagFeed returns the link to a tag's feed.
func TagFeed(ctx context.Context, key string) views.Feed {
	return views.Feed{Title: feedTitle(ctx, "#"+key), Path: "/tags/" + url.PathEscape(key) + "/feed"}
}

// SeriesFeed returns the link to the feed of a user's series.
func SeriesFeed(ctx context.Context, username, key, title string) views.Feed {
	return views.Feed{Title: feedTitle(ctx, title), Path: views.SeriesPath(username, key) + "/feed"}
}

// feedTitle returns the title of a feed with some of the site's posts.
func feedTitle(ctx context.Context, what string) string {
	return locale.T(ctx, "{what} on {site}|feed", "what", what, "site", siteinfo.From(ctx).Title())
}
