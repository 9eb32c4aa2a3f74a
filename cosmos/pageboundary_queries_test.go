package cosmos

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/feeds"
	"inkfeed/cosmos/posts"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// createManyTestItems is like createTestItems, with several items of each kind that appears in lists.
func createManyTestItems(t *testing.T, s *Store) *testItems {
	t.Helper()
	ctx, now, w := t.Context(), time.Now(), createTestItems(t, s)
	markdown := markdown.New()
	for i := range 4 {
		at := now.Add(time.Duration(i) * time.Minute)
		user := mustUser(t, s, fmt.Sprint("reader", i))
		_, err := s.Accounts.SetRole(ctx, user.ID, domain.RoleModerator)
		comment, commentErr := domain.NewComment(user, w.post.ID, "Hello", at)
		if err = errors.Join(err, commentErr); err == nil {
			w.post, err = s.Posts.AddComment(ctx, comment)
		}
		_, likeErr := s.Posts.Like(ctx, domain.NewLike(user, w.post.ID, at))
		_, bookmarkErr := s.Posts.Bookmark(ctx, w.post, user.ID, at)
		err = errors.Join(err, likeErr, bookmarkErr, s.Blocks.Block(ctx, w.ada.ID, user.ID, at))
		edit, editErr := domain.NewEdit(w.post.ID, i+1, fmt.Sprint("Title ", i), "Text", at)
		_, editedErr := s.Posts.Edit(ctx, edit, w.ada.ID)
		err = errors.Join(err, editErr, editedErr)
		for _, status := range []domain.Status{domain.Published, domain.Unlisted} {
			post, postErr := domain.NewPost(w.ada, "Title", "Text", at)
			post.Tags, post.Status = domain.TagsOf([]string{"go"}), status
			summary := markdown.Summarize(post)
			err = errors.Join(
				err,
				postErr,
				s.Posts.Create(ctx, post),
				s.UserCopies.ApplySummary(ctx, summary),
				s.Feed.Apply(ctx, []domain.Summary{summary}),
				s.Tags.ApplySummary(ctx, "go", summary),
				s.UserCopies.ApplyBookmark(
					ctx,
					domain.BookmarkedPost{
						Bookmark: domain.Bookmark{PostID: post.ID, UserID: w.ada.ID, Created: domain.Timestamp(at),
							Version: 1},
						Post: summary,
					},
				),
			)
		}
		_, draftErr := s.Drafts.Save(
			ctx,
			domain.Draft{PostID: domain.NewID(), AuthorID: w.ada.ID, Title: "Draft", Content: "Text",
				Status: domain.Published},
		)
		_, imageErr := s.Images.Begin(
			ctx,
			domain.Image{Name: domain.NewImageName(w.ada.ID, []byte{byte(i)}, 10, 10, "png"), UserID: w.ada.ID,
				Bytes: 100, Created: at},
		)
		target := domain.Target{PostID: domain.NewID()}
		_, reportErr := s.Reports.Report(ctx, target,
			domain.Report{UserID: w.bob.ID, Reason: "spam", At: domain.Timestamp(at)}, time.Time{})
		invitation, invitationErr := domain.NewInvitation(w.ada, 2, 2, "", at)
		err = errors.Join(err, draftErr, imageErr, reportErr, invitationErr, s.Invitations.Create(ctx, invitation),
			s.Reviews.Put(ctx, domain.Review{Target: target, AuthorID: w.ada.ID, At: at}),
			s.Audit.Record(ctx, domain.NewAuditEntry(w.ada, "suspend", now)),
			s.Imports.Put(ctx,
				domain.Import{UserID: w.ada.ID, PostID: domain.NewID(), Digest: "d", Paths: []string{"/old"}}),
			s.ScheduledPosts.Put(ctx, domain.ScheduledItem{UserID: w.ada.ID, PostID: domain.NewID(), At: at}),
			s.ScheduledDeletions.Put(ctx, domain.ScheduledItem{UserID: user.ID, At: at}),
			s.Leases.Create(
				ctx,
				feeds.Lease{Processor: "p",
					Range:   feeds.Range{MinInclusive: fmt.Sprint(i), MaxExclusive: fmt.Sprint(i + 1)},
					Renewed: now},
			),
			s.DeadLetters.Put(
				ctx,
				feeds.DeadLetter{Processor: "p", Item: feeds.ItemRef{PartitionKey: "k", ID: fmt.Sprint(i)},
					First: now, Last: now},
			),
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// named maps the items of a list to their names.
func named[T any](list []T, err error, name func(T) string) ([]string, error) {
	var names []string
	for _, one := range list {
		names = append(names, name(one))
	}
	return names, err
}

func pageNamed[T any](page domain.ListPage[T], err error, name func(T) string) ([]string, error) {
	return named(page.Items, err, name)
}

func sequence[T any](all func(func(T, error) bool), name func(T) string) (names []string, err error) {
	for one, failed := range all {
		if failed != nil {
			return names, failed
		}
		names = append(names, name(one))
	}
	return names, nil
}

func postID(s domain.Summary) string    { return s.PostID }
func commentID(c domain.Comment) string { return c.ID }
func ever() time.Time                   { return time.Now().Add(1000 * time.Hour) }

// queriesOfManyRows calls the queries of the store that may return many rows, for the items of createManyTestItems.
var queriesOfManyRows = manyRows{
	"staff": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		list, err := s.Users.Staff(ctx)
		return named(list, err, func(u domain.User) string { return u.ID })
	},
	"accounts": func(ctx context.Context, s *Store, w *testItems) (ids []string, err error) {
		err = s.Users.EachAccount(ctx, func(u domain.User) error { ids = append(ids, u.ID); return nil })
		return ids, err
	},
	"an archive": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		a, err := s.UserCopies.Archive(ctx, w.ada.ID, time.UTC, 0, 1)
		return pageNamed(a.Posts, err, postID)
	},
	"the audit log": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.Audit.List(ctx, time.Now(), 1)
		return pageNamed(page, err, func(e domain.AuditEntry) string { return e.ID })
	},
	"blocked users": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.Blocks.List(ctx, w.ada.ID, 1)
		return pageNamed(page, err, func(b domain.Block) string { return b.BlockedID })
	},
	"bookmarks of a post": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		list, err := s.Posts.BookmarksAfter(ctx, w.post.ID, domain.Bookmark{})
		return named(list, err, func(b domain.Bookmark) string { return b.UserID })
	},
	"bookmarks of a reader": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.UserCopies.Bookmarks(ctx, w.ada.ID, 1)
		return pageNamed(page, err, func(b domain.BookmarkedPost) string { return b.Bookmark.PostID })
	},
	"comments": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.Posts.Comments(ctx, w.post.ID, 1)
		return pageNamed(page, err, commentID)
	},
	"comments after a position": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.Posts.CommentsAfter(ctx, w.post.ID, "")
		return pageNamed(page, err, commentID)
	},
	"dead letters": func(ctx context.Context, s *Store, w *testItems) (ids []string, err error) {
		err = s.DeadLetters.List(ctx, func(l feeds.DeadLetter) error { ids = append(ids, l.Item.ID); return nil })
		return ids, err
	},
	"a reader's responses to a post": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		list, err := s.Posts.Responses(ctx, w.post.ID)
		return named(list, err, func(a posts.AuthoredItem) string { return a.ID })
	},
	"content of a user": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		byPost, _, err := s.Posts.AuthoredBy(ctx, 1000, `c.userId = @user`, client.Parameters{"user": w.ada.ID})
		var ids []string
		for _, items := range byPost {
			for _, item := range items {
				ids = append(ids, item.PostID+" "+item.ID)
			}
		}
		return ids, err
	},
	"scheduled deletions": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		return sequence(s.ScheduledDeletions.Upcoming(ctx, ever()),
			func(d domain.ScheduledItem) string { return d.UserID })
	},
	"the schedule": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		return sequence(s.ScheduledPosts.Upcoming(ctx, ever()),
			func(e domain.ScheduledItem) string { return e.UserID + " " + e.PostID })
	},
	"drafts": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.Drafts.List(ctx, w.ada.ID, 1)
		return pageNamed(page, err, func(d domain.Draft) string { return d.PostID })
	},
	"exported posts": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		return sequence(posts.NewPostsExport(s.Database).Posts(ctx, w.ada.ID),
			func(p domain.Post) string { return p.ID })
	},
	"exported comments": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		one, err := sequence(posts.NewPostsExport(s.Database).Comments(ctx, w.bob.ID), commentID)
		return append(one, "no other"), err
	},
	"the front page": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.Feed.FrontPage(ctx, 1)
		return pageNamed(page, err, postID)
	},
	"the feed": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		rows, _, err := s.Feed.ReadRows(ctx)
		return named(rows, err, func(r copies.FeedRow) string { return r.ID })
	},
	"unlisted posts": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.UserCopies.UnlistedOf(ctx, w.ada.ID, 1)
		return pageNamed(page, err, postID)
	},
	"posts of a user": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.UserCopies.PostsOf(ctx, w.ada.ID, 1)
		return pageNamed(page, err, postID)
	},
	"posts of a tag": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.Tags.PostsOf(ctx, "go", 1)
		return pageNamed(page, err, postID)
	},
	"pictures": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.Images.Of(ctx, w.ada.ID, 1)
		return pageNamed(page, err, func(i domain.Image) string { return i.Name.String() })
	},
	"imports": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		list, err := s.Imports.Of(ctx, w.ada.ID)
		return named(list, err, func(i domain.Import) string { return i.PostID })
	},
	"invitations": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		list, err := s.Invitations.List(ctx)
		return named(list, err, func(i domain.Invitation) string { return i.Code })
	},
	"leases": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		list, err := s.Leases.List(ctx, "p")
		return named(list, err,
			func(l feeds.Lease) string { return l.Range.MinInclusive + "-" + l.Range.MaxExclusive })
	},
	"likes": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.Posts.Likes(ctx, w.post.ID, 1)
		return pageNamed(page, err, func(l domain.Like) string { return l.UserID })
	},
	"reports": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.Reports.Open(ctx, domain.MostReports, 1)
		return pageNamed(page, err, func(r domain.Reported) string { return r.PostID })
	},
	"reviews": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.Reviews.List(ctx, 1)
		return pageNamed(page, err, func(r domain.Review) string { return r.PostID })
	},
	"versions": func(ctx context.Context, s *Store, w *testItems) ([]string, error) {
		page, err := s.Posts.Versions(ctx, w.post.ID, 1)
		return pageNamed(page, err, func(v domain.PostVersion) string { return fmt.Sprint(v.Revision) })
	},
}
