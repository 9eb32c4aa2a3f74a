package cosmos

import (
	"context"
	"time"

	"inkfeed/domain"
)

// soundCase is something that may be there although most blogs are without it.
type soundCase struct {
	name string
	do   func(ctx context.Context, w *world) error
}

func soundCases() []soundCase {
	return []soundCase{
		{"a blog as it is most of the time", func(context.Context, *world) error { return nil }},
		{"a name that a sign-up under way reserved", func(ctx context.Context, w *world) error {
			return w.Users.reserve(ctx, domain.NewUserID(nil), "carol")
		}},
		{"a name that a rename under way reserved", func(ctx context.Context, w *world) error {
			return w.Users.reserve(ctx, w.ada.ID, "lovelace")
		}},
		{"the old name of somebody renamed", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Users.c, anyItem{"id": "countess", "type": "username", "userId": "countess", "ownerId": w.ada.ID, "ttl": -1})
		}},
		{"a deleted post", deletePost},
		{"a deleted post whose tombstones are gone", func(ctx context.Context, w *world) error {
			return inTurn(ctx, w, deletePost, func(ctx context.Context, w *world) error {
				return w.Users.c.delete(ctx, w.ada.ID, w.post.ID)
			}, func(ctx context.Context, w *world) error {
				return w.Feed.c.delete(ctx, typePost, w.post.ID)
			})
		}},
		{"a deleted post whose marker is gone before its tombstones", func(ctx context.Context, w *world) error {
			return inTurn(ctx, w, deletePost, func(ctx context.Context, w *world) error {
				return w.Posts.c.delete(ctx, w.post.ID, w.post.ID)
			})
		}},
		{"a deleted account", deleteAda},
		{"a deleted account whose marker is gone before its posts'", func(ctx context.Context, w *world) error {
			return inTurn(ctx, w, deleteAda, func(ctx context.Context, w *world) error {
				return w.Users.c.delete(ctx, w.ada.ID, w.ada.ID)
			})
		}},
		{"the 101st post, which has no place in the feed", fillFeed},
		{"a lease that is owned", func(ctx context.Context, w *world) error {
			return w.setLease(ctx, "posts", anyItem{"owner": "one", "renewed": time.Now()})
		}},
		{"a lease that does not know its container, as they once did not", func(ctx context.Context, w *world) error {
			return w.setLease(ctx, "posts", anyItem{"container": ""})
		}},
		{"a lease whose range has been split", func(ctx context.Context, w *world) error {
			return w.setLease(ctx, "posts", anyItem{"continuation": w.continuation("posts", "10", "1F", "", "10")})
		}},
		{"the lease of a rebuild", func(ctx context.Context, w *world) error {
			return w.putLease(ctx, "rebuild.posts", anyItem{})
		}},
		{"a database from before there were dead letters", func(ctx context.Context, w *world) error {
			_, err := w.DeadLetters.c.client.Delete(ctx, nil)
			return err
		}},
	}
}
