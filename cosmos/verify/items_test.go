package verify

import (
	"context"

	"inkfeed/cosmos/feeds"
	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

func brokenItems() []brokenCase {
	return []brokenCase{
		{ruleTypes, "an unknown type in users", `users item x of x: type "thing"`,
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "x", "userId": "x", "type": "thing"})
			}},
		{ruleTypes, "a missing type in posts", `posts item x of post x: type ""`,
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.PostsContainer), anyItem{"id": "x", "postId": "x"})
			}},
		{ruleTypes, "an unknown type in feed", `feed item x: type "draft"`, func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.FeedContainer), anyItem{"id": "x", "postId": "x", "type": "draft"})
		}},
		{ruleTypes, "an unknown type in tags", `tags item x of go: type "thing"`,
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.TagsContainer),
					anyItem{"id": "x", "tag": "go", "postId": "x", "type": "thing"})
			}},
		{ruleShapes, "an unknown status", `there is no status "secret"`, func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/status", "secret"))
		}},
		{ruleShapes, "a mention of a name that the text does not have", `it mentions "nobody"`,
			mentions(adaPost, domain.Mention{Name: "nobody", UserID: domain.NewUserID(nil)})},
		{ruleShapes, "a mention without a user", `it mentions "text", the user "x"`,
			mentions(bobComment, domain.Mention{Name: "text", UserID: "x"})},
		{ruleShapes, "a name that is mentioned twice", `it mentions "ADA"`, mentions(bobComment,
			domain.Mention{Name: "ada", UserID: domain.NewUserID(nil)},
			domain.Mention{Name: "ADA", UserID: domain.NewUserID(nil)})},
		{ruleShapes, "too many mentions", "it has 21 mentions", mentions(bobComment, make([]domain.Mention, 21)...)},
		{ruleShapes, "a mention in a like", "it has 1 mentions",
			mentions(func(w *world) string { return domain.LikeID(w.bob.ID) },
				domain.Mention{Name: "ada", UserID: domain.NewUserID(nil)})},
		{ruleIDs, "a copy in tags with another id", "tags item x of go: it is a copy of post ",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.TagsContainer),
					anyItem{"id": "x", "type": "post", "tag": "go", "postId": w.post.ID})
			}},
		{ruleIDs, "a tag with another key", `tags item x of Go: the key of such a tag is "go"`,
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.TagsContainer),
					anyItem{"id": "x", "type": "post", "tag": "Go", "postId": "x"})
			}},
		{ruleExpiry, "a copy in tags", "in tag go: it expires in 3600 seconds",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.TagsContainer).Patch(ctx, "go", w.post.ID, set("/ttl", 3600))
			}},
		{ruleTypes, "an unknown type in leases", `leases item x: type "draft"`,
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.LeasesContainer), anyItem{"id": "x", "type": "draft"})
			}},
		{ruleTypes, "an unknown type in deadletters", `deadletters item x: type "draft"`,
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.DeadLettersContainer),
					anyItem{"id": "x", "processor": "posts", "type": "draft"})
			}},
		{ruleShapes, "a text instead of a number", "posts item", func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/version", "one"))
		}},
		{ruleShapes, "a date that does not sort as text", `"2026-01-01T00:00:00Z" is not a date`,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.post.ID,
					set("/creationDate", "2026-01-01T00:00:00Z"))
			}},
		{ruleIDs, "a user with another id", "a user's id is that of its partition",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "x", "userId": w.bob.ID, "type": "user", "username": "Bob"})
			}},
		{ruleIDs, "credentials with another id", `credentials are found as "credentials"`,
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "x", "userId": w.bob.ID, "type": "credentials"})
			}},
		{ruleIDs, "a name in another partition", "users item carol of Carol",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "carol", "userId": "Carol", "type": "username", "ownerId": w.bob.ID, "ttl": -1})
			}},
		{ruleIDs, "a name that is not its key", "users item Carol of Carol", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.UsersContainer),
				anyItem{"id": "Carol", "userId": "Carol", "type": "username", "ownerId": w.bob.ID, "ttl": -1})
		}},
		{ruleIDs, "a post with another id", "a post's id is that of its partition",
			func(ctx context.Context, w *world) error {
				post := posts.PostItemOf(w.post)
				post.ID = domain.NewID()
				return w.Container(schema.PostsContainer).Create(ctx, w.post.ID, post)
			}},
		{ruleIDs, "a copy in users with another id", "it is a copy of post ",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "x", "userId": w.ada.ID, "type": "post", "postId": w.post.ID})
			}},
		{ruleIDs, "a tombstone in users with another id", "it is a tombstone of post ",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "x", "userId": w.ada.ID, "type": "deleted-post", "postId": w.post.ID})
			}},
		{ruleIDs, "a copy in feed with another id", "feed item x: it is a copy of post ",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.FeedContainer),
					anyItem{"id": "x", "type": "post", "postId": w.post.ID})
			}},
		{ruleLikeIDs, "a like with another id", "like like-2", func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Create(ctx, w.post.ID,
				posts.LikeItem{ID: "like-2", Type: schema.TypeLike, PostID: w.post.ID,
					UserID: w.bob.ID, UserUsername: "Bob"})
		}},
		{ruleCounts, "a missing comment", "commentCount is 1, there are 0", func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, w.comment.ID)
		}},
		{ruleCounts, "a missing like", "likeCount is 1, there are 0", func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, domain.LikeID(w.bob.ID))
		}},
		{ruleCounts, "a comment of a deleted post that is not counted", "commentCount is 0, there are 1",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Create(ctx, w.post.ID, posts.CommentItemOf(w.comment))
			})},
		{ruleOrphans, "comments and likes without a post", "it has 1 comments and 1 likes but does not exist",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, w.post.ID)
			}},
		{ruleOrphans, "a copy without a post", "in users: there is no such post",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, w.post.ID)
			}},
		{ruleOrphans, "credentials without a user", "credentials of nobody: there is no such user",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "credentials", "type": "credentials", "userId": "nobody"})
			}},
		{ruleExpiry, "a user", "the user expires", func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID, set("/ttl", 3600))
		}},
		{ruleExpiry, "credentials", "credentials of", func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, schema.CredentialsID, set("/ttl", 3600))
		}},
		{ruleExpiry, "a post", "post ", func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/ttl", 3600))
		}},
		{ruleExpiry, "a comment", "comment ", func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.comment.ID, set("/ttl", 3600))
		}},
		{ruleExpiry, "a copy in users", "in users: it expires in 3600 seconds",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.post.ID, set("/ttl", 3600))
			}},
		{ruleExpiry, "a copy in feed", "in feed: it expires in 3600 seconds",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.FeedContainer).Patch(ctx, schema.TypePost, w.post.ID, set("/ttl", 3600))
			}},
		{ruleDeadLetters, "a dead letter", "item i of p: for processor posts: too much",
			func(ctx context.Context, w *world) error {
				return w.DeadLetters.Put(ctx, feeds.DeadLetter{Processor: "posts",
					Item: feeds.ItemRef{PartitionKey: "p", ID: "i"}, Error: "too much"})
			}},
	}
}

// mentions sets the mentions of an item in the partition of the world's post.
func mentions(id func(*world) string, list ...domain.Mention) worldStep {
	return func(ctx context.Context, w *world) error {
		return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, id(w), set("/mentions", list))
	}
}

func adaPost(w *world) string    { return w.post.ID }
func bobComment(w *world) string { return w.comment.ID }
