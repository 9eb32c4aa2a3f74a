package verify

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/feeds"
	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/names"
)

// world is a small blog with correct copies, and methods that break its rules.
type world struct {
	*cosmos.Store
	ada, bob domain.User // bob is Bob on his items
	post     domain.Post // by ada
	comment  domain.Comment
	reply    domain.Comment // see the step of that name
	summary  domain.Summary
	rids     map[string]string // of containers
	ownRows  bool              // the test has written the list of accounts
}

// anyItem is an item with any properties.
type anyItem map[string]any

// worldStep changes a blog.
type worldStep func(ctx context.Context, w *world) error

// after combines two steps.
func after(first, then worldStep) worldStep {
	return func(ctx context.Context, w *world) error { return inTurn(ctx, w, first, then) }
}

func inTurn(ctx context.Context, w *world, steps ...worldStep) error {
	for _, do := range steps {
		if err := do(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Store: newWorldStore(t), rids: make(map[string]string)}
	w.must(t, inTurn(t.Context(), w, writeWorld, projectWorld, projectRows, leaseWorld))
	return w
}

func (w *world) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func writeWorld(ctx context.Context, w *world) (err error) {
	now := time.Now()
	for name, user := range map[string]*domain.User{"ada": &w.ada, "Bob": &w.bob} {
		if *user, err = domain.NewUser(name, now); err == nil {
			err = w.Accounts.Create(ctx, *user, "hash")
		}
		if err != nil {
			return err
		}
	}
	if w.post, err = domain.NewPost(w.ada, "Title", "Some *text*.", now); err != nil {
		return err
	}
	w.post.Tags = "Go,Über uns"
	if err := w.Posts.Create(ctx, w.post); err != nil {
		return err
	}
	if w.comment, err = domain.NewComment(w.bob, w.post.ID, "Hello", now); err != nil {
		return err
	}
	if _, err := w.Posts.AddComment(ctx, w.comment); err != nil {
		return err
	}
	_, err = w.Posts.Like(ctx, domain.NewLike(w.bob, w.post.ID, now))
	return err
}

func projectWorld(ctx context.Context, w *world) error {
	post, err := w.Posts.Get(ctx, w.post.ID)
	if err != nil {
		return err
	}
	w.summary = markdown.New().Summarize(post)
	if err := w.UserCopies.ApplySummary(ctx, w.summary); err != nil {
		return err
	}
	for _, key := range w.post.Tags.Keys() {
		if err := w.Tags.ApplySummary(ctx, key, w.summary); err != nil {
			return err
		}
	}
	return w.Feed.Apply(ctx, []domain.Summary{w.summary})
}

// projectRows gives all comments their rows, and deletes those of missing comments. It does nothing without overviews.
func projectRows(ctx context.Context, w *world) error {
	rewrite := func(t domain.Target) error {
		return w.CommentRows.Rewrite(ctx, t, func(ctx context.Context) (domain.CommentRow, error) {
			c, err := w.Posts.Comment(ctx, t.PostID, t.CommentID)
			if err == nil && !c.Deleted.IsZero() {
				err = domain.NewError(domain.NotFound, "")
			}
			return c.Row(markdown.New().Text(c.Content, domain.CommentRowText)), err
		})
	}
	err := client.Scan(ctx, w.Container(schema.PostsContainer), `SELECT * FROM c WHERE c.type = 'comment'`, nil,
		func(c posts.CommentItem) error { return rewrite(domain.Target{PostID: c.PostID, CommentID: c.ID}) })
	if client.NoContainer(err) { // the database of an earlier release
		return nil
	}
	if err != nil {
		return err
	}
	return w.CommentRows.Each(ctx, func(part []domain.Target) error {
		for _, t := range part {
			if err := rewrite(t); err != nil {
				return err
			}
		}
		return nil
	})
}

// leaseWorld gives each processor two leases, of different ages.
func leaseWorld(ctx context.Context, w *world) error {
	for name, c := range map[string]*client.Container{"users": w.Container(schema.UsersContainer),
		"posts": w.Container(schema.PostsContainer)} {
		resp, err := c.Client.Read(ctx, nil)
		if err != nil {
			return err
		}
		w.rids[name] = resp.ContainerProperties.ResourceID
		if err := w.putLease(ctx, name,
			anyItem{"container": w.rids[name], "continuation": w.continuation(name, "", "1F")}); err != nil {
			return err
		}
		if err := w.Leases.Create(ctx, feeds.Lease{Processor: name,
			Range: feeds.Range{MinInclusive: "1F", MaxExclusive: "FF"}}); err != nil {
			return err
		}
	}
	return nil
}

// leaseID is the id of a processor's first lease.
func (w *world) leaseID(processor string) string {
	return schema.LeaseID(processor, feeds.Range{MinInclusive: "", MaxExclusive: "1F"})
}

// putLease writes a processor's first lease with additional properties.
func (w *world) putLease(ctx context.Context, processor string, properties anyItem) error {
	lease := anyItem{"id": w.leaseID(processor), "type": "lease", "processor": processor, "minInclusive": "",
		"maxExclusive": "1F",
		"owner":        "", "continuation": "", "renewed": schema.Instant{}}
	for name, value := range properties {
		lease[name] = value
	}
	return w.put(ctx, w.Container(schema.LeasesContainer), lease)
}

// setLease changes some properties of a processor's first lease.
func (w *world) setLease(ctx context.Context, processor string, properties anyItem) error {
	id := w.leaseID(processor)
	for name, value := range properties {
		if err := w.Container(schema.LeasesContainer).Patch(ctx, id, id, set("/"+name, value)); err != nil {
			return err
		}
	}
	return nil
}

// continuation is a token for the ranges between pairs of bounds.
func (w *world) continuation(processor string, bounds ...string) string {
	var ranges []anyItem
	for i := 0; i < len(bounds); i += 2 {
		ranges = append(ranges, anyItem{"minInclusive": bounds[i], "maxExclusive": bounds[i+1],
			"continuationToken": `"17"`})
	}
	return string(client.Encode(anyItem{"version": 1, "resourceId": w.rids[processor], "continuation": ranges}))
}

// put writes an item, and replaces an existing one.
func (w *world) put(ctx context.Context, c *client.Container, i anyItem) error {
	property := map[*client.Container]string{
		w.Container(schema.UsersContainer):       "userId",
		w.Container(schema.PostsContainer):       "postId",
		w.Container(schema.FeedContainer):        "type",
		w.Container(schema.TagsContainer):        "tag",
		w.Container(schema.LeasesContainer):      "id",
		w.Container(schema.RedirectsContainer):   "id",
		w.Container(schema.LimitsContainer):      "id",
		w.Container(schema.CostsContainer):       "span",
		w.Container(schema.DeadLettersContainer): "processor",
	}[c]
	_, err := c.Client.UpsertItem(ctx, client.Key(i[property].(string)), client.Encode(i), nil)
	return err
}

// reserve reserves a name for a user, as an interrupted sign-up does.
func (w *world) reserve(ctx context.Context, userID, name string) error {
	skeleton := names.Skeleton(name)
	id := schema.SkeletonID(skeleton)
	if err := w.put(ctx, w.Container(schema.UsersContainer),
		anyItem{"id": name, "type": "username", "userId": name, "ownerId": userID, "ttl": 300}); err != nil {
		return err
	}
	return w.put(ctx, w.Container(schema.UsersContainer),
		anyItem{"id": id, "type": "skeleton", "userId": id, "ownerId": userID,
			"skeleton": skeleton, "ttl": 300})
}

// putItem is put for an item of a storage type.
func (w *world) putItem(ctx context.Context, c *client.Container, partition string, item any) error {
	_, err := c.Client.UpsertItem(ctx, client.Key(partition), client.Encode(item), nil)
	return err
}

// deletePost leaves the marker and tombstones of a deleted post.
func deletePost(ctx context.Context, w *world) error {
	now := schema.Instant(time.Now())
	marker := anyItem{"id": w.post.ID, "type": "post", "postId": w.post.ID, "userId": w.ada.ID, "commentCount": 0,
		"likeCount":    0,
		"creationDate": schema.Instant(w.post.Created), "deletionDate": now, "revision": 1, "version": 6,
		"erased": true, "ttl": 2592000}
	tombstone := anyItem{"id": w.post.ID, "type": "deleted-post", "postId": w.post.ID, "userId": w.ada.ID, "version": 4,
		"creationDate": schema.Instant(w.post.Created), "deletionDate": now, "ttl": 3600}
	return inTurn(ctx, w,
		func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, w.comment.ID)
		},
		func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, domain.LikeID(w.bob.ID))
		},
		func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.PostsContainer), marker)
		},
		func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.PostsContainer),
				anyItem{"id": "used-address", "type": "used-address", "postId": w.post.ID})
		},
		func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.UsersContainer), tombstone)
		},
		func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.TagsContainer), w.tagTombstone("go"))
		},
		func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.TagsContainer), w.tagTombstone("über-uns"))
		},
		func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.FeedContainer), w.feedTombstone())
		})
}

func (w *world) tagTombstone(key string) anyItem {
	return anyItem{"id": w.post.ID, "type": "deleted-post", "tag": key, "postId": w.post.ID, "userId": w.ada.ID,
		"version":      4,
		"creationDate": schema.Instant(w.post.Created), "deletionDate": schema.Instant(time.Now()), "ttl": 3600}
}

// withdraw gives ada's post another status and updates its copies.
func withdraw(status domain.Status) worldStep {
	return func(ctx context.Context, w *world) error {
		return inTurn(ctx, w,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/status", status))
			},
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.post.ID,
					set("/type", schema.CopyType(status)))
			},
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.TagsContainer), w.tagTombstone("go"))
			},
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.TagsContainer), w.tagTombstone("über-uns"))
			},
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.FeedContainer), w.feedTombstone())
			})
	}
}

func (w *world) feedTombstone() anyItem {
	return anyItem{"id": w.post.ID, "type": "post", "postId": w.post.ID, "userId": w.ada.ID, "version": 4,
		"creationDate": schema.Instant{}, "deletionDate": schema.Instant(time.Now()), "ttl": 3600}
}

// deleteAda leaves the markers of ada's account after its deletion is complete.
func deleteAda(ctx context.Context, w *world) error {
	marker := anyItem{"id": w.ada.ID, "type": "user", "userId": w.ada.ID,
		"creationDate": schema.Instant(w.ada.Created), "nameVersion": 1,
		"spreadVersion": 1, "deletionDate": schema.Instant(time.Now()), "erased": true, "ttl": 2592000}
	return inTurn(ctx, w, deletePost,
		func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Delete(ctx, w.ada.ID, schema.CredentialsID)
		},
		func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Delete(ctx, "ada", "ada")
		},
		func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Delete(ctx, schema.SkeletonID("ada"), schema.SkeletonID("ada"))
		},
		func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.UsersContainer), marker)
		})
}

// fillFeed writes enough newer posts to displace ada's post from the feed.
func fillFeed(ctx context.Context, w *world) error {
	markdown := markdown.New()
	var newer []domain.Summary
	for i := range domain.FeedLimit {
		post, err := domain.NewPost(w.bob, fmt.Sprint("Post ", i), "Text.",
			w.post.Created.Add(time.Duration(i+1)*time.Minute))
		if err == nil {
			err = w.Posts.Create(ctx, post)
		}
		newer = append(newer, markdown.Summarize(post))
		if err == nil {
			err = w.UserCopies.ApplySummary(ctx, newer[i])
		}
		if err != nil {
			return err
		}
	}
	return w.Feed.Apply(ctx, newer)
}

// violations runs Verify and returns the reported violations.
func (w *world) violations(t *testing.T) (found []Violation) {
	t.Helper()
	if !w.ownRows {
		listAccounts(t.Context(), w)
	}
	progress := 0
	counts, err := Verify(t.Context(), w.Database, markdown.New(), func(items int) { progress = items },
		func(v Violation) { found = append(found, v) }, "posts", "users")
	if err != nil {
		t.Fatal(err)
	}
	total, err := w.CountItems(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if counts.Items == 0 || progress != counts.Items || total != counts.Items {
		t.Errorf("read %d items, %d were reported as progress, want %d", counts.Items, progress, total)
	}
	if counts.Violations != len(found) {
		t.Errorf("%d violations counted, %d reported", counts.Violations, len(found))
	}
	return found
}

func set(path string, value any) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.AppendSet(path, value)
	return ops
}
