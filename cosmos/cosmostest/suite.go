// Package cosmostest is the contract of package cosmos: what Inkfeed expects of its storage. The
// contract always runs against the embedded engine, and also against a Cosmos DB account if one is
// configured.
package cosmostest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos"
	"inkfeed/cosmos/client"
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
	files := &files{}
	s := &suite{Store: open(t, files), markdown: markdown.New(), files: files, splitPages: splitPages}
	t.Run("C1 create and rename a user", s.users)
	t.Run("usernames", s.names)
	t.Run("credentials", s.credentials)
	t.Run("one-time secrets", s.secrets)
	t.Run("sessions", s.sessions)
	t.Run("e-mail addresses", s.emails)
	t.Run("C2 create and edit a post", s.posts)
	t.Run("C3 comment", s.comments)
	t.Run("C3 reply", s.replies)
	t.Run("bookmarking", s.bookmarks)
	t.Run("C4 like", s.likes)
	t.Run("a draft", s.drafts)
	t.Run("publishing a draft", s.publishing)
	t.Run("unpublishing a post", s.unpublishing)
	t.Run("past versions of a post", s.versions)
	t.Run("scheduling a draft", s.scheduling)
	t.Run("a preview link", s.previews)
	t.Run("importing a post", s.imports)
	t.Run("redirects and records of imports", s.redirects)
	t.Run("exporting a user's content", s.export)
	t.Run("Q3 a user's posts", s.userPosts)
	t.Run("unlisted posts and statuses", s.hidden)
	t.Run("Q6 the feed", s.feed)
	t.Run("the page of a tag", s.tagPage)
	t.Run("removing posts from lists and tags", s.leaving)
	t.Run("an author's archive", s.archive)
	t.Run("previous and next post", s.neighbours)
	t.Run("related posts", s.related)
	t.Run("propagating a name", s.spread)
	t.Run("deleting a comment", s.deleteComment)
	t.Run("deleting comments with replies", s.deleteThread)
	t.Run("editing a comment", s.editComment)
	t.Run("hiding a post", s.holds)
	t.Run("hiding a comment", s.holdComments)
	t.Run("closing comments", s.closedComments)
	t.Run("suspended authors", s.suspensions)
	t.Run("blocking a user", s.blocks)
	t.Run("deleting a post", s.deletePost)
	t.Run("deleting an account", s.deleteAccount)
	t.Run("scheduling the deletion of an account", s.scheduledDeletions)
	t.Run("reports", s.reports)
	t.Run("reviews", s.reviews)
	t.Run("accounts and roles", s.accounts)
	t.Run("invitations", s.invitations)
	t.Run("the settings of the site", s.siteSettings)
	t.Run("the audit log", s.auditLog)
	t.Run("pictures", s.pictures)
	t.Run("profiles", s.profiles)
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

type suite struct {
	*cosmos.Store
	markdown *markdown.Renderer
	files    *files

	splitPages bool
}

// epoch is the first time in the suite's data; at returns later ones.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(minute int) time.Time { return epoch.Add(time.Duration(minute) * time.Minute) }

// freshName returns an unused username. It is a partition key, so it ends with a character outside
// the Basic Multilingual Plane. Its first twelve characters are ASCII.
func freshName() string { return "t" + domain.NewID()[:12] + "𠮷野" }

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantKind(t *testing.T, err error, kind domain.Kind) {
	t.Helper()
	if !domain.Is(err, kind) {
		t.Errorf("error %v, want one of kind %s", err, kind)
	}
}

func (s *suite) mustUser(t *testing.T) domain.User {
	t.Helper()
	user := must[domain.User](t)(domain.NewUser(freshName(), epoch))
	check(t, s.Users.Create(t.Context(), user, "hash of "+user.Username))
	return user
}

func (s *suite) mustPost(t *testing.T, author domain.User, minute int) domain.Post {
	t.Helper()
	post := must[domain.Post](t)(domain.NewPost(author, fmt.Sprint("Post ", minute), "Some *text*.", at(minute)))
	check(t, s.Posts.Create(t.Context(), post))
	return post
}

func (s *suite) mustComment(t *testing.T, author domain.User, postID string, minute int) (domain.Comment, int) {
	t.Helper()
	c := must[domain.Comment](t)(domain.NewComment(author, postID, fmt.Sprint("Comment ", minute), at(minute)))
	return c, must[domain.Post](t)(s.Posts.AddComment(t.Context(), c)).CommentCount
}

// wantCounts compares a post's counters with the numbers of items.
func (s *suite) wantCounts(t *testing.T, postID string, comments, likes int) {
	t.Helper()
	post := must[domain.Post](t)(s.Posts.Get(t.Context(), postID))
	gotComments := len(all(t, func(page int) (domain.Page[domain.Comment], error) {
		return s.Posts.Comments(t.Context(), postID, page)
	}))
	gotLikes := len(all(t, func(page int) (domain.Page[domain.Like], error) {
		return s.Posts.Likes(t.Context(), postID, page)
	}))
	if post.CommentCount != comments || gotComments != comments {
		t.Errorf("%d comments counted, %d there, want %d", post.CommentCount, gotComments, comments)
	}
	if post.LikeCount != likes || gotLikes != likes {
		t.Errorf("%d likes counted, %d there, want %d", post.LikeCount, gotLikes, likes)
	}
}

// all returns the items of all pages of a list.
func all[T any](t *testing.T, read func(page int) (domain.Page[T], error)) []T {
	t.Helper()
	var items []T
	for number := 1; ; number++ {
		page := must[domain.Page[T]](t)(read(number))
		items = append(items, page.Items...)
		if !page.More {
			return items
		}
	}
}

// cost runs a request with warm caches and returns its cost. It skips the test if costs vary.
func (s *suite) cost(t *testing.T, request func(ctx context.Context) error) *client.Usage {
	t.Helper()
	ctx, usage := client.WithUsage(t.Context())
	check(t, request(ctx))
	if s.splitPages {
		t.Skip("where pages end anywhere, costs are not certain")
	}
	return usage
}
