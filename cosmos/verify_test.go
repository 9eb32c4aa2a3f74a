package cosmos

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// world is a small blog whose copies are right, and handles to break it by.
type world struct {
	*Store
	ada, bob domain.User
	post     domain.Post
	comment  domain.Comment
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Store: newStore(t, direct)}
	var err error
	ctx, now := t.Context(), time.Now()
	try := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, user := range map[string]*domain.User{"ada": &w.ada, "bob": &w.bob} {
		*user, err = domain.NewUser(name, now)
		try(err)
		try(w.Users.Create(ctx, *user, "hash"))
	}
	w.post, err = domain.NewPost(w.ada, "Title", "Some *text*.", now)
	try(err)
	try(w.Posts.Create(ctx, w.post))
	w.comment, err = domain.NewComment(w.bob, w.post.ID, "Hello", now)
	try(err)
	_, err = w.Posts.AddComment(ctx, w.comment)
	try(err)
	_, err = w.Posts.Like(ctx, domain.NewLike(w.bob, w.post.ID, now))
	try(err)
	post, err := w.Posts.Get(ctx, w.post.ID)
	try(err)
	summary := domain.NewMarkdown().Summarize(post)
	try(w.Users.ApplySummary(ctx, summary))
	try(w.Feed.Apply(ctx, []domain.Summary{summary}))
	for _, r := range []domain.FeedRange{{MinInclusive: "", MaxExclusive: "1F"}, {MinInclusive: "1F", MaxExclusive: "FF"}} {
		try(w.Leases.Create(ctx, domain.Lease{Processor: "posts", Range: r}))
	}
	return w
}

func (w *world) violations(t *testing.T) []string {
	t.Helper()
	var rules []string
	counts, err := w.Verify(t.Context(), domain.NewMarkdown(), func(int) {}, func(v Violation) {
		t.Log(v)
		rules = append(rules, v.Rule)
	})
	if err != nil {
		t.Fatal(err)
	}
	if counts.Items == 0 || counts.Users == 0 || counts.Posts == 0 {
		t.Errorf("looked at %+v", counts)
	}
	return rules
}

func set(path string, value any) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.AppendSet(path, value)
	return ops
}

func TestVerify(t *testing.T) {
	t.Run("a sound blog has no violation", func(t *testing.T) {
		if rules := newWorld(t).violations(t); len(rules) != 0 {
			t.Errorf("violations: %v", rules)
		}
	})
	t.Run("a name that a sign-up under way reserved is none", func(t *testing.T) {
		w := newWorld(t)
		if err := w.Users.reserve(t.Context(), domain.NewUserID(nil), "carol"); err != nil {
			t.Fatal(err)
		}
		if rules := w.violations(t); len(rules) != 0 {
			t.Errorf("violations: %v", rules)
		}
	})
	for rule, breakIt := range map[string]func(ctx context.Context, w *world) error{
		"counts equal items": func(ctx context.Context, w *world) error {
			return w.Posts.c.delete(ctx, w.post.ID, w.comment.ID)
		},
		"copies equal projections": func(ctx context.Context, w *world) error {
			return w.Users.c.patch(ctx, w.ada.ID, w.post.ID, set("/likeCount", 7))
		},
		"copies equal projections, also in feed": func(ctx context.Context, w *world) error {
			return w.Feed.c.patch(ctx, typePost, w.post.ID, set("/content", "The whole text."))
		},
		"copies equal projections, and are there": func(ctx context.Context, w *world) error {
			return w.Users.c.delete(ctx, w.ada.ID, w.post.ID)
		},
		"the feed is the newest posts": func(ctx context.Context, w *world) error {
			return w.Feed.c.delete(ctx, typePost, w.post.ID)
		},
		"the feed is the newest posts, and nothing else": func(ctx context.Context, w *world) error {
			return w.Feed.c.create(ctx, typePost, summaryItem{ID: "x", PostID: "x", Type: typePost})
		},
		"usernames are current": func(ctx context.Context, w *world) error {
			return w.Posts.c.patch(ctx, w.post.ID, w.comment.ID, set("/userUsername", "robert"))
		},
		"authors exist": func(ctx context.Context, w *world) error {
			return w.Posts.c.patch(ctx, w.post.ID, w.comment.ID, set("/userId", domain.NewUserID(nil)))
		},
		"usernames are reserved": func(ctx context.Context, w *world) error {
			return w.Users.c.delete(ctx, "bob", "bob")
		},
		"usernames are reserved, for good": func(ctx context.Context, w *world) error {
			return w.Users.c.patch(ctx, "bob", "bob", set("/ttl", 300))
		},
		"usernames are reserved, for their user": func(ctx context.Context, w *world) error {
			return w.Users.c.patch(ctx, "bob", "bob", set("/ownerId", w.ada.ID))
		},
		"reserved names have an owner": func(ctx context.Context, w *world) error {
			return w.Users.c.create(ctx, "carol", usernameItem{ID: "carol", Type: typeUsername, UserID: "carol",
				OwnerID: domain.NewUserID(nil), TTL: forever})
		},
		"users have credentials": func(ctx context.Context, w *world) error {
			return w.Users.c.delete(ctx, w.bob.ID, credentialsID)
		},
		"renames are spread": func(ctx context.Context, w *world) error {
			return w.Users.c.patch(ctx, w.bob.ID, w.bob.ID, set("/nameVersion", 2))
		},
		"nothing is orphaned": func(ctx context.Context, w *world) error {
			return w.Posts.c.delete(ctx, w.post.ID, w.post.ID)
		},
		"nothing is orphaned, no credentials either": func(ctx context.Context, w *world) error {
			id := domain.NewUserID(nil)
			return w.Users.c.create(ctx, id, credentialsItem{ID: credentialsID, Type: typeCredentials, UserID: id})
		},
		"a like's id is derived from the user's": func(ctx context.Context, w *world) error {
			return w.Posts.c.create(ctx, w.post.ID, likeItem{ID: "like-2", Type: typeLike, PostID: w.post.ID,
				UserID: w.bob.ID, UserUsername: "bob"})
		},
		"a post has one copy in users": func(ctx context.Context, w *world) error {
			return w.Users.c.create(ctx, w.bob.ID, summaryItem{ID: w.post.ID, PostID: w.post.ID, Type: typePost, UserID: w.bob.ID})
		},
		"items are of a known type": func(ctx context.Context, w *world) error {
			return w.Users.c.create(ctx, "x", map[string]string{"id": "x", "userId": "x", "type": "draft"})
		},
		"a post's id is that of its partition": func(ctx context.Context, w *world) error {
			item := postItemOf(w.post)
			item.ID = domain.NewID()
			return w.Posts.c.create(ctx, w.post.ID, item)
		},
		"a post's id is that of its partition, in feed too": func(ctx context.Context, w *world) error {
			item := summaryItemOf(domain.NewMarkdown().Summarize(w.post))
			item.ID = domain.NewID()
			return w.Feed.c.create(ctx, typePost, item)
		},
		"items are of a known type, in feed too": func(ctx context.Context, w *world) error {
			return w.Feed.c.create(ctx, "draft", summaryItem{ID: "x", PostID: "x", Type: "draft"})
		},
		"leases tile the hash space": func(ctx context.Context, w *world) error {
			id := leaseID("posts", domain.FeedRange{MinInclusive: "", MaxExclusive: "1F"})
			return w.Leases.c.delete(ctx, id, id)
		},
	} {
		t.Run(rule, func(t *testing.T) {
			w := newWorld(t)
			if err := breakIt(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			want, _, _ := strings.Cut(rule, ",")
			if rules := w.violations(t); !slices.Contains(rules, want) {
				t.Errorf("violations: %v", rules)
			}
		})
	}
}
