package cosmos

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
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
	author := pageCall{"its author", 1, func(ctx context.Context, b *pagesBlog) error {
		_, err := b.Users.ByID(ctx, b.author.ID)
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
		list, err := b.UserCopies.PostsOf(ctx, b.author.ID, page)
		return atLeast(len(list.Items), domain.PostsPerPage, err)
	}}
	tagged := pageCall{"the tag's posts", 1, func(ctx context.Context, b *pagesBlog) error {
		list, err := b.Tags.PostsOf(ctx, "go", page)
		return atLeast(len(list.Items), domain.PostsPerPage, err)
	}}
	unlisted := pageCall{"unlisted posts", 1, func(ctx context.Context, b *pagesBlog) error {
		list, err := b.UserCopies.UnlistedOf(ctx, b.author.ID, page)
		return atLeast(len(list.Items), 3, err)
	}}
	trash := pageCall{"the posts in the trash", 1, func(ctx context.Context, b *pagesBlog) error {
		list, err := b.UserCopies.Trash(ctx, b.author.ID, page)
		return atLeast(len(list.Items), 1, err)
	}}
	series := pageCall{"the series", 1, func(ctx context.Context, b *pagesBlog) error {
		list, err := b.UserCopies.Series(ctx, b.author.ID, "a-series")
		return atLeast(len(list), 10, err)
	}}
	allSeries := pageCall{"the author's series", 1, func(ctx context.Context, b *pagesBlog) error {
		list, err := b.UserCopies.AllSeries(ctx, b.author.ID)
		return atLeast(len(list), 1, err)
	}}
	return []pageRequest{
		{"/", []pageCall{newest}},
		{"additionally for each featured post", []pageCall{{"its copy in the author's partition", 1,
			func(ctx context.Context, b *pagesBlog) error {
				_, err := b.UserCopies.Post(ctx, b.author.ID, b.post.ID)
				return err
			}}}},
		{"/@{username}", []pageCall{byName, posts}},
		{"additionally for each pinned post that is not among the newest", []pageCall{{"its copy", 1,
			func(ctx context.Context, b *pagesBlog) error {
				_, err := b.UserCopies.Post(ctx, b.author.ID, b.post.ID)
				return err
			}}}},
		{"additionally for the user", []pageCall{{"the user's hidden posts", 1,
			func(ctx context.Context, b *pagesBlog) error {
				list, err := b.UserCopies.HiddenOf(ctx, b.author.ID, page)
				return atLeast(len(list.Items), 1, err)
			}}}},
		{"/@{username}/archive/{year}",
			[]pageCall{byName, {"the titles of a year; the previous and the next year with posts", 3,
				func(ctx context.Context, b *pagesBlog) error {
					archive, err := b.UserCopies.Archive(ctx, b.author.ID, time.UTC, 2026, page)
					return atLeast(len(archive.Posts.Items), 25, err)
				}}}},
		{"/@{username}/series", []pageCall{byName, allSeries}},
		{"/@{username}/series/{series}", []pageCall{byName, series}},
		{"/@{username}/series/{series}/rename", []pageCall{byName, {"the series with its unlisted posts", 1,
			func(ctx context.Context, b *pagesBlog) error {
				list, err := b.UserCopies.WholeSeries(ctx, b.author.ID, "a-series")
				return atLeast(len(list), 10, err)
			}}}},
		{"/tags/{tag}", []pageCall{tagged}},
		{"/posts/{id}/{slug}", []pageCall{post, author, comments,
			{"the posts before and after it", 2, func(ctx context.Context, b *pagesBlog) error {
				before, after, err := b.UserCopies.Neighbours(ctx, b.post)
				if err == nil && (before == nil || after == nil) {
					err = fmt.Errorf("there is no such item")
				}
				return err
			}},
			{"related posts", 1, func(ctx context.Context, b *pagesBlog) error {
				list, err := domain.Related(b.post, func(key string) ([]domain.Summary, error) {
					return b.Tags.Newest(ctx, key)
				})
				return atLeast(len(list), domain.MaxRelated, err)
			}}}},
		{"in a series, instead of the posts before and after it", []pageCall{series}},
		{"additionally for each user whom the post or a comment mentions", []pageCall{
			{"the user", 1, func(ctx context.Context, b *pagesBlog) error {
				_, err := b.Users.ByID(ctx, b.author.ID)
				return err
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
				_, err := b.Blocks.Has(ctx, b.post.AuthorID, b.author.ID)
				return err
			}}}},
		{"/posts/{id}/comments", []pageCall{post, author, comments}},
		{"/posts/{id}/comments/{id}", []pageCall{post, author, comment,
			{"the number of comments before it", 1, func(ctx context.Context, b *pagesBlog) error {
				n, err := b.Posts.CommentsBefore(ctx, b.post.ID, b.comment.Place())
				return atLeast(n, 10, err)
			}}}},
		{"/posts/{id}/likes", []pageCall{post, author, {"its likes", 1, func(ctx context.Context, b *pagesBlog) error {
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
		}}, allSeries}},
		{"/drafts", []pageCall{
			{"the drafts", 1, func(ctx context.Context, b *pagesBlog) error {
				list, err := b.Drafts.List(ctx, b.author.ID, page)
				return atLeast(len(list.Items), 5, err)
			}},
			{"the statuses of their posts", 1, func(ctx context.Context, b *pagesBlog) error {
				statuses, err := b.UserCopies.Statuses(ctx, b.author.ID, []string{b.post.ID})
				return atLeast(len(statuses), 1, err)
			}},
			unlisted}},
		{"/drafts/unlisted", []pageCall{unlisted}},
		{"/trash", []pageCall{trash}},
		{"/bookmarks", []pageCall{{"the reader's bookmarks", 1, func(ctx context.Context, b *pagesBlog) error {
			list, err := b.UserCopies.Bookmarks(ctx, b.author.ID, page)
			return atLeast(len(list.Items), domain.BookmarksPerPage, err)
		}}}},
		{"/notifications", []pageCall{{"the user's notifications", 1, func(ctx context.Context, b *pagesBlog) error {
			list, err := b.Notifications.List(ctx, b.author.ID, page)
			return atLeast(len(list.Items), domain.NotificationsPerPage, err)
		}}}},
		{"additionally for each notification", []pageCall{post, comment, {"whether the user has blocked the person", 1,
			func(ctx context.Context, b *pagesBlog) error {
				_, err := b.Blocks.Has(ctx, b.author.ID, domain.NewUserID(nil))
				return err
			}}}},
		{"or for a notification of likes", []pageCall{post, {"the likes of a day", 1,
			func(ctx context.Context, b *pagesBlog) error {
				_, err := b.Posts.LikesOfDay(ctx, b.post.ID, b.post.Created, 101)
				return err
			}}}},
		{"/settings/mutes", []pageCall{{"what the user has muted", 1,
			func(ctx context.Context, b *pagesBlog) error {
				_, err := b.Mutes.Of(ctx, b.author.ID)
				return err
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
			}}, post, author}},
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

// TestPages compares the cost of each page with docs/data-model.md, and the costs of contentRequests with
// docs/request-costs.md.
func TestPages(t *testing.T) {
	b := newPagesBlog(t)
	var table strings.Builder
	table.WriteString("| page | what is read | requests | RU |\n| --- | --- | ---: | ---: |\n")
	b.withAccounts(t)
	b.withFollows(t)
	b.withAccountRows(t)
	for _, page := range slices.Concat(pageRequests(), followingRequests(), accountRequests()) {
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
	b.checkContentCosts(t)
}
