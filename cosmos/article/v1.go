package article

import (
	"context"
	"slices"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// V1 is the article's first version, which is normalised. One container has the users, the other posts, comments and
// likes, which refer to each other by ids. Names and counts are read item by item.
type V1 struct {
	plainUsers
	posts    *client.Container
	ranges   int
	markdown *markdown.Renderer
}

// NewV1 returns V1 in containers of its own, which it creates if they are missing. Their names begin with "v1-". The
// container of posts has this number of feed ranges.
func NewV1(ctx context.Context, db *client.Database, ranges int) (*V1, error) {
	users, err := baseline(ctx, db, "v1-users", "/id")
	if err != nil {
		return nil, err
	}
	posts, err := baseline(ctx, db, "v1-posts", "/postId", "/type/?", "/userId/?", "/creationDate/?")
	if err != nil {
		return nil, err
	}
	return &V1{plainUsers: plainUsers{users}, posts: posts, ranges: ranges, markdown: markdown.New()}, nil
}

// plainUsers accesses the container of users in V1 and V2.
type plainUsers struct{ users *client.Container }

type plainUser struct {
	ID       string `json:"id"`
	Username string `json:"username"`
}

type v1Post struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	PostID       string         `json:"postId"`
	UserID       string         `json:"userId"`
	Title        string         `json:"title"`
	Content      string         `json:"content"`
	CreationDate schema.Instant `json:"creationDate"`
}

func v1PostOf(p domain.Post) v1Post {
	return v1Post{ID: p.ID, Type: schema.TypePost, PostID: p.ID, UserID: p.AuthorID,
		Title: p.Title, Content: p.Content, CreationDate: schema.Instant(p.Created)}
}

func (i v1Post) domain() domain.Post {
	return domain.Post{ID: i.ID, AuthorID: i.UserID, Title: i.Title, Content: i.Content,
		Created: time.Time(i.CreationDate)}
}

type v1Comment struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	PostID       string         `json:"postId"`
	UserID       string         `json:"userId"`
	Content      string         `json:"content"`
	CreationDate schema.Instant `json:"creationDate"`
}

func v1CommentOf(c domain.Comment) v1Comment {
	return v1Comment{ID: c.ID, Type: schema.TypeComment, PostID: c.PostID, UserID: c.AuthorID,
		Content: c.Content, CreationDate: schema.Instant(c.Created)}
}

type v1Like struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	PostID       string         `json:"postId"`
	UserID       string         `json:"userId"`
	CreationDate schema.Instant `json:"creationDate"`
}

func v1LikeOf(l domain.Like) v1Like {
	return v1Like{ID: l.ID(), Type: schema.TypeLike, PostID: l.PostID, UserID: l.UserID,
		CreationDate: schema.Instant(l.Created)}
}

func (m plainUsers) C1(ctx context.Context, u domain.User) error {
	return m.users.Create(ctx, u.ID, plainUser{ID: u.ID, Username: u.Username})
}

func (m plainUsers) Q1(ctx context.Context, userID string) (domain.User, error) {
	item, err := client.Read[plainUser](ctx, m.users, userID, userID)
	return domain.User{ID: item.ID, Username: item.Username}, err
}

func (m *V1) C2(ctx context.Context, p domain.Post) error {
	return m.posts.Create(ctx, p.ID, v1PostOf(p))
}

// Q2 takes four requests: the post, its author's name and its two counts.
func (m *V1) Q2(ctx context.Context, postID string) (domain.Post, error) {
	item, err := client.Read[v1Post](ctx, m.posts, postID, postID)
	if err != nil {
		return domain.Post{}, err
	}
	return m.complete(ctx, item)
}

// complete returns the post of an item. It reads the author's name and the counts by further requests.
func (m *V1) complete(ctx context.Context, item v1Post) (domain.Post, error) {
	post := item.domain()
	author, err := m.Q1(ctx, item.UserID)
	if err != nil {
		return post, err
	}
	post.AuthorName = author.Username
	if post.CommentCount, err = m.count(ctx, item.ID, schema.TypeComment); err != nil {
		return post, err
	}
	post.LikeCount, err = m.count(ctx, item.ID, schema.TypeLike)
	return post, err
}

func (m *V1) count(ctx context.Context, postID, kind string) (int, error) {
	return client.Count(ctx, m.posts, postID,
		`SELECT VALUE COUNT(1) FROM c WHERE c.postId = @post AND c.type = @type`, client.Parameters{"post": postID,
			"type": kind})
}

// Q3 queries all partitions for the posts and completes them one by one.
func (m *V1) Q3(ctx context.Context, userID string) ([]domain.Summary, error) {
	var items []v1Post
	err := client.Scan(ctx, m.posts, `SELECT * FROM c WHERE c.userId = @user AND c.type = 'post'`,
		client.Parameters{"user": userID},
		func(item v1Post) error {
			items = append(items, item)
			return nil
		})
	if err != nil {
		return nil, err
	}
	return m.summaries(ctx, items)
}

func (m *V1) summaries(ctx context.Context, items []v1Post) ([]domain.Summary, error) {
	var list []domain.Summary
	for _, item := range items {
		post, err := m.complete(ctx, item)
		if err != nil {
			return nil, err
		}
		list = append(list, m.markdown.Summarize(post))
	}
	slices.SortFunc(list, domain.NewestFirst)
	return list, nil
}

func (m *V1) C3(ctx context.Context, c domain.Comment) error {
	return m.posts.Create(ctx, c.PostID, v1CommentOf(c))
}

// Q4 also reads the name of each comment's author.
func (m *V1) Q4(ctx context.Context, postID string) ([]domain.Comment, error) {
	items, err := client.Query[v1Comment](ctx, m.posts, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'comment'`, client.Parameters{"post": postID})
	if err != nil {
		return nil, err
	}
	comments := make([]domain.Comment, len(items))
	for i, item := range items {
		author, err := m.Q1(ctx, item.UserID)
		if err != nil {
			return nil, err
		}
		comments[i] = domain.Comment{ID: item.ID, PostID: item.PostID, AuthorID: item.UserID,
			AuthorName: author.Username, Content: item.Content, Created: time.Time(item.CreationDate)}
	}
	sortComments(comments)
	return comments, nil
}

func (m *V1) C4(ctx context.Context, l domain.Like) error {
	return m.posts.Create(ctx, l.PostID, v1LikeOf(l))
}

// Q5 also reads the name of each like's user.
func (m *V1) Q5(ctx context.Context, postID string) ([]domain.Like, error) {
	items, err := client.Query[v1Like](ctx, m.posts, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'like'`, client.Parameters{"post": postID})
	if err != nil {
		return nil, err
	}
	likes := make([]domain.Like, len(items))
	for i, item := range items {
		user, err := m.Q1(ctx, item.UserID)
		if err != nil {
			return nil, err
		}
		likes[i] = domain.Like{PostID: item.PostID, UserID: item.UserID, Username: user.Username,
			Created: time.Time(item.CreationDate)}
	}
	sortLikes(likes)
	return likes, nil
}

func (m *V1) Q6(ctx context.Context) ([]domain.Summary, error) {
	items, err := mergeNewest(ctx, m.posts, m.ranges, func(i v1Post) domain.Summary {
		return domain.Summary{PostID: i.ID, Created: time.Time(i.CreationDate)}
	})
	if err != nil {
		return nil, err
	}
	return m.summaries(ctx, items)
}

func (m *V1) Load(ctx context.Context, entries []Entry) error {
	return Each(entries, func(e Entry) error {
		items := []any{v1PostOf(e.Post)}
		for _, c := range e.Comments {
			items = append(items, v1CommentOf(c))
		}
		for _, l := range e.Likes {
			items = append(items, v1LikeOf(l))
		}
		return createAll(ctx, m.posts, e.ID, items)
	})
}
