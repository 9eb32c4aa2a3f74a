package site

import (
	"context"
	"io"

	"inkfeed/domain"
)

type PostGetter interface {
	Get(ctx context.Context, postID string) (domain.Post, error)
}

// LatestGetter gives what is left of a deleted post, too.
type LatestGetter interface {
	Latest(ctx context.Context, postID string) (domain.Post, error)
}

type OwnPostGetter interface {
	// Own is the user's post, also when it is unpublished; anything else is NotFound.
	Own(ctx context.Context, postID, userID string) (domain.Post, error)
}

type CommentGetter interface {
	Comment(ctx context.Context, postID, commentID string) (domain.Comment, error)
}

type AccountFinder interface {
	// Account finds suspended users, too.
	Account(ctx context.Context, userID string) (domain.User, error)
	AccountByName(ctx context.Context, username string) (domain.User, error)
}

type AccountGetter interface {
	// Account is ByID that also gives a suspended user.
	Account(ctx context.Context, userID string) (domain.User, error)
}

type UserByName interface {
	// ByName finds a user by the present or a former name, in any case of letters.
	ByName(ctx context.Context, username string) (domain.User, error)
}

type BlockChecker interface {
	// Blocks tells whether a user has blocked another.
	Blocks(ctx context.Context, userID, otherID string) (bool, error)
}

type TagLister interface {
	// PostsOf gives a page of the posts that have the tag of that key, newest first.
	PostsOf(ctx context.Context, key string, page int) (domain.Page[domain.Summary], error)
}

type PostLister interface {
	PostsOf(ctx context.Context, userID string, page int) (domain.Page[domain.Summary], error)
}

type FrontPager interface {
	FrontPage(ctx context.Context, page int) (domain.Page[domain.Summary], error)
}

type DraftGetter interface {
	Get(ctx context.Context, userID, postID string) (domain.Draft, error)
}

type FileOpener interface {
	// Open opens a file that the caller closes. It is NotFound when there is none.
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
}

type CommentLister interface {
	// Comments gives a page of comments, oldest first, replies below their parents.
	Comments(ctx context.Context, postID string, page int) (domain.Page[domain.Comment], error)
}

type SessionEnder interface {
	DeleteOthers(ctx context.Context, userID, keep string) error
}

type ImageOwner interface {
	// Owner finds whose picture that is. It costs a query over all partitions.
	Owner(ctx context.Context, name domain.ImageName) (userID string, err error)
}
