package cosmos

import (
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// drafter is an author with a post, on a store that stalls at a request of the test's choice.
type drafter struct {
	*Store
	*stalling
	t      *testing.T
	author domain.User
	post   domain.Post
}

func newDrafter(t *testing.T) *drafter {
	t.Helper()
	d := &drafter{t: t}
	d.Store, d.stalling = newStalling(t)
	d.author = mustUser(t, d.Store, "ada")
	var err error
	d.post, err = domain.NewPost(d.author, "A title", "Some text.", time.Now())
	d.check(err)
	d.check(d.Posts.Create(t.Context(), d.post))
	return d
}

func (d *drafter) check(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// save saves a draft with another title.
func (d *drafter) save(draft domain.Draft, title string) domain.Draft {
	d.t.Helper()
	draft.Title = title
	draft, err := d.Drafts.Save(d.t.Context(), draft)
	d.check(err)
	return draft
}

// change saves a draft that changes the post.
func (d *drafter) change() domain.Draft {
	d.t.Helper()
	return d.save(domain.DraftOf(d.post, time.Now()), "Another title")
}

func (d *drafter) unpublish() domain.Draft {
	d.t.Helper()
	draft, err := d.Drafts.Unpublish(d.t.Context(), d.author.ID, d.post.ID)
	d.check(err)
	return draft
}

func (d *drafter) discard(draft domain.Draft) error {
	return d.Drafts.Discard(d.t.Context(), d.author.ID, draft.PostID, draft.Version)
}

func (d *drafter) wantTitle(title string) {
	d.t.Helper()
	draft, err := d.Drafts.Get(d.t.Context(), d.author.ID, d.post.ID)
	if err != nil || draft.Title != title {
		d.t.Errorf("the draft is %q, error %v, want %q", draft.Title, err, title)
	}
}

// The author can reach an unpublished post only through its draft, so no race may delete the draft.
func TestAnUnpublishedPostKeepsItsDraft(t *testing.T) {
	t.Run("when a request that read it before discards it", func(t *testing.T) {
		d := newDrafter(t)
		draft := d.change()
		d.at = deletionOf(schema.DraftID(d.post.ID))
		d.meanwhile = func() { d.unpublish() }
		if err := d.discard(draft); !domain.Is(err, domain.Conflict) {
			t.Errorf("discarding the draft: %v, want a conflict", err)
		}
		d.wantTitle("Another title")
	})
	t.Run("when a concurrent request publishes it", func(t *testing.T) {
		d := newDrafter(t)
		draft := d.change()
		d.at = deletionOf(schema.DraftID(d.post.ID))
		d.meanwhile = func() { d.unpublish() }
		_, err := d.Drafts.Publish(t.Context(), d.author, draft, time.Now())
		d.check(err)
		d.wantTitle("Another title")
	})
	t.Run("when it is discarded before the post is hidden", func(t *testing.T) {
		d := newDrafter(t)
		draft := d.change()
		d.at = requestFor(http.MethodPatch, d.post.ID)
		d.meanwhile = func() { d.check(d.discard(draft)) }
		if got := d.unpublish(); got.Title != "A title" || got.Revision != 1 {
			t.Errorf("the draft is %+v", got)
		}
		d.wantTitle("A title")
	})
	t.Run("when it was begun before the post existed and saved during its publication", func(t *testing.T) {
		d := newDrafter(t)
		draft := d.save(domain.Draft{PostID: domain.NewID(), AuthorID: d.author.ID, Content: "Some text."}, "First")
		d.at = deletionOf(schema.DraftID(draft.PostID))
		d.meanwhile = func() { d.save(draft, "Second") }
		var err error
		d.post, err = d.Drafts.Publish(t.Context(), d.author, draft, time.Now())
		d.check(err)
		d.wantTitle("Second")
		kept := d.unpublish()
		if kept.Title != "Second" || kept.Revision != 0 {
			t.Fatalf("the draft is %+v", kept)
		}
		d.check(d.discard(kept))
		d.wantTitle("First")
	})
}

func TestUnpublishingSucceedsOnceThePostIsUnpublished(t *testing.T) {
	d := newDrafter(t)
	hidden := false
	engine := d.stalling.Transporter
	d.stalling.Transporter = &forbidding{Transporter: engine, at: func(r *http.Request) bool {
		refused := hidden
		hidden = hidden || requestFor(http.MethodPatch, d.post.ID)(r)
		return refused
	}}
	draft := d.unpublish()
	d.stalling.Transporter = engine
	stored, post, err := d.Drafts.Open(t.Context(), d.author.ID, d.post.ID)
	d.check(err)
	if draft != stored || post.Status != domain.Unpublished {
		t.Errorf("unpublished as %+v, stored as %+v with the status %q", draft, stored, post.Status)
	}
}

func TestDraftOfADeletedPost(t *testing.T) {
	erase := func(d *drafter) {
		d.t.Helper()
		deleted, err := d.Posts.Latest(d.t.Context(), d.post.ID)
		d.check(err)
		d.check(d.Drafts.EraseOf(d.t.Context(), deleted))
	}
	remove := func(d *drafter) {
		d.t.Helper()
		d.check(d.Posts.Delete(d.t.Context(), d.post.ID, d.author.ID))
	}
	// asNew returns the draft of a deleted post as its author saves it to continue with a new post.
	asNew := func(draft domain.Draft) domain.Draft {
		draft.Revision = 0
		return draft
	}
	// shared returns the draft of a deleted post, with the secret of its preview link.
	shared := func(t *testing.T) (d *drafter, draft domain.Draft, secret string) {
		d = newDrafter(t)
		draft = d.change()
		secret, err := d.Drafts.Share(t.Context(), d.author.ID, d.post.ID)
		d.check(err)
		remove(d)
		return d, draft, secret
	}
	wantLink := func(d *drafter, secret, title string) {
		d.t.Helper()
		if shared, err := d.Drafts.Shared(d.t.Context(), secret); err != nil || shared.Draft.Title != title {
			d.t.Errorf("the preview link leads to %q, error %v", shared.Draft.Title, err)
		}
	}
	// saved sets the time at which the draft was saved, which comes from the clock of another process.
	saved := func(d *drafter, at time.Time) {
		d.t.Helper()
		var ops azcosmos.PatchOperations
		ops.AppendSet("/savedDate", schema.Instant(at))
		d.check(d.Container(schema.UsersContainer).Patch(d.t.Context(), d.author.ID, schema.DraftID(d.post.ID), ops))
	}
	none := func(d *drafter) {
		d.t.Helper()
		if draft, err := d.Drafts.Get(d.t.Context(), d.author.ID, d.post.ID); !domain.Is(err, domain.NotFound) {
			d.t.Errorf("the draft is %+v, error %v, want not found", draft, err)
		}
	}
	t.Run("is deleted with the post, and so is its preview link", func(t *testing.T) {
		d := newDrafter(t)
		d.change()
		secret, err := d.Drafts.Share(t.Context(), d.author.ID, d.post.ID)
		d.check(err)
		remove(d)
		for range 2 {
			erase(d)
		}
		none(d)
		if _, err := client.Read[previewItem](t.Context(), d.Container(schema.UsersContainer), secret,
			secret); !client.Missing(err) {
			t.Errorf("reading the preview link: %v, want not found", err)
		}
	})
	t.Run("is deleted with the post if it was saved before the post's publication", func(t *testing.T) {
		d := newDrafter(t)
		d.save(asNew(domain.DraftOf(d.post, time.Now())), "A title")
		saved(d, time.Now().Add(-2*schema.ClockMargin))
		remove(d)
		erase(d)
		none(d)
	})
	t.Run("stays with its preview link when its author continued with it as a new post", func(t *testing.T) {
		d, draft, secret := shared(t)
		d.save(asNew(draft), "New")
		erase(d)
		d.wantTitle("New")
		wantLink(d, secret, "New")
	})
	for name, ahead := range map[string]time.Duration{"by a clock that is behind": 5 * time.Second,
		"in the same millisecond": 0} {
		t.Run("stays when that was saved "+name, func(t *testing.T) {
			d := newDrafter(t)
			draft := d.change()
			remove(d)
			d.save(asNew(draft), "New")
			deleted, err := d.Posts.Latest(t.Context(), d.post.ID)
			d.check(err)
			saved(d, deleted.Deleted.Add(-ahead))
			erase(d)
			d.wantTitle("New")
		})
	}
	// continued returns a shared draft that its author continued as a new post. An earlier attempt to erase it has
	// deleted its preview link.
	continued := func(t *testing.T) (d *drafter, secret string) {
		d, draft, secret := shared(t)
		d.save(asNew(draft), "New")
		d.check(d.Container(schema.UsersContainer).Delete(t.Context(), secret, secret))
		return d, secret
	}
	noLink := func(d *drafter) {
		d.t.Helper()
		var links []string
		d.check(client.Scan(d.t.Context(), d.Container(schema.UsersContainer),
			`SELECT c.id FROM c WHERE c.type = 'preview'`, nil, func(p previewItem) error {
				links = append(links, p.ID)
				return nil
			}))
		if draft, err := d.Drafts.Get(d.t.Context(), d.author.ID, d.post.ID); len(links) != 0 || err == nil &&
			draft.Preview != "" {
			d.t.Errorf("the preview links are %q, the draft is %+v, error %v", links, draft, err)
		}
	}
	t.Run("has no preview link if its author revokes it at the same time", func(t *testing.T) {
		d, _ := continued(t)
		d.at = creation(schema.UsersContainer)
		d.meanwhile = func() { d.check(d.Drafts.Unshare(t.Context(), d.author.ID, d.post.ID)) }
		erase(d)
		d.wantTitle("New")
		noLink(d)
	})
	t.Run("has no preview link if its author revoked it since the draft was read", func(t *testing.T) {
		d, secret := continued(t)
		reads := 0 // of the draft, by the projector
		d.at = func(r *http.Request) bool {
			if requestFor(http.MethodGet, schema.DraftID(d.post.ID))(r) {
				reads++
			}
			return reads == 2
		}
		d.meanwhile = func() { d.check(d.Drafts.Unshare(t.Context(), d.author.ID, d.post.ID)) }
		erase(d)
		d.wantTitle("New")
		noLink(d)
		if _, err := d.Drafts.Shared(t.Context(), secret); !domain.Is(err, domain.NotFound) {
			t.Errorf("reading the preview link: %v, want not found", err)
		}
	})
	t.Run("leaves no preview link if it is deleted at the same time", func(t *testing.T) {
		d, _ := continued(t)
		d.at = creation(schema.UsersContainer)
		d.meanwhile = func() { d.check(d.Drafts.Erase(t.Context(), d.author.ID, d.post.ID)) }
		erase(d)
		none(d)
		noLink(d)
	})
	t.Run("stays with its preview link when its author continues at the last moment", func(t *testing.T) {
		d, draft, secret := shared(t)
		d.at = deletionOf(schema.DraftID(d.post.ID))
		d.meanwhile = func() { d.save(asNew(draft), "New") }
		erase(d)
		d.wantTitle("New")
		wantLink(d, secret, "New")
	})
	t.Run("is deleted in any state with its author's account", func(t *testing.T) {
		d := newDrafter(t)
		draft := d.change()
		remove(d)
		d.save(asNew(draft), "New")
		d.check(d.Drafts.Erase(t.Context(), d.author.ID, d.post.ID))
		none(d)
	})
}
