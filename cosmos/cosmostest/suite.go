// Package cosmostest is the contract of package cosmos: the behaviour that Inkfeed expects of its storage. The
// contract always runs against the embedded engine, and also against a Cosmos DB account if one is
// configured.
package cosmostest

import (
	"context"
	"strings"
	"testing"

	"inkfeed/cosmos"
	"inkfeed/cosmos/cosmostest/accounts"
	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/cosmos/cosmostest/following"
	"inkfeed/cosmos/cosmostest/lists"
	"inkfeed/cosmos/cosmostest/sending"
	"inkfeed/cosmos/cosmostest/subscribing"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// Run runs the contract. open returns an empty database that deletes the files of pictures through
// files. The tests do not share data, so one database serves all of them.
func Run(t *testing.T, open func(t *testing.T, files cosmos.FileDeleter) *cosmos.Store) {
	run(t, open, false)
}

// RunOnSplitPages is Run for storage that ends the pages of queries at random positions. The number
// of requests then varies, so it skips the tests of costs.
func RunOnSplitPages(t *testing.T, open func(t *testing.T, files cosmos.FileDeleter) *cosmos.Store) {
	run(t, open, true)
}

func run(t *testing.T, open func(t *testing.T, files cosmos.FileDeleter) *cosmos.Store, splitPages bool) {
	files := &fixture.Files{}
	shared := &fixture.Suite{Store: open(t, files), Markdown: markdown.New(), Files: files, SplitPages: splitPages}
	accounts.Run(t, shared)
	lists.Run(t, shared)
	sending.Run(t, shared)
	following.Run(t, shared)
	subscribing.Run(t, shared)
	s := &suite{shared}
	fixture.Run(t, "C2 create and edit a post", s.posts)
	fixture.Run(t, "C3 comment", s.comments)
	fixture.Run(t, "C3 reply", s.replies)
	fixture.Run(t, "a bookmark exists once and is recorded on its post", s.bookmarks)
	fixture.Run(t, "lists of bookmarks show the newest versions", s.bookmarkLists)
	fixture.Run(t, "bookmarks are deleted with their post or account", s.deletedBookmarks)
	fixture.Run(t, "C4 like", s.likes)
	fixture.Run(t, "a draft", s.drafts)
	fixture.Run(t, "the quota of drafts", s.draftQuota)
	fixture.Run(t, "publishing a draft", s.publishing)
	fixture.Run(t, "unpublishing a post", s.unpublishing)
	fixture.Run(t, "only an edit creates a version", s.versions)
	fixture.Run(t, "versions are listed newest first", s.versionLists)
	fixture.Run(t, "versions live as long as their post", s.versionLives)
	fixture.Run(t, "a scheduled draft is published once", s.scheduled)
	fixture.Run(t, "a changed schedule replaces the old one", s.rescheduled)
	fixture.Run(t, "a draft that cannot be published is not scheduled", s.notScheduled)
	fixture.Run(t, "the schedule lists the earliest entry first", s.upcoming)
	fixture.Run(t, "a deleted account leaves no schedule and no links", s.unscheduled)
	fixture.Run(t, "a preview link", s.previews)
	fixture.Run(t, "importing a post", s.imports)
	fixture.Run(t, "redirects and records of imports", s.redirects)
	fixture.Run(t, "exporting a user's content", s.export)
	fixture.Run(t, "deleting a comment", s.deleteComment)
	fixture.Run(t, "deleting comments with replies", s.deleteThread)
	fixture.Run(t, "the marker of a deleted comment", s.deletedCommentMarkers)
	fixture.Run(t, "editing a comment", s.editComment)
	fixture.Run(t, "mentions", s.mentions)
	fixture.Run(t, "a hidden post is found by its author only", s.holds)
	fixture.Run(t, "a released text is the one that was read", s.releases)
	fixture.Run(t, "a hidden post is not shown and takes no responses", s.hiddenPosts)
	fixture.Run(t, "the write of a text begins or ends its review", s.heldWrites)
	fixture.Run(t, "an edit of a comment begins or ends its review", s.reviewedComments)
	fixture.Run(t, "a hidden comment is not counted", s.hiddenComments)
	fixture.Run(t, "replies to hidden comments are counted", s.hiddenThreads)
	fixture.Run(t, "closing comments", s.closedComments)
	fixture.Run(t, "suspended authors", s.suspensions)
	fixture.Run(t, "blocking a user", s.blocks)
	fixture.Run(t, "notifying a user", s.notifications)
	fixture.Run(t, "notifying a user of likes", s.likeNotifications)
	fixture.Run(t, "notifying an author of scheduled posts", s.scheduleNotifications)
	fixture.Run(t, "deleting a post", s.deletePost)
	fixture.Run(t, "the trash", s.trash)
	fixture.Run(t, "a post in the trash stays as it is", s.inTrash)
	fixture.Run(t, "the trash is emptied", s.purges)
	fixture.Run(t, "deleting an account", s.deleteAccount)
	fixture.Run(t, "reports", s.reports)
	fixture.Run(t, "reviews", s.reviews)
	fixture.Run(t, "a picture is recorded once", s.pictures)
	fixture.Run(t, "deleting a picture deletes its files", s.deletedPictures)
	fixture.Run(t, "pictures count towards the quota", s.pictureQuota)
	fixture.Run(t, "pictures of the site", s.sitePictures)
	fixture.Run(t, "the cards of embeds belong to a revision of a post", s.embeds)
	fixture.Run(t, "the thumbnails of embeds belong to a post", s.thumbnails)
	fixture.Run(t, "fetching embeds is scheduled once for each revision", s.scheduledEmbeds)
	fixture.Run(t, "change feed", s.changes)
	fixture.Run(t, "reading the items of changes", s.items)
	fixture.Run(t, "continuations", s.continuations)
	fixture.Run(t, "leases", s.leases)
	fixture.Run(t, "dead letters", s.deadLetters)
	fixture.Run(t, "one partition a page", s.costs)
}

// Review is the review function that open configures for the database.
func Review(_ context.Context, _ domain.User, before domain.Post, d domain.Draft) (domain.Hold, error) {
	if strings.Contains(d.Content, linked) && !strings.Contains(before.Content, linked) {
		return domain.HeldForReview, nil
	}
	return domain.NotHeld, nil
}

// linked is the link for which Review holds a post.
const linked = "https://held.example/"

// Mentioned is the function that open configures for the database.
var Mentioned = markdown.New().Mentioned

type suite struct{ *fixture.Suite }
