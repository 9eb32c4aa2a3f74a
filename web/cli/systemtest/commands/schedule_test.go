package commands

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"testing"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/web/cli/config"
	"inkfeed/web/cli/systemtest/harness"
)

// draftScheduler schedules drafts of one user on an engine that servers share, and checks that they are published.
type draftScheduler struct {
	t      *testing.T
	store  *cosmos.Store
	author domain.User
	drafts []domain.Draft
}

func newDraftScheduler(t *testing.T, env map[string]string) *draftScheduler {
	t.Helper()
	c := config.New(func(name string) string { return env[name] })
	store, closeStore, err := c.Open(t.Context(), cosmos.Options{}, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeStore)
	author, err := domain.NewUser("author", time.Now())
	if err == nil {
		err = store.Accounts.Create(t.Context(), author, "hash")
	}
	if err != nil {
		t.Fatal(err)
	}
	return &draftScheduler{t: t, store: store, author: author}
}

// schedule schedules n new drafts and then n changes of published posts. The first is due after the duration in, and
// each further one after the duration apart from the one before.
func (d *draftScheduler) schedule(n int, in, apart time.Duration) {
	d.t.Helper()
	ctx := d.t.Context()
	for i := range 2 * n {
		draft := domain.Draft{
			PostID: domain.NewID(), AuthorID: d.author.ID, Title: fmt.Sprint("Draft ", i), Content: "text",
		}
		if i >= n {
			post, err := domain.NewPost(d.author, "Post", "text", time.Now())
			if err == nil {
				err = d.store.Posts.Create(ctx, post)
			}
			if err != nil {
				d.t.Fatal(err)
			}
			draft.PostID, draft.Revision = post.ID, 1
		}
		draft, err := d.store.Drafts.Save(ctx, draft)
		if err == nil {
			draft, err = d.scheduleOne(draft, in+time.Duration(i)*apart)
		}
		if err != nil {
			d.t.Fatal(err)
		}
		d.drafts = append(d.drafts, draft)
	}
}

// scheduleOne schedules a draft for the duration in from now. On a slow machine this time can be over when the request
// arrives; then it tries a later time.
func (d *draftScheduler) scheduleOne(draft domain.Draft, in time.Duration) (domain.Draft, error) {
	for {
		at := time.Now().Add(in)
		scheduled, err := d.store.Drafts.Schedule(d.t.Context(), draft.AuthorID, draft.PostID, draft.Version, at)
		if !domain.Is(err, domain.Invalid) || in > time.Minute {
			return scheduled, err
		}
		in *= 2
	}
}

// checkPublished waits until all drafts are published, and checks that each was published once, with its scheduled
// time.
func (d *draftScheduler) checkPublished() {
	d.t.Helper()
	ctx := d.t.Context()
	harness.Eventually(d.t, "all drafts are published", func() bool {
		left, err := d.store.Drafts.List(ctx, d.author.ID, 1)
		if err != nil {
			d.t.Fatal(err)
		}
		return len(left.Items) == 0
	})
	for _, draft := range d.drafts {
		post, err := d.store.Posts.Get(ctx, draft.PostID)
		if err != nil {
			d.t.Fatalf("the post of %s, scheduled for %s: %v", draft.Title, draft.Publish, err)
		}
		published := post.Created
		if draft.Revision > 0 {
			published = post.Edited
		}
		if post.Title != draft.Title || post.Revision != draft.Revision+1 || post.Version != draft.Revision+1 ||
			!published.Equal(draft.Publish) {
			d.t.Errorf("%+v was published as %+v", draft, post)
		}
		versions, err := d.store.Posts.Versions(ctx, draft.PostID, 1)
		if err != nil || len(versions.Items) != draft.Revision {
			d.t.Errorf("%d versions of %s (error %v), want %d", len(versions.Items), draft.Title, err, draft.Revision)
		}
		if _, err := d.store.Drafts.Get(ctx, d.author.ID, draft.PostID); !domain.Is(err, domain.NotFound) {
			d.t.Errorf("the draft of %s: error %v, want NotFound", draft.Title, err)
		}
	}
}

func TestScheduledDraftsArePublishedOnceByAnyServer(t *testing.T) {
	t.Parallel()
	t.Run("by two servers at once", func(t *testing.T) {
		env := harness.OnEngine(t, "--ranges", "2")
		d := newDraftScheduler(t, env)
		for range 2 {
			harness.Serve(t, env, "--addr", "127.0.0.1:0")
		}
		d.schedule(10, 200*time.Millisecond, 20*time.Millisecond)
		d.checkPublished()
		harness.Verify(t, env, "--wait")
	})
	t.Run("when servers start, if none ran at the time", func(t *testing.T) {
		env := harness.OnEngine(t, "--ranges", "2")
		d := newDraftScheduler(t, env)
		d.schedule(10, time.Millisecond, 0)
		for range 2 {
			harness.Serve(t, env, "--addr", "127.0.0.1:0")
		}
		d.checkPublished()
		harness.Verify(t, env, "--wait")
	})
	t.Run("while servers are killed", func(t *testing.T) {
		env := harness.OnEngine(t, "--ranges", "2")
		maps.Copy(env, harness.QuickLeases)
		d := newDraftScheduler(t, env)
		var log harness.Logs
		victim := harness.Spawn(t, env, &log, "--addr", "127.0.0.1:0")
		d.schedule(15, 50*time.Millisecond, 10*time.Millisecond)
		for range 4 { // while it publishes
			if err := victim.Kill(); err != nil {
				t.Fatal(err)
			}
			victim = harness.Spawn(t, env, &log, "--addr", "127.0.0.1:0")
		}
		d.checkPublished()
		if err := victim.Stop(); err != nil {
			t.Error(err)
		}
		harness.Verify(t, env, "--wait")
	})
}
