package article

import (
	"context"
	"slices"
	"sync"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// Accounts creates users.
type Accounts interface {
	// Create creates a user with a password hash.
	Create(ctx context.Context, u domain.User, passwordHash string) error
}

// Users reads users.
type Users interface {
	// ByID returns a user.
	ByID(ctx context.Context, userID string) (domain.User, error)
}

// V3 is the article's third version, implemented by Inkfeed's storage. The two lists of which the site reads a page are
// read completely by the article's queries, so that they can be compared.
type V3 struct {
	db         *client.Database
	accounts   Accounts
	users      Users
	userCopies *copies.UserCopies
	posts      *posts.Posts
	feed       *copies.Feed
	markdown   *markdown.Renderer
}

// NewV3 returns V3 over the stores of a database.
func NewV3(db *client.Database, a Accounts, u Users, c *copies.UserCopies, p *posts.Posts, f *copies.Feed) *V3 {
	return &V3{db, a, u, c, p, f, markdown.New()}
}

func (m *V3) C1(ctx context.Context, u domain.User) error {
	return m.accounts.Create(ctx, u, "hash")
}

func (m *V3) Q1(ctx context.Context, userID string) (domain.User, error) {
	return m.users.ByID(ctx, userID)
}

func (m *V3) C2(ctx context.Context, p domain.Post) error { return m.posts.Create(ctx, p) }

func (m *V3) Q2(ctx context.Context, postID string) (domain.Post, error) {
	return m.posts.Get(ctx, postID)
}

func (m *V3) Q3(ctx context.Context, userID string) ([]domain.Summary, error) {
	rows, err := client.Query[copies.PostCopy](ctx, m.db.Container(schema.UsersContainer), userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'post'`, client.Parameters{"user": userID})
	list := copies.Summaries(rows)
	slices.SortFunc(list, domain.NewestFirst)
	return list, err
}

func (m *V3) C3(ctx context.Context, c domain.Comment) error {
	_, err := m.posts.AddComment(ctx, c)
	return err
}

// Q4 is the first page, which has room for all comments of the data set.
func (m *V3) Q4(ctx context.Context, postID string) ([]domain.Comment, error) {
	page, err := m.posts.Comments(ctx, postID, 1)
	return page.Items, err
}

func (m *V3) C4(ctx context.Context, l domain.Like) error {
	_, err := m.posts.Like(ctx, l)
	return err
}

// Q5 is the first page, which has room for all likes of the data set.
func (m *V3) Q5(ctx context.Context, postID string) ([]domain.Like, error) {
	page, err := m.posts.Likes(ctx, postID, 1)
	return page.Items, err
}

func (m *V3) Q6(ctx context.Context) ([]domain.Summary, error) {
	rows, err := client.Query[copies.PostCopy](ctx, m.db.Container(schema.FeedContainer), schema.TypePost,
		`SELECT TOP 100 * FROM c WHERE c.type = 'post' ORDER BY c.creationDate DESC`, nil)
	return copies.Summaries(rows), err
}

// Load stores posts with their comments and likes, and creates the copies that the projectors write.
func (m *V3) Load(ctx context.Context, entries []Entry) error {
	var mu sync.Mutex
	var newest []domain.Summary
	err := Each(entries, func(e Entry) error {
		post := e.Post
		post.CommentCount, post.LikeCount = 0, 0 // Import counts them
		if err := m.posts.Import(ctx, post, e.Comments, e.Likes); err != nil {
			return err
		}
		short := m.markdown.Summarize(e.Post)
		if e.Newest {
			mu.Lock()
			newest = append(newest, short)
			mu.Unlock()
		}
		return m.userCopies.ApplySummary(ctx, short)
	})
	if err != nil {
		return err
	}
	return m.feed.Apply(ctx, newest)
}

// Copy updates the copies of a post, as the projectors do after a write.
func (m *V3) Copy(ctx context.Context, postID string) error {
	post, err := m.Q2(ctx, postID)
	if err != nil {
		return err
	}
	short := m.markdown.Summarize(post)
	if err := m.userCopies.ApplySummary(ctx, short); err != nil {
		return err
	}
	return m.feed.Apply(ctx, []domain.Summary{short})
}

// Site answers the requests like Inkfeed's pages, which read one page of a list.
type Site struct{ *V3 }

func (m *Site) Q3(ctx context.Context, userID string) ([]domain.Summary, error) {
	page, err := m.userCopies.PostsOf(ctx, userID, 1)
	return page.Items, err
}

func (m *Site) Q6(ctx context.Context) ([]domain.Summary, error) {
	page, err := m.feed.FrontPage(ctx, 1)
	return page.Items, err
}
