package costs

import "strings"

// descriptions say what the operations do whose names do not.
var descriptions = map[string]string{
	"C1": "create or rename a user", "C2": "create or edit a post", "C3": "write a comment",
	"C4": "like or unlike a post",
	"Q1": "read a user", "Q2": "read a post", "Q3": "list a user's posts", "Q4": "list a post's comments",
	"Q5": "list a post's likes", "Q6": "list the newest posts",

	"copy-to-users": "projection: copies in the author's partition", "copy-to-feed": "projection: copies in the feed",
	"copy-to-tags": "projection: copies in tags", "copy-bookmark": "projection: copies of bookmarks",
	"bookmarks-of-post": "projection: find a post's bookmarks", "spread-name": "projection: propagate a username",
	"spread-suspension": "projection: hide or show a suspended user's texts", "erase": "finish a deletion",
	"again":         "projection: continue a long change",
	"current-names": "projection: compare usernames", "confirm-name": "projection: confirm a reserved username",
	"repair-feed": "repair the feed", "sweep": "look for copies without a source",

	"changes-users": "change feed: projector of users", "changes-posts": "change feed: projector of posts, search",
	"pages-users": "change feed: page cache", "pages-posts": "change feed: page cache",
	"pages-feed": "change feed: page cache", "pages-tags": "change feed: page cache",

	"leases": "leases of the projectors", "deadletters": "dead letters", "session": "check a session",
	"touch-session": "extend a session", "start-session": "log in", "count": "count for a rate limit",
	"schedule": "due posts", "departures": "due account deletions", "import-jobs": "look for imports",
	"costs": "measure these costs", "bootstrap": "open the database", "ping": "check the database",
	"sdk": "the SDK's own requests", "verify": "check all copies",
}

// Describe returns what an operation does, or "" if its name says it.
func Describe(operation string) string { return descriptions[operation] }

// readsChangeFeed reports whether an operation reads change feeds: for projectors or for tailers.
func readsChangeFeed(operation string) bool {
	return strings.HasPrefix(operation, "changes-") || strings.HasPrefix(operation, "pages-")
}

// remedies say what reduces the cost of an operation that takes much of the request units.
var remedies = map[string]string{
	"Q2": "Posts are read past the page cache. A larger cache (--cache-mb) or a proxy that honours s-maxage serves " +
		"more of them.",
	"Q3": "Profile pages list posts. A larger page cache (--cache-mb) serves more of them; crawlers that read every " +
		"page of every profile can be limited at the proxy.",
	"Q4": "Pages of comments are read past the page cache. A larger cache (--cache-mb) serves more of them.",
	"Q6": "The front page and the feeds are read past the page cache. Check its hit rate, and that writes do not " +
		"drop its pages all the time.",
	"C3": "Comments are what the site is for. Their cost is a transaction of two writes.",
	"C4": "Likes are what the site is for. Their cost is a transaction of two writes; likes that arrive together " +
		"share the cost of the projections.",
	"copy-to-users": "Each changed post is copied to its author's partition. Likes and comments that arrive together " +
		"share a copy: a longer --poll collects more of them.",
	"copy-to-feed": "Each changed post among the newest 100 is copied to the feed. Likes and comments that arrive " +
		"together share a copy: a longer --poll collects more of them.",
	"copy-to-tags": "Each changed post is copied once for each of its tags. Fewer tags a post, or a longer --poll, " +
		"lower this.",
	"spread-name": "A username is being propagated to everything that its user wrote. That ends by itself.",
	"leases": "Leases are renewed for each feed range and instance. Longer intervals (--lease-renew, " +
		"--lease-acquire) cost less, but another instance takes over later.",
	"session": "Sessions are checked every three seconds for each signed-in user. That is the price of ending " +
		"sessions at once.",
	"verify": "A check of all copies reads every item. That ends by itself; run it when there are few visitors.",
	"export": "Exports read everything that a user wrote. The rate limit export bounds them.",
}
