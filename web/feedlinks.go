package web

import (
	"net/url"

	"inkfeed/domain/names"
	"inkfeed/views"
)

// siteFeed, userFeed and tagFeed are what pages say of feeds.
var siteFeed = views.Feed{Title: siteName, Path: "/feed"}

func userFeed(username string) views.Feed {
	return views.Feed{Title: "@" + username + " on " + siteName, Path: names.UserPath(username) + "/feed"}
}

func tagFeed(key string) views.Feed {
	return views.Feed{Title: "#" + key + " on " + siteName, Path: "/tags/" + url.PathEscape(key) + "/feed"}
}

const siteName = "Inkfeed"
