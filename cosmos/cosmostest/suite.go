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
	"inkfeed/cosmos/cosmostest/lists"
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
	s := &suite{shared}
	t.Run("C2 create and edit a post", s.posts)
	t.Run("C3 comment", s.comments)
	t.Run("C3 reply", s.replies)
	t.Run("a bookmark exists once and is recorded on its post", s.bookmarks)
	t.Run("lists of bookmarks show the newest versions", s.bookmarkLists)
	t.Run("bookmarks are deleted with their post or account", s.deletedBookmarks)
	t.Run("C4 like", s.likes)
	t.Run("a draft", s.drafts)
	t.Run("the quota of drafts", s.draftQuota)
	t.Run("publishing a draft", s.publishing)
	t.Run("unpublishing a post", s.unpublishing)
	t.Run("only an edit creates a version", s.versions)
	t.Run("versions are listed newest first", s.versionLists)
	t.Run("versions live as long as their post", s.versionLives)
	t.Run("a scheduled draft is published once", s.scheduled)
	t.Run("a changed schedule replaces the old one", s.rescheduled)
	t.Run("a draft that cannot be published is not scheduled", s.notScheduled)
	t.Run("the schedule lists the earliest entry first", s.upcoming)
	t.Run("a deleted account leaves no schedule and no links", s.unscheduled)
	t.Run("a preview link", s.previews)
	t.Run("importing a post", s.imports)
	t.Run("redirects and records of imports", s.redirects)
	t.Run("exporting a user's content", s.export)
	t.Run("deleting a comment", s.deleteComment)
	t.Run("deleting comments with replies", s.deleteThread)
	t.Run("editing a comment", s.editComment)
	t.Run("a hidden post is found by its author only", s.holds)
	t.Run("a released text is the one that was read", s.releases)
	t.Run("a hidden post is not shown and takes no responses", s.hiddenPosts)
	t.Run("the write of a text begins or ends its review", s.heldWrites)
	t.Run("an edit of a comment begins or ends its review", s.reviewedComments)
	t.Run("a hidden comment is not counted", s.hiddenComments)
	t.Run("replies to hidden comments are counted", s.hiddenThreads)
	t.Run("closing comments", s.closedComments)
	t.Run("suspended authors", s.suspensions)
	t.Run("blocking a user", s.blocks)
	t.Run("notifying a user", s.notifications)
	t.Run("deleting a post", s.deletePost)
	t.Run("deleting an account", s.deleteAccount)
	t.Run("reports", s.reports)
	t.Run("reviews", s.reviews)
	t.Run("a picture is recorded once", s.pictures)
	t.Run("deleting a picture deletes its files", s.deletedPictures)
	t.Run("pictures count towards the quota", s.pictureQuota)
	t.Run("pictures of the site", s.sitePictures)
	t.Run("counters", s.counters)
	t.Run("change feed", s.changes)
	t.Run("reading the items of changes", s.items)
	t.Run("continuations", s.continuations)
	t.Run("leases", s.leases)
	t.Run("dead letters", s.deadLetters)
	t.Run("one partition a page", s.costs)
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

type suite struct{ *fixture.Suite }
