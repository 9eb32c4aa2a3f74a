package cosmos

import (
	"context"
	"slices"
	"sync"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// v3 is the article's third version as Inkfeed has it: the Store, but for the two lists
// that the site shows by the page. These are read whole, with the article's queries, so
// that they can be compared.
type v3 struct {
	store    *Store
	markdown *markdown.Renderer
}

func newV3(s *Store) *v3 { return &v3{s, markdown.New()} }

func (m *v3) C1(ctx context.Context, u domain.User) error {
	return m.store.Users.Create(ctx, u, "hash")
}

func (m *v3) Q1(ctx context.Context, userID string) (domain.User, error) {
	return m.store.Users.ByID(ctx, userID)
}

func (m *v3) C2(ctx context.Context, p domain.Post) error { return m.store.Posts.Create(ctx, p) }

func (m *v3) Q2(ctx context.Context, postID string) (domain.Post, error) {
	return m.store.Posts.Get(ctx, postID)
}

func (m *v3) Q3(ctx context.Context, userID string) ([]domain.Summary, error) {
	rows, err := client.Query[copies.PostCopy](ctx, m.store.Container(schema.UsersContainer), userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'post'`, client.Parameters{"user": userID})
	list := copies.Summaries(rows)
	slices.SortFunc(list, domain.NewestFirst)
	return list, err
}

func (m *v3) C3(ctx context.Context, c domain.Comment) error {
	_, err := m.store.Posts.AddComment(ctx, c)
	return err
}

// Q4 is the first page, which has room for all comments of the data set.
func (m *v3) Q4(ctx context.Context, postID string) ([]domain.Comment, error) {
	page, err := m.store.Posts.Comments(ctx, postID, 1)
	return page.Items, err
}

func (m *v3) C4(ctx context.Context, l domain.Like) error {
	_, err := m.store.Posts.Like(ctx, l)
	return err
}

// Q5 is the first page, which has room for all likes of the data set.
func (m *v3) Q5(ctx context.Context, postID string) ([]domain.Like, error) {
	page, err := m.store.Posts.Likes(ctx, postID, 1)
	return page.Items, err
}

func (m *v3) Q6(ctx context.Context) ([]domain.Summary, error) {
	rows, err := client.Query[copies.PostCopy](ctx, m.store.Container(schema.FeedContainer), schema.TypePost,
		`SELECT TOP 100 * FROM c WHERE c.type = 'post' ORDER BY c.creationDate DESC`, nil)
	return copies.Summaries(rows), err
}

// load also does what the workers do: it makes the copies.
func (m *v3) load(ctx context.Context, entries []entry) error {
	var mu sync.Mutex
	var newest []domain.Summary
	err := each(entries, func(e entry) error {
		post := e.Post
		post.CommentCount, post.LikeCount = 0, 0 // Import counts
		if err := m.store.Posts.Import(ctx, post, e.comments, e.likes); err != nil {
			return err
		}
		short := m.markdown.Summarize(e.Post)
		if e.newest {
			mu.Lock()
			newest = append(newest, short)
			mu.Unlock()
		}
		return m.store.Users.ApplySummary(ctx, short)
	})
	if err != nil {
		return err
	}
	return m.store.Feed.Apply(ctx, newest)
}

// copy brings the copies of a post up to date, as the workers do behind a write.
func (m *v3) copy(ctx context.Context, postID string) error {
	post, err := m.Q2(ctx, postID)
	if err != nil {
		return err
	}
	short := m.markdown.Summarize(post)
	if err := m.store.Users.ApplySummary(ctx, short); err != nil {
		return err
	}
	return m.store.Feed.Apply(ctx, []domain.Summary{short})
}

// site is what Inkfeed's pages ask: lists by the page.
type site struct{ *v3 }

func (m *site) Q3(ctx context.Context, userID string) ([]domain.Summary, error) {
	page, err := m.store.Users.PostsOf(ctx, userID, 1)
	return page.Items, err
}

func (m *site) Q6(ctx context.Context) ([]domain.Summary, error) {
	page, err := m.store.Feed.FrontPage(ctx, 1)
	return page.Items, err
}
