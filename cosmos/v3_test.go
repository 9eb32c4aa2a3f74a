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

// v3 is the article's third version, implemented by Store. The two lists of which the site reads a page are read
// completely by the article's queries, so that they can be compared.
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

// load stores posts with their comments and likes, and creates the copies that the projectors write.
func (m *v3) load(ctx context.Context, entries []entry) error {
	var mu sync.Mutex
	var newest []domain.Summary
	err := each(entries, func(e entry) error {
		post := e.Post
		post.CommentCount, post.LikeCount = 0, 0 // Import counts them
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

// copy updates the copies of a post, as the projectors do after a write.
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

// site answers the requests like Inkfeed's pages, which read one page of a list.
type site struct{ *v3 }

func (m *site) Q3(ctx context.Context, userID string) ([]domain.Summary, error) {
	page, err := m.store.Users.PostsOf(ctx, userID, 1)
	return page.Items, err
}

func (m *site) Q6(ctx context.Context) ([]domain.Summary, error) {
	page, err := m.store.Feed.FrontPage(ctx, 1)
	return page.Items, err
}
