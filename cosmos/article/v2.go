package article

import (
	"context"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/posts"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// V2 is the article's second version. Usernames and counts are denormalised, so posts, comments and likes are complete.
// Lists of the posts of a user, or of all users, still query every partition.
type V2 struct {
	plainUsers
	posts    *client.Container
	ranges   int
	markdown *markdown.Renderer
}

// NewV2 returns V2 in containers of its own, which it creates if they are missing. Their names begin with "v2-". The
// container of posts has this number of feed ranges.
func NewV2(ctx context.Context, db *client.Database, ranges int) (*V2, error) {
	users, err := baseline(ctx, db, "v2-users", "/id")
	if err != nil {
		return nil, err
	}
	posts, err := baseline(ctx, db, "v2-posts", "/postId", "/type/?", "/userId/?", "/creationDate/?")
	if err != nil {
		return nil, err
	}
	return &V2{plainUsers: plainUsers{users}, posts: posts, ranges: ranges, markdown: markdown.New()}, nil
}

type v2Post struct {
	v1Post
	UserUsername string `json:"userUsername"`
	CommentCount int    `json:"commentCount"`
	LikeCount    int    `json:"likeCount"`
}

func v2PostOf(p domain.Post) v2Post {
	return v2Post{v1Post: v1PostOf(p), UserUsername: p.AuthorName, CommentCount: p.CommentCount, LikeCount: p.LikeCount}
}

func (i v2Post) domain() domain.Post {
	p := i.v1Post.domain()
	p.AuthorName, p.CommentCount, p.LikeCount = i.UserUsername, i.CommentCount, i.LikeCount
	return p
}

func (m *V2) C2(ctx context.Context, p domain.Post) error {
	return m.posts.Create(ctx, p.ID, v2PostOf(p))
}

func (m *V2) Q2(ctx context.Context, postID string) (domain.Post, error) {
	item, err := client.Read[v2Post](ctx, m.posts, postID, postID)
	return item.domain(), err
}

// Q3 queries all partitions.
func (m *V2) Q3(ctx context.Context, userID string) ([]domain.Summary, error) {
	var list []domain.Summary
	err := client.Scan(ctx, m.posts, `SELECT * FROM c WHERE c.userId = @user AND c.type = 'post'`,
		client.Parameters{"user": userID},
		func(item v2Post) error {
			list = append(list, m.markdown.Summarize(item.domain()))
			return nil
		})
	slices.SortFunc(list, domain.NewestFirst)
	return list, err
}

// C3 counts the comment in the same transaction. The article uses a stored procedure, which the Go SDK cannot call.
func (m *V2) C3(ctx context.Context, c domain.Comment) error {
	return m.add(ctx, c.PostID, "/commentCount", posts.CommentItemOf(c))
}

func (m *V2) C4(ctx context.Context, l domain.Like) error {
	return m.add(ctx, l.PostID, "/likeCount", posts.LikeItemOf(l))
}

func (m *V2) add(ctx context.Context, postID, count string, item any) error {
	batch := m.posts.Batch(postID)
	batch.CreateItem(client.Encode(item), nil)
	var ops azcosmos.PatchOperations
	ops.AppendIncrement(count, 1)
	batch.PatchItem(postID, ops, nil)
	_, err := m.posts.Execute(ctx, batch, false)
	return err
}

func (m *V2) Q4(ctx context.Context, postID string) ([]domain.Comment, error) {
	items, err := client.Query[posts.CommentItem](ctx, m.posts, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'comment'`, client.Parameters{"post": postID})
	comments := client.Convert(items, posts.CommentItem.Domain)
	sortComments(comments)
	return comments, err
}

func (m *V2) Q5(ctx context.Context, postID string) ([]domain.Like, error) {
	items, err := client.Query[posts.LikeItem](ctx, m.posts, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'like'`, client.Parameters{"post": postID})
	likes := client.Convert(items, posts.LikeItem.Domain)
	sortLikes(likes)
	return likes, err
}

func (m *V2) Q6(ctx context.Context) ([]domain.Summary, error) {
	items, err := mergeNewest(ctx, m.posts, m.ranges, func(i v2Post) domain.Summary {
		return domain.Summary{PostID: i.ID, Created: time.Time(i.CreationDate)}
	})
	list := make([]domain.Summary, len(items))
	for i, item := range items {
		list[i] = m.markdown.Summarize(item.domain())
	}
	return list, err
}

func (m *V2) Load(ctx context.Context, entries []Entry) error {
	return Each(entries, func(e Entry) error {
		items := []any{v2PostOf(e.Post)}
		for _, c := range e.Comments {
			items = append(items, posts.CommentItemOf(c))
		}
		for _, l := range e.Likes {
			items = append(items, posts.LikeItemOf(l))
		}
		return createAll(ctx, m.posts, e.ID, items)
	})
}
