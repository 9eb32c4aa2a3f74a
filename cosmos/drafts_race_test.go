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

// drafter is an author with a post, whose store stalls where it is told to.
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

// change begins a change of the post.
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

// An author finds an unpublished post by nothing but its draft.
func TestAnUnpublishedPostKeepsItsDraft(t *testing.T) {
	t.Run("from who discards it just then, and read it before the post was hidden", func(t *testing.T) {
		d := newDrafter(t)
		draft := d.change()
		d.at = requestFor(http.MethodDelete, schema.DraftID(d.post.ID))
		d.meanwhile = func() { d.unpublish() }
		if err := d.discard(draft); !domain.Is(err, domain.Conflict) {
			t.Errorf("discarded: %v", err)
		}
		d.wantTitle("Another title")
	})
	t.Run("from who publishes what it says just then", func(t *testing.T) {
		d := newDrafter(t)
		draft := d.change()
		d.at = requestFor(http.MethodDelete, schema.DraftID(d.post.ID))
		d.meanwhile = func() { d.unpublish() }
		_, err := d.Drafts.Publish(t.Context(), d.author, draft, time.Now())
		d.check(err)
		d.wantTitle("Another title")
	})
	t.Run("also when it is discarded before the post is hidden", func(t *testing.T) {
		d := newDrafter(t)
		draft := d.change()
		d.at = requestFor(http.MethodPatch, d.post.ID)
		d.meanwhile = func() { d.check(d.discard(draft)) }
		if got := d.unpublish(); got.Title != "A title" || got.Revision != 1 {
			t.Errorf("it is %+v", got)
		}
		d.wantTitle("A title")
	})
	t.Run("also one that was begun before there was a post, and saved while it was published", func(t *testing.T) {
		d := newDrafter(t)
		draft := d.save(domain.Draft{PostID: domain.NewID(), AuthorID: d.author.ID, Content: "Some text."}, "First")
		d.at = requestFor(http.MethodDelete, schema.DraftID(draft.PostID))
		d.meanwhile = func() { d.save(draft, "Second") }
		var err error
		d.post, err = d.Drafts.Publish(t.Context(), d.author, draft, time.Now())
		d.check(err)
		d.wantTitle("Second")
		kept := d.unpublish()
		if kept.Title != "Second" || kept.Revision != 0 {
			t.Fatalf("it is %+v", kept)
		}
		d.check(d.discard(kept))
		d.wantTitle("First")
	})
}

func TestTheDraftOfADeletedPost(t *testing.T) {
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
	// The page of a deleted post offers to go on with its draft as a new post.
	asNew := func(draft domain.Draft) domain.Draft {
		draft.Revision = 0
		return draft
	}
	// shared is the draft of a post that is deleted, with the secret of its link.
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
			d.t.Errorf("the link leads to %q, error %v", shared.Draft.Title, err)
		}
	}
	// saved is when the draft was saved last, by the clock of who did.
	saved := func(d *drafter, at time.Time) {
		d.t.Helper()
		var ops azcosmos.PatchOperations
		ops.AppendSet("/savedDate", schema.Instant(at))
		d.check(d.Container(schema.UsersContainer).Patch(d.t.Context(), d.author.ID, schema.DraftID(d.post.ID), ops))
	}
	none := func(d *drafter) {
		d.t.Helper()
		if draft, err := d.Drafts.Get(d.t.Context(), d.author.ID, d.post.ID); !domain.Is(err, domain.NotFound) {
			d.t.Errorf("it is %+v, error %v", draft, err)
		}
	}
	t.Run("goes with it, and its link", func(t *testing.T) {
		d := newDrafter(t)
		d.change()
		secret, err := d.Drafts.Share(t.Context(), d.author.ID, d.post.ID)
		d.check(err)
		remove(d)
		for range 2 {
			erase(d)
		}
		none(d)
		if _, err := client.Read[previewItem](t.Context(), d.Container(schema.UsersContainer), secret, secret); !client.Missing(err) {
			t.Errorf("the link: %v", err)
		}
	})
	t.Run("goes with it also when it was left over from before there was a post", func(t *testing.T) {
		d := newDrafter(t)
		d.save(asNew(domain.DraftOf(d.post, time.Now())), "A title")
		saved(d, time.Now().Add(-2*schema.ClockMargin))
		remove(d)
		erase(d)
		none(d)
	})
	t.Run("stays when its author has gone on with it as a new post, and so does its link", func(t *testing.T) {
		d, draft, secret := shared(t)
		d.save(asNew(draft), "New")
		erase(d)
		d.wantTitle("New")
		wantLink(d, secret, "New")
	})
	for name, ahead := range map[string]time.Duration{"by a clock that is behind": 5 * time.Second, "in the same millisecond": 0} {
		t.Run("also when that was "+name, func(t *testing.T) {
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
	// goneOn is a draft that its author has shared and gone on with, and whose link an
	// earlier attempt to erase it has taken.
	goneOn := func(t *testing.T) (d *drafter, secret string) {
		d, draft, secret := shared(t)
		d.save(asNew(draft), "New")
		d.check(d.Container(schema.UsersContainer).Delete(t.Context(), secret, secret))
		return d, secret
	}
	noLink := func(d *drafter) {
		d.t.Helper()
		var links []string
		d.check(client.Scan(d.t.Context(), d.Container(schema.UsersContainer), `SELECT c.id FROM c WHERE c.type = 'preview'`, nil, func(p previewItem) error {
			links = append(links, p.ID)
			return nil
		}))
		if draft, err := d.Drafts.Get(d.t.Context(), d.author.ID, d.post.ID); len(links) != 0 || err == nil && draft.Preview != "" {
			d.t.Errorf("there are links %q, the draft is %+v, error %v", links, draft, err)
		}
	}
	t.Run("stays revoked when its author revokes the link at this moment", func(t *testing.T) {
		d, _ := goneOn(t)
		d.at = creation(schema.UsersContainer)
		d.meanwhile = func() { d.check(d.Drafts.Unshare(t.Context(), d.author.ID, d.post.ID)) }
		erase(d)
		d.wantTitle("New")
		noLink(d)
	})
	t.Run("stays revoked when its author has revoked the link since it was read", func(t *testing.T) {
		d, secret := goneOn(t)
		reads := 0 // of the draft by who erases
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
			t.Errorf("the link: %v", err)
		}
	})
	t.Run("leaves no link when it goes at this moment", func(t *testing.T) {
		d, _ := goneOn(t)
		d.at = creation(schema.UsersContainer)
		d.meanwhile = func() { d.check(d.Drafts.Erase(t.Context(), d.author.ID, d.post.ID)) }
		erase(d)
		none(d)
		noLink(d)
	})
	t.Run("also when that happens at the last moment", func(t *testing.T) {
		d, draft, secret := shared(t)
		d.at = requestFor(http.MethodDelete, schema.DraftID(d.post.ID))
		d.meanwhile = func() { d.save(asNew(draft), "New") }
		erase(d)
		d.wantTitle("New")
		wantLink(d, secret, "New")
	})
	t.Run("goes in whatever state when its author goes", func(t *testing.T) {
		d := newDrafter(t)
		draft := d.change()
		remove(d)
		d.save(asNew(draft), "New")
		d.check(d.Drafts.Erase(t.Context(), d.author.ID, d.post.ID))
		none(d)
	})
}
