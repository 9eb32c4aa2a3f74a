package site

import (
	"context"
	"net/url"

	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
)

// FrontFeed returns the link to the feed of the front page.
func FrontFeed(ctx context.Context) views.Feed {
	return views.Feed{Title: siteinfo.From(ctx).Title(), Path: "/feed"}
}

// UserFeed returns the link to a user's feed.
func UserFeed(ctx context.Context, username string) views.Feed {
	return views.Feed{Title: feedTitle(ctx, "@"+username), Path: names.UserPath(username) + "/feed"}
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
