package cosmos

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// Posts is the container of posts, partitioned by /postId. A post's partition
// holds the post, its comments and its likes, so a count and what it counts
// change in one transaction.
type Posts struct{ c *container }

type postItem struct {
	ID              string   `json:"id"`
	Type            string   `json:"type"`
	PostID          string   `json:"postId"`
	UserID          string   `json:"userId"`
	UserUsername    string   `json:"userUsername"`
	UserDisplayName string   `json:"userDisplayName,omitempty"` // of a user who has one
	Title           string   `json:"title"`
	Slug            string   `json:"slug,omitempty"` // of a post that came with one
	Content         string   `json:"content"`
	Tags            tagNames `json:"tags"`
	// Absent of a published post.
	Status     domain.Status `json:"status,omitempty"`
	FormerTags tagNames      `json:"formerTags,omitempty"`
	Withdrawn  bool          `json:"withdrawn,omitempty"`
	// Absent of a post that nobody has hidden: see hold.go.
	Held            domain.Hold `json:"held,omitempty"`
	AuthorSuspended bool        `json:"authorSuspended,omitempty"`
	CommentsClosed  bool        `json:"commentsClosed,omitempty"`
	CommentCount    int         `json:"commentCount"`
	LikeCount       int         `json:"likeCount"`
	CreationDate    instant     `json:"creationDate"`
	EditDate        *instant    `json:"editDate,omitempty"`
	Bookmarked      string      `json:"bookmarked,omitempty"` // see domain.Post
	Revision        int         `json:"revision"`
	Version         int         `json:"version"`
	// Of a deleted post only: see Delete.
	DeletionDate *instant `json:"deletionDate,omitempty"`
	Erased       bool     `json:"erased,omitempty"`
}

func postItemOf(p domain.Post) postItem {
	return postItem{ID: p.ID, Type: typePost, PostID: p.ID, UserID: p.AuthorID, UserUsername: p.AuthorName, UserDisplayName: p.AuthorDisplayName,
		Title: p.Title, Slug: p.Slug, Content: p.Content, Tags: tagNames(p.Tags.List()), Status: p.Status,
		FormerTags: tagNames(p.FormerTags.List()), Withdrawn: p.Withdrawn, CommentCount: p.CommentCount, LikeCount: p.LikeCount,
		CreationDate: instant(p.Created), EditDate: optional(p.Edited),
		Held: p.Held, AuthorSuspended: p.AuthorSuspended, CommentsClosed: p.CommentsClosed,
		Bookmarked: p.Bookmarked, Revision: p.Revision, Version: p.Version}
}

func (i postItem) domain() domain.Post {
	p := domain.Post{ID: i.PostID, AuthorID: i.UserID, AuthorName: i.UserUsername, AuthorDisplayName: i.UserDisplayName, Title: i.Title, Slug: i.Slug,
		Content: i.Content, Tags: i.Tags.domain(), Status: i.Status, FormerTags: i.FormerTags.domain(), Withdrawn: i.Withdrawn,
		CommentCount: i.CommentCount, LikeCount: i.LikeCount,
		Created: time.Time(i.CreationDate), Bookmarked: i.Bookmarked, Revision: i.Revision, Version: i.Version}
	p.Held, p.AuthorSuspended, p.CommentsClosed = i.Held, i.AuthorSuspended, i.CommentsClosed
	p.Edited, p.Deleted, p.Erased = i.EditDate.time(), i.DeletionDate.time(), i.Erased
	return p
}

type likeItem struct {
	ID              string  `json:"id"`
	Type            string  `json:"type"`
	PostID          string  `json:"postId"`
	UserID          string  `json:"userId"`
	UserUsername    string  `json:"userUsername"`
	UserDisplayName string  `json:"userDisplayName,omitempty"`
	CreationDate    instant `json:"creationDate"`
	// Of a suspended user's like only.
	AuthorSuspended bool `json:"authorSuspended,omitempty"`
}

func likeItemOf(l domain.Like) likeItem {
	return likeItem{ID: l.ID(), Type: typeLike, PostID: l.PostID, UserID: l.UserID,
		UserUsername: l.Username, UserDisplayName: l.DisplayName, CreationDate: instant(l.Created)}
}

func (i likeItem) domain() domain.Like {
	return domain.Like{PostID: i.PostID, UserID: i.UserID, Username: i.UserUsername, DisplayName: i.UserDisplayName,
		Created: time.Time(i.CreationDate), AuthorSuspended: i.AuthorSuspended}
}

// Create is the creating half of C2: one write. It answers Conflict when the post is
// there already and says something else, or was there and has been deleted.
func (p *Posts) Create(ctx context.Context, post domain.Post) error {
	ctx = operation(ctx, "C2")
	err := p.c.create(ctx, post.ID, postItemOf(post))
	if statusOf(err) != http.StatusConflict {
		return translate(err)
	}
	current, err := p.Latest(ctx, post.ID)
	switch {
	case err != nil:
		return err
	case !current.Deleted.IsZero():
		return domain.Errorf(domain.Conflict, "This post was deleted.")
	case current.AuthorID != post.AuthorID:
		return domain.Errorf(domain.Forbidden, "You can only edit your own posts.")
	case current.Created.Equal(post.Created),
		current.Title == post.Title && current.Content == post.Content && current.Tags == post.Tags:
		return nil // this call's own earlier attempt, or one by the same form
	}
	return domain.Errorf(domain.Conflict, "The post was published meanwhile, with another text.")
}

// Edit is the editing half of C2. One transaction changes the author's own fields, so
// counters that change meanwhile are safe and likes are no conflict, and keeps the
// version that it replaces. What changes only who finds the post dates no edit and keeps
// no version, but counts as a revision too. An edit that is to be held is so from this
// transaction on, unless the post is held already. It answers Conflict when the post has moved past e.Revision
// and Forbidden when authorID did not write it.
func (p *Posts) Edit(ctx context.Context, e domain.Edit, authorID string) (domain.Post, error) {
	ctx = operation(ctx, "C2")
	if !domain.IsID(e.PostID) || !domain.IsUserID(authorID) {
		return domain.Post{}, errNoPost()
	}
	current, err := p.own(ctx, e.PostID, authorID)
	if err != nil {
		return domain.Post{}, err
	}
	if current.Revision != e.Revision {
		return edited(current, e)
	}
	var ops azcosmos.PatchOperations // ten are possible, which these are
	// Both values are of our own making, and hold no quotes.
	ops.SetCondition(fmt.Sprintf("%s and c.revision = %d and c.userId = '%s'", ifLive, e.Revision, authorID))
	setStatus(&ops, e.Status)
	ops.AppendIncrement("/revision", 1)
	ops.AppendIncrement("/version", 1)
	batch := p.c.batch(e.PostID)
	patched := 0 // which operation is the patch of the edit itself
	if e.Held != domain.NotHeld && current.Held == domain.NotHeld {
		batch.PatchItem(e.PostID, holding(e.Held, "not is_defined(c.held)"), nil)
		patched = 1
	}
	if e.Rewrites(current) {
		former := domain.JoinTags(current.FormerTags, current.Tags).Without(e.Tags)
		ops.AppendSet("/title", e.Title)
		ops.AppendSet("/content", e.Content)
		ops.AppendSet("/tags", tagNames(e.Tags.List()))
		ops.AppendSet("/formerTags", tagNames(former.List()))
		ops.AppendSet("/editDate", instant(e.At))
		batch.PatchItem(e.PostID, ops, nil)
		batch.UpsertItem(encode(versionItemOf(current.Replaced())), nil)
	} else {
		batch.PatchItem(e.PostID, ops, nil)
	}
	results, err := p.c.execute(ctx, batch, true)
	switch {
	case failedAt(err, 0, http.StatusPreconditionFailed), failedAt(err, patched, http.StatusPreconditionFailed):
		if current, err = p.own(ctx, e.PostID, authorID); err != nil {
			return domain.Post{}, err
		}
		if patched > 0 && current.Revision == e.Revision { // held meanwhile, by somebody else
			return p.Edit(ctx, e, authorID)
		}
		return edited(current, e)
	case err != nil:
		return domain.Post{}, translate(err)
	}
	return postOf(results[patched])
}

// edited tells this call's own earlier attempt, or one as good, from an edit that came
// between. An attempt that changed no text has left no date.
func edited(current domain.Post, e domain.Edit) (domain.Post, error) {
	if current.Revision == e.Revision+1 && !e.Rewrites(current) && (current.Edited.Equal(e.At) || current.Status == e.Status) {
		return current, nil
	}
	return domain.Post{}, domain.Errorf(domain.Conflict, "The post was changed in another tab or on another device.")
}

// Get is Q2: one point read. A deleted post is not found, nor is one that its author
// took back, see Own, or that is hidden, see Latest.
func (p *Posts) Get(ctx context.Context, postID string) (domain.Post, error) {
	post, err := p.Latest(ctx, postID)
	if err == nil && !post.Open() {
		return domain.Post{}, errNoPost()
	}
	return post, err
}

// live is Get that also gives an unpublished post: what somebody left there can still
// be taken away.
func (p *Posts) live(ctx context.Context, postID string) (domain.Post, error) {
	post, err := p.Latest(ctx, postID)
	if err == nil && !post.Deleted.IsZero() {
		return domain.Post{}, errNoPost()
	}
	return post, err
}

// Latest is Get that also gives a post that is unpublished or hidden, and what is left of a
// deleted one.
func (p *Posts) Latest(ctx context.Context, postID string) (domain.Post, error) {
	ctx = operation(ctx, "Q2")
	if !domain.IsID(postID) {
		return domain.Post{}, errNoPost()
	}
	item, err := read[postItem](ctx, p.c, postID, postID)
	return item.domain(), translate(err)
}

func errNoPost() error { return domain.Errorf(domain.NotFound, "There is no such post.") }

// Likes is Q5: one page of who likes a post, newest first. Of those who are suspended
// nothing is in it, so it may have fewer than a page holds.
func (p *Posts) Likes(ctx context.Context, postID string, page int) (domain.Page[domain.Like], error) {
	rows, err := query[likeItem](operation(ctx, "Q5"), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'like'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		pageOf(page, domain.LikesPerPage, parameters{"post": postID}))
	likes := make([]domain.Like, len(rows))
	for i, row := range rows {
		likes[i] = row.domain()
	}
	found := domain.Cut(likes, page, domain.LikesPerPage)
	found.Items = slices.DeleteFunc(found.Items, ofSuspended)
	return found, translate(err)
}

// LatestLikes is Q5 for whoever wants to know just some of those who like a post, at
// most so many.
func (p *Posts) LatestLikes(ctx context.Context, postID string, most int) ([]domain.Like, error) {
	rows, err := query[likeItem](operation(ctx, "latest-likes"), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'like'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET 0 LIMIT @limit`,
		parameters{"post": postID, "limit": most})
	likes := make([]domain.Like, len(rows))
	for i, row := range rows {
		likes[i] = row.domain()
	}
	return slices.DeleteFunc(likes, ofSuspended), translate(err)
}

// ofSuspended tells which likes are in no list. They are too few to be worth a predicate,
// which each look at a list would pay for.
func ofSuspended(l domain.Like) bool { return l.AuthorSuspended }

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
		return p.live(ctx, postID)
	case failedAt(err, 1, http.StatusPreconditionFailed):
		return domain.Post{}, errNoPost()
	case err != nil:
		return domain.Post{}, translate(err)
	}
	return postOf(results[1])
}

// Conditions of a patch of a post: that it is not deleted, that nobody has hidden it, that
// others find it, that it stands in lists.
const (
	ifLive   = "from c where not is_defined(c.deletionDate)"
	ifShown  = "not is_defined(c.held) and not is_defined(c.authorSuspended)"
	ifOpen   = ifLive + " and " + ifShown + " and (not is_defined(c.status) or c.status != '" + string(domain.Unpublished) + "')"
	ifListed = ifOpen + " and (not is_defined(c.status) or c.status != '" + string(domain.Unlisted) + "')"
)

// counting is the patch that goes with an item that is added to a post that others
// find, or taken from a live one: an account that is deleted takes its comments also
// from a post that was unpublished meanwhile.
func counting(path string, by int64) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifOpen)
	if by < 0 {
		ops.SetCondition(ifLive)
	}
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
	if missing(err) {
		return false, nil
	}
	return err == nil, translate(err)
}
