package cosmos

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// Posts is the container of posts, partitioned by /postId. A post's partition
// holds the post, its comments and its likes, so a count and what it counts
// change in one transaction.
type Posts struct{ c *container }

type postItem struct {
	ID           string   `json:"id"`
	Type         string   `json:"type"`
	PostID       string   `json:"postId"`
	UserID       string   `json:"userId"`
	UserUsername string   `json:"userUsername"`
	Title        string   `json:"title"`
	Content      string   `json:"content"`
	CommentCount int      `json:"commentCount"`
	LikeCount    int      `json:"likeCount"`
	CreationDate instant  `json:"creationDate"`
	EditDate     *instant `json:"editDate,omitempty"`
	Revision     int      `json:"revision"`
	Version      int      `json:"version"`
	// Of a deleted post only: see Delete.
	DeletionDate *instant `json:"deletionDate,omitempty"`
	Erased       bool     `json:"erased,omitempty"`
}

func postItemOf(p domain.Post) postItem {
	return postItem{ID: p.ID, Type: typePost, PostID: p.ID, UserID: p.AuthorID, UserUsername: p.AuthorName,
		Title: p.Title, Content: p.Content, CommentCount: p.CommentCount, LikeCount: p.LikeCount,
		CreationDate: instant(p.Created), Revision: p.Revision, Version: p.Version}
}

func (i postItem) domain() domain.Post {
	p := domain.Post{ID: i.PostID, AuthorID: i.UserID, AuthorName: i.UserUsername, Title: i.Title,
		Content: i.Content, CommentCount: i.CommentCount, LikeCount: i.LikeCount,
		Created: time.Time(i.CreationDate), Revision: i.Revision, Version: i.Version}
	if i.EditDate != nil {
		p.Edited = time.Time(*i.EditDate)
	}
	if i.DeletionDate != nil {
		p.Deleted, p.Erased = time.Time(*i.DeletionDate), i.Erased
	}
	return p
}

type commentItem struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	PostID       string  `json:"postId"`
	UserID       string  `json:"userId"`
	UserUsername string  `json:"userUsername"`
	Content      string  `json:"content"`
	CreationDate instant `json:"creationDate"`
}

func commentItemOf(c domain.Comment) commentItem {
	return commentItem{ID: c.ID, Type: typeComment, PostID: c.PostID, UserID: c.AuthorID,
		UserUsername: c.AuthorName, Content: c.Content, CreationDate: instant(c.Created)}
}

func (i commentItem) domain() domain.Comment {
	return domain.Comment{ID: i.ID, PostID: i.PostID, AuthorID: i.UserID, AuthorName: i.UserUsername,
		Content: i.Content, Created: time.Time(i.CreationDate)}
}

type likeItem struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	PostID       string  `json:"postId"`
	UserID       string  `json:"userId"`
	UserUsername string  `json:"userUsername"`
	CreationDate instant `json:"creationDate"`
}

func likeItemOf(l domain.Like) likeItem {
	return likeItem{ID: l.ID(), Type: typeLike, PostID: l.PostID, UserID: l.UserID,
		UserUsername: l.Username, CreationDate: instant(l.Created)}
}

func (i likeItem) domain() domain.Like {
	return domain.Like{PostID: i.PostID, UserID: i.UserID, Username: i.UserUsername,
		Created: time.Time(i.CreationDate)}
}

// Create is the creating half of C2: one write. It answers Conflict when the post
// was there and has been deleted.
func (p *Posts) Create(ctx context.Context, post domain.Post) error {
	ctx = operation(ctx, "C2")
	err := p.c.create(ctx, post.ID, postItemOf(post))
	if statusOf(err) != http.StatusConflict {
		return translate(err)
	}
	// Ids are never used twice: this is the author's own earlier attempt.
	_, err = p.Get(ctx, post.ID)
	if domain.Is(err, domain.NotFound) {
		return domain.Errorf(domain.Conflict, "This post was deleted.")
	}
	return err
}

// Edit is the editing half of C2: one write of the author's own fields, so
// counters that change meanwhile are safe, and likes are no conflict. It
// answers Conflict when the post has moved past e.Revision and Forbidden when
// authorID did not write it.
func (p *Posts) Edit(ctx context.Context, e domain.Edit, authorID string) (domain.Post, error) {
	ctx = operation(ctx, "C2")
	if !domain.IsID(e.PostID) || !domain.IsUserID(authorID) {
		return domain.Post{}, errNoPost()
	}
	var ops azcosmos.PatchOperations
	// Both values are of our own making, and hold no quotes.
	ops.SetCondition(fmt.Sprintf("%s and c.revision = %d and c.userId = '%s'", ifLive, e.Revision, authorID))
	ops.AppendSet("/title", e.Title)
	ops.AppendSet("/content", e.Content)
	ops.AppendSet("/editDate", instant(e.At))
	ops.AppendIncrement("/revision", 1)
	ops.AppendIncrement("/version", 1)
	item, err := patchReturning[postItem](ctx, p.c, e.PostID, e.PostID, ops)
	if statusOf(err) != http.StatusPreconditionFailed {
		return item.domain(), translate(err)
	}
	current, err := p.Get(ctx, e.PostID)
	switch {
	case err != nil:
		return domain.Post{}, err
	case current.AuthorID != authorID:
		return domain.Post{}, domain.Errorf(domain.Forbidden, "Only its author can edit a post.")
	case current.Revision == e.Revision+1 && current.Edited.Equal(e.At) &&
		current.Title == e.Title && current.Content == e.Content:
		return current, nil // this call's own earlier attempt
	}
	return domain.Post{}, domain.Errorf(domain.Conflict, "The post was changed meanwhile.")
}

// Get is Q2: one point read. A deleted post is not found.
func (p *Posts) Get(ctx context.Context, postID string) (domain.Post, error) {
	post, err := p.Latest(ctx, postID)
	if err == nil && !post.Deleted.IsZero() {
		return domain.Post{}, errNoPost()
	}
	return post, err
}

// Latest is Get that also gives what is left of a deleted post.
func (p *Posts) Latest(ctx context.Context, postID string) (domain.Post, error) {
	ctx = operation(ctx, "Q2")
	if !domain.IsID(postID) {
		return domain.Post{}, errNoPost()
	}
	item, err := read[postItem](ctx, p.c, postID, postID)
	return item.domain(), translate(err)
}

func errNoPost() error { return domain.Errorf(domain.NotFound, "There is no such post.") }

// Comments is Q4: one page of a post's comments, oldest first.
func (p *Posts) Comments(ctx context.Context, postID string, page int) (domain.Page[domain.Comment], error) {
	rows, err := query[commentItem](operation(ctx, "Q4"), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'comment'
		 ORDER BY c.type ASC, c.creationDate ASC, c.id ASC OFFSET @offset LIMIT @limit`,
		pageOf(page, domain.CommentsPerPage, parameters{"post": postID}))
	comments := make([]domain.Comment, len(rows))
	for i, row := range rows {
		comments[i] = row.domain()
	}
	return domain.Cut(comments, page, domain.CommentsPerPage), translate(err)
}

// Likes is Q5: one page of who likes a post, newest first.
func (p *Posts) Likes(ctx context.Context, postID string, page int) (domain.Page[domain.Like], error) {
	rows, err := query[likeItem](operation(ctx, "Q5"), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'like'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		pageOf(page, domain.LikesPerPage, parameters{"post": postID}))
	likes := make([]domain.Like, len(rows))
	for i, row := range rows {
		likes[i] = row.domain()
	}
	return domain.Cut(likes, page, domain.LikesPerPage), translate(err)
}

// AddComment is C3: the comment and the post's count in one transaction. It
// returns the post as it has become: its count is the comment's place.
func (p *Posts) AddComment(ctx context.Context, c domain.Comment) (domain.Post, error) {
	ctx = operation(ctx, "C3")
	if !domain.IsID(c.PostID) {
		return domain.Post{}, errNoPost()
	}
	batch := p.c.batch(c.PostID)
	batch.PatchItem(c.PostID, counting("/commentCount", 1), nil)
	batch.CreateItem(encode(commentItemOf(c)), nil)
	results, err := p.c.execute(ctx, batch, true)
	switch {
	case failedAt(err, 1, http.StatusConflict): // this call's own earlier attempt
		return p.Get(ctx, c.PostID)
	case failedAt(err, 0, http.StatusPreconditionFailed):
		return domain.Post{}, errNoPost()
	case err != nil:
		return domain.Post{}, translate(err)
	}
	return postOf(results[0])
}

// Like is C4: the like and the post's count in one transaction. The like's id
// is the user's, so a second one changes nothing. It returns the post as it has
// become.
func (p *Posts) Like(ctx context.Context, l domain.Like) (domain.Post, error) {
	batch := p.c.batch(l.PostID)
	batch.CreateItem(encode(likeItemOf(l)), nil)
	batch.PatchItem(l.PostID, counting("/likeCount", 1), nil)
	return p.changeLike(ctx, l.PostID, batch, http.StatusConflict)
}

// Unlike takes a like back, if there is one. It returns the post as it has
// become.
func (p *Posts) Unlike(ctx context.Context, postID, userID string) (domain.Post, error) {
	batch := p.c.batch(postID)
	batch.DeleteItem(domain.LikeID(userID), nil)
	batch.PatchItem(postID, counting("/likeCount", -1), nil)
	return p.changeLike(ctx, postID, batch, http.StatusNotFound)
}

// changeLike commits a batch whose first operation fails with status done when
// there is nothing to change.
func (p *Posts) changeLike(ctx context.Context, postID string, batch azcosmos.TransactionalBatch, done int) (domain.Post, error) {
	ctx = operation(ctx, "C4")
	if !domain.IsID(postID) {
		return domain.Post{}, errNoPost()
	}
	return p.change(ctx, postID, batch, done)
}

// change commits a batch whose second operation changes the post. Status done of
// the first says that there is nothing to change.
func (p *Posts) change(ctx context.Context, postID string, batch azcosmos.TransactionalBatch, done int) (domain.Post, error) {
	results, err := p.c.execute(ctx, batch, true)
	switch {
	case failedAt(err, 0, done):
		return p.Get(ctx, postID)
	case failedAt(err, 1, http.StatusPreconditionFailed):
		return domain.Post{}, errNoPost()
	case err != nil:
		return domain.Post{}, translate(err)
	}
	return postOf(results[1])
}

// ifLive is the condition of a patch of a post that is not deleted.
const ifLive = "from c where not is_defined(c.deletionDate)"

// counting is the patch that goes with an item that is added to a live post, or
// taken from it.
func counting(path string, by int64) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifLive)
	ops.AppendIncrement(path, by)
	ops.AppendIncrement("/version", 1)
	return ops
}

func postOf(result azcosmos.TransactionalBatchResult) (domain.Post, error) {
	var item postItem
	err := decode(result.ResourceBody, &item)
	return item.domain(), translate(err)
}

// Liked tells whether a user likes a post: a point read, for the like's id is
// known.
func (p *Posts) Liked(ctx context.Context, postID, userID string) (bool, error) {
	_, err := read[likeItem](operation(ctx, "liked"), p.c, postID, domain.LikeID(userID))
	if statusOf(err) == http.StatusNotFound && kindOf(err) == domain.NotFound {
		return false, nil
	}
	return err == nil, translate(err)
}
