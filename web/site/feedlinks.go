package site

import (
	"net/url"

	"inkfeed/domain/names"
	"inkfeed/views"
)

// FrontFeed, userFeed and tagFeed are what pages say of feeds.
var FrontFeed = views.Feed{Title: Name, Path: "/feed"}

func UserFeed(username string) views.Feed {
	return views.Feed{Title: "@" + username + " on " + Name, Path: names.UserPath(username) + "/feed"}
}

func TagFeed(key string) views.Feed {
	return views.Feed{Title: "#" + key + " on " + Name, Path: "/tags/" + url.PathEscape(key) + "/feed"}
}

const Name = "Inkfeed"
