package cosmos

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// pageRequests lists the reads of each page of the site that shows stored data, in the order of docs/data-model.md.
// Every new page needs a line here. Each read is for one logical partition and takes one request, unless stated
// otherwise. For signed-in visitors a page also reads the user, which is left out.
func pageRequests() []pageRequest {
	page := 1
	byName := pageCall{"the user by name", 2, func(ctx context.Context, b *pagesBlog) error {
		_, err := b.Users.ByName(ctx, b.author.Username)
		return err
	}}
	post := pageCall{"the post", 1, func(ctx context.Context, b *pagesBlog) error {
		_, err := b.Posts.Get(ctx, b.post.ID)
		return err
	}}
	own := pageCall{"the post", 1, func(ctx context.Context, b *pagesBlog) error {
		_, err := b.Posts.Own(ctx, b.post.ID, b.author.ID)
		return err
	}}
	comment := pageCall{"the comment", 1, func(ctx context.Context, b *pagesBlog) error {
		_, err := b.Posts.Comment(ctx, b.post.ID, b.comment.ID)
		return err
	}}
	comments := pageCall{"its comments", 1, func(ctx context.Context, b *pagesBlog) error {
		list, err := b.Posts.Comments(ctx, b.post.ID, page)
		return atLeast(len(list.Items), 20, err)
	}}
	newest := pageCall{"the newest posts", 1, func(ctx context.Context, b *pagesBlog) error {
		list, err := b.Feed.FrontPage(ctx, page)
		return atLeast(len(list.Items), domain.PostsPerPage, err)
	}}
	posts := pageCall{"the user's posts", 1, func(ctx context.Context, b *pagesBlog) error {
		list, err := b.Users.PostsOf(ctx, b.author.ID, page)
		return atLeast(len(list.Items), domain.PostsPerPage, err)
	}}
	tagged := pageCall{"the tag's posts", 1, func(ctx context.Context, b *pagesBlog) error {
		list, err := b.Tags.PostsOf(ctx, "go", page)
		return atLeast(len(list.Items), domain.PostsPerPage, err)
	}}
	unlisted := pageCall{"unlisted posts", 1, func(ctx context.Context, b *pagesBlog) error {
		list, err := b.Users.UnlistedOf(ctx, b.author.ID, page)
		return atLeast(len(list.Items), 3, err)
	}}
	return []pageRequest{
		{"/", []pageCall{newest}},
		{"/@{username}", []pageCall{byName, posts}},
		{"additionally for the user", []pageCall{{"the user's hidden posts", 1,
			func(ctx context.Context, b *pagesBlog) error {
				list, err := b.Users.HiddenOf(ctx, b.author.ID, page)
				return atLeast(len(list.Items), 1, err)
			}}}},
		{"/@{username}/archive/{year}",
			[]pageCall{byName, {"the titles of a year; the previous and the next year with posts", 3,
				func(ctx context.Context, b *pagesBlog) error {
					archive, err := b.Users.Archive(ctx, b.author.ID, 2026, page)
					return atLeast(len(archive.Posts.Items), 25, err)
				}}}},
		{"/tags/{tag}", []pageCall{tagged}},
		{"/posts/{id}/{slug}", []pageCall{post, {"its author", 1, func(ctx context.Context, b *pagesBlog) error {
			_, err := b.Users.ByID(ctx, b.author.ID)
			return err
		}}, comments,
			{"the posts before and after it", 2, func(ctx context.Context, b *pagesBlog) error {
				before, after, err := b.Users.Neighbours(ctx, b.post)
				if err == nil && (before == nil || after == nil) {
					err = fmt.Errorf("there is no such item")
				}
				return err
			}},
			{"related posts", 1, func(ctx context.Context, b *pagesBlog) error {
				list, err := b.Tags.Related(ctx, b.post)
				return atLeast(len(list), domain.MaxRelated, err)
			}}}},
		{"additionally for a signed-in reader", []pageCall{
			{"the reader's like", 1, func(ctx context.Context, b *pagesBlog) error {
				_, err := b.Posts.Liked(ctx, b.post.ID, b.author.ID)
				return err
			}},
			{"the reader's bookmark", 1, func(ctx context.Context, b *pagesBlog) error {
				_, err := b.Posts.Bookmarked(ctx, b.post.ID, b.author.ID)
				return err
			}},
			{"whether the author has blocked the reader", 1, func(ctx context.Context, b *pagesBlog) error {
				_, err := b.Users.Blocks(ctx, b.post.AuthorID, b.author.ID)
				return err
			}}}},
		{"/posts/{id}/comments", []pageCall{post, comments}},
		{"/posts/{id}/comments/{id}", []pageCall{post, comment,
			{"the number of comments before it", 1, func(ctx context.Context, b *pagesBlog) error {
				n, err := b.Posts.CommentsBefore(ctx, b.post.ID, b.comment.Place())
				return atLeast(n, 10, err)
			}}}},
		{"/posts/{id}/likes", []pageCall{post, {"its likes", 1, func(ctx context.Context, b *pagesBlog) error {
			list, err := b.Posts.Likes(ctx, b.post.ID, page)
			return atLeast(len(list.Items), 50, err)
		}}}},
		{"/posts/{id}/versions", []pageCall{own, {"its past versions", 1,
			func(ctx context.Context, b *pagesBlog) error {
				list, err := b.Posts.Versions(ctx, b.post.ID, page)
				return atLeast(len(list.Items), 3, err)
			}}}},
		{"/posts/{id}/versions/{revision}", []pageCall{own, {"the version", 1,
			func(ctx context.Context, b *pagesBlog) error {
				_, err := b.Posts.Version(ctx, b.post.ID, 2)
				return err
			}}}},
		{"/posts/{id}/edit", []pageCall{{"the post and its draft", 2, func(ctx context.Context, b *pagesBlog) error {
			_, _, err := b.Drafts.Open(ctx, b.author.ID, b.post.ID)
			return err
		}}}},
		{"/drafts", []pageCall{
			{"the drafts", 1, func(ctx context.Context, b *pagesBlog) error {
				list, err := b.Drafts.List(ctx, b.author.ID, page)
				return atLeast(len(list.Items), 5, err)
			}},
			{"the statuses of their posts", 1, func(ctx context.Context, b *pagesBlog) error {
				statuses, err := b.Users.Statuses(ctx, b.author.ID, []string{b.post.ID})
				return atLeast(len(statuses), 1, err)
			}},
			unlisted}},
		{"/drafts/unlisted", []pageCall{unlisted}},
		{"/bookmarks", []pageCall{{"the reader's bookmarks", 1, func(ctx context.Context, b *pagesBlog) error {
			list, err := b.Users.Bookmarks(ctx, b.author.ID, page)
			return atLeast(len(list.Items), domain.BookmarksPerPage, err)
		}}}},
		{"/images", []pageCall{{"the user's pictures", 1, func(ctx context.Context, b *pagesBlog) error {
			list, err := b.Images.Of(ctx, b.author.ID, page)
			return atLeast(len(list.Items), 10, err)
		}}}},
		{"a feed that the reader has in its present version", []pageCall{newest}},
		{"the former address of an imported post", []pageCall{{"the redirect", 1,
			func(ctx context.Context, b *pagesBlog) error {
				_, err := b.Redirects.Find(ctx, "/2019/05/hello")
				return err
			}}, post}},
		{"the former address of a list of imported posts",
			[]pageCall{{"the redirect", 1, func(ctx context.Context, b *pagesBlog) error {
				_, err := b.Redirects.Find(ctx, "/2019/05")
				return err
			}}, {"its owner", 1, func(ctx context.Context, b *pagesBlog) error {
				_, err := b.Users.ByID(ctx, b.author.ID)
				return err
			}}}},
	}
}

// pageRequest is a page with its calls of the store.
type pageRequest struct {
	page  string
	calls []pageCall
}

// pageCall is a call of the store with the number of requests that it takes.
type pageCall struct {
	what     string
	requests int
	ask      func(context.Context, *pagesBlog) error
}

// TestPages compares the cost of each page with docs/data-model.md.
func TestPages(t *testing.T) {
	b := newPagesBlog(t)
	var table strings.Builder
	table.WriteString("| page | what is read | requests | RU |\n| --- | --- | ---: | ---: |\n")
	b.withAccounts(t)
	for _, page := range append(pageRequests(), accountRequests()...) {
		var what []string
		requests, charge := 0, 0.0
		for _, call := range page.calls {
			var usage *client.Usage
			for range 2 { // the first one also asks for the SDK's own caches
				var ctx context.Context
				ctx, usage = client.WithUsage(t.Context())
				if err := call.ask(ctx, b); err != nil {
					t.Fatalf("%s: %s: %v", page.page, call.what, err)
				}
			}
			if usage.Requests() != call.requests {
				t.Errorf("%s: %s takes %d requests, want %d", page.page, call.what, usage.Requests(), call.requests)
			}
			requests, charge = requests+usage.Requests(), charge+usage.Charge()
			what = append(what, call.what)
		}
		name := page.page
		if strings.HasPrefix(name, "/") {
			name = "`" + name + "`"
		}
		fmt.Fprintf(&table, "| %s | %s | %d | %.1f |\n", name, strings.Join(what, "; "), requests, charge)
	}
	checkSection(t, modelDocument, "pages", table.String())
}

// pagesBlog creates a blog with the article's proportions: 25 posts a user, 20 comments and 50 likes a post. All posts
// have a tag, and the feed is full.
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
	must(b.Users.Create(ctx, b.author, "hash"))

	text := strings.Repeat("Some words of text, in sentences. ", 40)
	var feed []domain.Summary
	for n := range domain.FeedLimit {
		post, err := domain.NewPost(b.author, fmt.Sprintf("The title of post %03d", n), text, day(n))
		must(err)
		if n >= 25 {
			post.AuthorID, post.AuthorName = domain.NewUserID(nil), "somebody-else"
		} else {
			post.Tags = "Go"
			must(b.Posts.Create(ctx, post))
		}
		summary := markdown.Summarize(post)
		feed = append(feed, summary)
		if n < 25 {
			must(b.Users.ApplySummary(ctx, summary))
			must(b.Tags.ApplySummary(ctx, "go", summary))
			must(b.Users.ApplyBookmark(ctx, markdown.Save(domain.Bookmark{PostID: post.ID, UserID: b.author.ID,
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
		if n == 10 {
			b.comment = comment
		}
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
	for n, status := range []domain.Status{domain.Unlisted, domain.Unlisted, domain.Unlisted, domain.Hidden} {
		post, err := domain.NewPost(b.author, fmt.Sprint("Unlisted ", n), text, day(600+n))
		must(err)
		post.Status = status
		must(b.Users.ApplySummary(ctx, markdown.Summarize(post)))
	}
	_, err = b.Redirects.Put(ctx, domain.Redirect{Path: "/2019/05/hello", OwnerID: b.author.ID, PostID: b.post.ID})
	must(err)
	_, err = b.Redirects.Put(ctx, domain.Redirect{Path: "/2019/05", OwnerID: b.author.ID, To: domain.OwnerPage +
		"/archive/2019"})
	must(err)
	return b
}
