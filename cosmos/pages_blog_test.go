package cosmos

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// pagesBlog creates a blog with the article's proportions: 25 posts a user, 20 comments and 50 likes a post. All posts
// have a tag, ten posts of the user are in a series, and the feed is full.
type pagesBlog struct {
	*Store
	author  domain.User
	post    domain.Post
	comment domain.Comment
}

func newPagesBlog(t *testing.T) *pagesBlog {
	t.Helper()
	b := &pagesBlog{Store: newStore(t, direct)}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, markdown := t.Context(), markdown.New()
	day := func(n int) time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n) }
	var err error
	b.author, err = domain.NewUser("ada-lovelace", day(0))
	must(err)
	must(b.Accounts.Create(ctx, b.author, "hash"))

	text := strings.Repeat("Some words of text, in sentences. ", 40)
	var feed []domain.Summary
	for n := range domain.FeedLimit {
		post, err := domain.NewPost(b.author, fmt.Sprintf("The title of post %03d", n), text, day(n))
		must(err)
		if n >= 25 {
			post.AuthorID, post.AuthorName = domain.NewUserID(nil), "somebody-else"
		} else {
			post.Tags = "Go"
			if n >= 5 && n < 15 {
				post.Details.Series = "A series"
			}
			must(b.Posts.Create(ctx, post))
		}
		summary := markdown.Summarize(post)
		feed = append(feed, summary)
		if n < 25 {
			must(b.UserCopies.ApplySummary(ctx, summary))
			must(b.Tags.ApplySummary(ctx, "go", summary))
			must(b.UserCopies.ApplyBookmark(ctx, markdown.BookmarkedPost(domain.Bookmark{PostID: post.ID,
				UserID:  b.author.ID,
				Created: day(n), Version: 1}, post)))
		}
		if n == 12 {
			b.post = post
		}
	}
	must(b.Feed.Apply(ctx, feed))
	for n := range 50 {
		_, err := b.Posts.Like(ctx, domain.Like{PostID: b.post.ID, UserID: domain.NewUserID(nil),
			Username: fmt.Sprintf("reader-%03d", n), Created: day(100 + n)})
		must(err)
	}
	for n := range 20 {
		comment, err := domain.NewComment(b.author, b.post.ID, text, day(200+n))
		must(err)
		_, err = b.Posts.AddComment(ctx, comment)
		must(err)
		err = b.Notifications.Notify(ctx, domain.Notification{UserID: b.author.ID, Kind: domain.NotifyComment,
			PostID: b.post.ID, CommentID: comment.ID, Created: comment.Created})
		must(err)
		if n == 10 {
			b.comment = comment
		}
	}
	for n := range domain.CommentRowsPerPage + 1 {
		comment, err := domain.NewComment(b.author, b.post.ID, text, day(200+n))
		must(err)
		must(b.CommentRows.Rewrite(ctx, domain.Target{PostID: b.post.ID, CommentID: comment.ID},
			func(context.Context) (domain.CommentRow, error) {
				return comment.Row(markdown.Text(text, domain.CommentRowText)), nil
			}))
	}
	for n := range 3 {
		_, err := b.Posts.Edit(ctx, domain.Edit{PostID: b.post.ID, Revision: 1 + n, Title: b.post.Title,
			Content: fmt.Sprint(text, n), Tags: b.post.Tags, At: day(300 + n)}, b.author.ID)
		must(err)
	}
	for n := range 5 {
		_, err := b.Drafts.Save(ctx, domain.Draft{PostID: domain.NewID(), AuthorID: b.author.ID,
			Title: fmt.Sprint("Draft ", n), Content: text, Begun: day(400), Saved: day(400 + n)})
		must(err)
	}
	draft := domain.DraftOf(b.post, day(410))
	draft.Revision = 4
	_, err = b.Drafts.Save(ctx, draft)
	must(err)
	for n := range 10 {
		name := domain.NewImageName(b.author.ID, []byte{byte(n)}, 1600, 1200, "jpg")
		_, err := b.Images.Begin(ctx, domain.Image{Name: name, UserID: b.author.ID, Alt: "What is to be seen",
			Bytes: 100_000, Created: day(500 + n)})
		must(err)
		must(b.Images.Complete(ctx, b.author.ID, name))
	}
	for n, status := range []domain.Status{domain.Unlisted, domain.Unlisted, domain.Unlisted, domain.Hidden,
		domain.Published} {
		post, err := domain.NewPost(b.author, fmt.Sprint("Unlisted ", n), text, day(600+n))
		must(err)
		if post.Status = status; status.Listed() {
			post.Trashed = day(700)
		}
		must(b.UserCopies.ApplySummary(ctx, markdown.Summarize(post)))
	}
	_, err = b.Redirects.Put(ctx, domain.Redirect{Path: "/2019/05/hello", OwnerID: b.author.ID, PostID: b.post.ID})
	must(err)
	_, err = b.Redirects.Put(ctx, domain.Redirect{Path: "/2019/05", OwnerID: b.author.ID, To: domain.OwnerPage +
		"/archive/2019"})
	must(err)
	return b
}
