package site

import (
	"net/url"

	"inkfeed/domain/names"
	"inkfeed/views"
)

// FrontFeed is the link to the feed of the front page.
var FrontFeed = views.Feed{Title: Name, Path: "/feed"}

// UserFeed returns the link to a user's feed.
func UserFeed(username string) views.Feed {
	return views.Feed{Title: "@" + username + " on " + Name, Path: names.UserPath(username) + "/feed"}
}

// TagFeed returns the link to a tag's feed.
func TagFeed(key string) views.Feed {
	return views.Feed{Title: "#" + key + " on " + Name, Path: "/tags/" + url.PathEscape(key) + "/feed"}
}

// Name is the name of the site.
const Name = "Inkfeed"
