package costs

import (
	"strings"

	"inkfeed/domain/locale"
)

// descriptions say what the operations do whose names do not.
var descriptions = map[string]locale.Message{
	"C1":                locale.M("create or rename a user"),
	"C2":                locale.M("create or edit a post"),
	"C3":                locale.M("write a comment"),
	"C4":                locale.M("like or unlike a post"),
	"Q1":                locale.M("read a user"),
	"Q2":                locale.M("read a post"),
	"Q3":                locale.M("list a user's posts"),
	"Q4":                locale.M("list a post's comments"),
	"Q5":                locale.M("list a post's likes"),
	"Q6":                locale.M("list the newest posts"),
	"copy-to-users":     locale.M("projection: copies in the author's partition"),
	"copy-to-feed":      locale.M("projection: copies in the feed"),
	"copy-to-tags":      locale.M("projection: copies in tags"),
	"copy-bookmark":     locale.M("projection: copies of bookmarks"),
	"bookmarks-of-post": locale.M("projection: find a post's bookmarks"),
	"spread-name":       locale.M("projection: propagate a username"),
	"spread-suspension": locale.M("projection: hide or show a suspended user's texts"),
	"erase":             locale.M("finish a deletion"),
	"again":             locale.M("projection: continue a long change"),
	"current-names":     locale.M("projection: compare usernames"),
	"confirm-name":      locale.M("projection: confirm a reserved username"),
	"repair-feed":       locale.M("repair the feed"),
	"sweep":             locale.M("look for copies without a source"),
	"changes-users":     locale.M("change feed: projector of users"),
	"changes-posts":     locale.M("change feed: projector of posts, search"),
	"pages-users":       locale.M("change feed: page cache"),
	"pages-posts":       locale.M("change feed: page cache"),
	"pages-feed":        locale.M("change feed: page cache"),
	"pages-tags":        locale.M("change feed: page cache"),
	"leases":            locale.M("leases of the projectors"),
	"deadletters":       locale.M("dead letters"),
	"session":           locale.M("check a session"),
	"touch-session":     locale.M("extend a session"),
	"start-session":     locale.M("log in"),
	"count":             locale.M("count for a rate limit"),
	"schedule":          locale.M("due posts"),
	"departures":        locale.M("due account deletions"),
	"import-jobs":       locale.M("look for imports"),
	"put-delivery":      locale.M("store a delivery, such as a mail"),
	"delete-outgoing":   locale.M("projection: hand a delivery over"),
	"deliveries":        locale.M("look for due deliveries"),
	"claim-destination": locale.M("own a destination of deliveries"),
	"deliver":           locale.M("record an attempt to deliver"),
	"list-deliveries":   locale.M("the page of deliveries"),
	"decide-delivery":   locale.M("try a delivery again, or drop it"),
	"costs":             locale.M("measure these costs"),
	"bootstrap":         locale.M("open the database"),
	"ping":              locale.M("check the database"),
	"sdk":               locale.M("the SDK's own requests"),
	"verify":            locale.M("check all copies"),
}

// Describe returns what an operation does, or an empty message if its name says it.
func Describe(operation string) locale.Message { return descriptions[operation] }

// readsChangeFeed reports whether an operation reads change feeds: for projectors or for tailers.
func readsChangeFeed(operation string) bool {
	return strings.HasPrefix(operation, "changes-") || strings.HasPrefix(operation, "pages-")
}

// remedies say what reduces the cost of an operation that takes much of the request units.
var remedies = map[string]locale.Message{
	"Q2": locale.M("Posts are read past the page cache. A larger cache (--cache-mb) or a proxy that honours s-maxage " +
		"serves more of them."),
	"Q3": locale.M("Profile pages list posts. A larger page cache (--cache-mb) serves more of them; crawlers that " +
		"read every page of every profile can be limited at the proxy."),
	"Q4": locale.M("Pages of comments are read past the page cache. A larger cache (--cache-mb) serves more of them."),
	"Q6": locale.M("The front page and the feeds are read past the page cache. Check its hit rate, and that writes " +
		"do not drop its pages all the time."),
	"C3": locale.M("Comments are what the site is for. Their cost is a transaction of two writes."),
	"C4": locale.M("Likes are what the site is for. Their cost is a transaction of two writes; likes that arrive " +
		"together share the cost of the projections."),
	"copy-to-users": locale.M("Each changed post is copied to its author's partition. Likes and comments that arrive " +
		"together share a copy: a longer --poll collects more of them."),
	"copy-to-feed": locale.M("Each changed post among the newest 100 is copied to the feed. Likes and comments that " +
		"arrive together share a copy: a longer --poll collects more of them."),
	"copy-to-tags": locale.M("Each changed post is copied once for each of its tags. Fewer tags a post, or a longer " +
		"--poll, lower this."),
	"spread-name": locale.M("A username is being propagated to everything that its user wrote. That ends by itself."),
	"leases": locale.M("Leases are renewed for each feed range and instance. Longer intervals (--lease-renew, " +
		"--lease-acquire) cost less, but another instance takes over later."),
	"session": locale.M("Sessions are checked every three seconds for each signed-in user. That is the price of " +
		"ending sessions at once."),
	"verify": locale.M("A check of all copies reads every item. That ends by itself; run it when there are few " +
		"visitors."),
	"export": locale.M("Exports read everything that a user wrote. The rate limit export bounds them."),
}
