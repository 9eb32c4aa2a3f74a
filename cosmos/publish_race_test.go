package cosmos

import (
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// scheduled returns a scheduled draft of a new post.
func (d *drafter) scheduled(at time.Time) domain.Draft {
	d.t.Helper()
	draft := d.save(domain.Draft{PostID: domain.NewID(), AuthorID: d.author.ID, Content: "Some text."}, "New")
	draft, err := d.Drafts.Schedule(d.t.Context(), d.author.ID, draft.PostID, draft.Version, at)
	d.check(err)
	return draft
}

// claim marks a draft as being published, as a process does that then stops.
func (d *drafter) claim(draft domain.Draft) {
	d.t.Helper()
	var ops azcosmos.PatchOperations
	ops.AppendSet("/publishing", true)
	d.check(d.Container(schema.UsersContainer).Patch(d.t.Context(), d.author.ID, schema.DraftID(draft.PostID), ops))
}

// share makes a private link of a draft.
func (d *drafter) share(draft domain.Draft) domain.Draft {
	d.t.Helper()
	_, err := d.Drafts.Share(d.t.Context(), d.author.ID, draft.PostID)
	d.check(err)
	return draft
}

func (d *drafter) publish(draft domain.Draft) (domain.Post, error) {
	return d.Drafts.Publish(d.t.Context(), d.author, draft, time.Now())
}

// wantPublished checks that a draft has become the post that a call returned.
func (d *drafter) wantPublished(draft domain.Draft, returned domain.Post, err error) {
	d.t.Helper()
	d.check(err)
	stored, err := d.Posts.Get(d.t.Context(), draft.PostID)
	d.check(err)
	if returned != stored || stored.Title != draft.Title {
		d.t.Errorf("published as %+v, want %+v", returned, stored)
	}
	if left, err := d.Drafts.Get(d.t.Context(), d.author.ID, draft.PostID); !domain.Is(err, domain.NotFound) {
		d.t.Errorf("the draft is %+v, error %v, want not found", left, err)
	}
}

func TestAScheduledDraftIsPublishedEarly(t *testing.T) {
	at := domain.Timestamp(time.Now().Add(time.Hour))
	t.Run("although the first answer is lost", func(t *testing.T) {
		d := newDrafter(t)
		draft := d.scheduled(at)
		transport := &late{Transporter: d.stalling.Transporter, landed: func() {}, armed: true}
		d.stalling.Transporter = transport
		post, err := d.publish(draft)
		if transport.armed {
			t.Error("no write was retried")
		}
		d.wantPublished(draft, post, err)
	})
	for name, meanwhile := range map[string]func(*drafter, domain.Draft){
		"a scheduler begins to publish it and stops": (*drafter).claim,
		"another click publishes it": func(d *drafter, draft domain.Draft) {
			_, err := d.publish(draft)
			d.check(err)
		},
		"a scheduler publishes it": func(d *drafter, draft domain.Draft) {
			_, err := d.Drafts.PublishScheduled(t.Context(),
				domain.ScheduledItem{UserID: d.author.ID, PostID: draft.PostID, At: at})
			d.check(err)
		},
		"its schedule is cancelled": func(d *drafter, draft domain.Draft) {
			_, err := d.Drafts.Unschedule(t.Context(), d.author.ID, draft.PostID)
			d.check(err)
		},
		"its time changes": func(d *drafter, draft domain.Draft) {
			_, err := d.Drafts.Schedule(t.Context(), d.author.ID, draft.PostID, draft.Version, at.Add(time.Hour))
			d.check(err)
		},
		"the same text is saved": func(d *drafter, draft domain.Draft) { d.save(draft, draft.Title) },
	} {
		t.Run("although "+name+" meanwhile", func(t *testing.T) {
			d := newDrafter(t)
			draft := d.scheduled(at)
			d.at = requestFor(http.MethodPatch, schema.DraftID(draft.PostID))
			d.meanwhile = func() { meanwhile(d, draft) }
			post, err := d.publish(draft)
			d.wantPublished(draft, post, err)
		})
	}
	t.Run("by a second click before the first has written the post", func(t *testing.T) {
		d := newDrafter(t)
		draft := d.scheduled(at)
		var second domain.Post
		d.at = creation(schema.PostsContainer)
		d.meanwhile = func() {
			var err error
			second, err = d.publish(draft)
			d.check(err)
		}
		post, err := d.publish(draft)
		d.wantPublished(draft, post, err)
		if second != post {
			t.Errorf("the second click published %+v, the first %+v", second, post)
		}
	})
}

func TestAnEarlyPublicationThatFailsLeavesAnOrdinaryDraft(t *testing.T) {
	for name, transport := range map[string]func(policy.Transporter) policy.Transporter{
		"": func(t policy.Transporter) policy.Transporter { return t },
		" after a lost answer": func(t policy.Transporter) policy.Transporter {
			return &late{Transporter: t, landed: func() {}, armed: true}
		},
	} {
		t.Run("when the post is deleted"+name, func(t *testing.T) {
			d := newDrafter(t)
			draft := d.change()
			draft, err := d.Drafts.Schedule(t.Context(), d.author.ID, draft.PostID, draft.Version,
				time.Now().Add(time.Hour))
			d.check(err)
			d.check(d.Posts.Delete(t.Context(), d.post.ID, d.author.ID))
			d.stalling.Transporter = transport(d.stalling.Transporter)
			if _, err := d.publish(draft); !domain.Is(err, domain.Conflict) {
				t.Errorf("publishing the draft: %v, want a conflict", err)
			}
			item, err := client.Read[draftItem](t.Context(), d.Container(schema.UsersContainer), d.author.ID,
				schema.DraftID(draft.PostID))
			d.check(err)
			if got := item.domain(); !got.SameText(draft) || got.Publishing || !got.Publish.IsZero() {
				t.Errorf("the draft is %+v", got)
			}
		})
	}
}

func TestATextIsNotPublishedInPlaceOfAnother(t *testing.T) {
	for name, meanwhile := range map[string]func(*drafter, domain.Draft){
		"that a scheduler begins to publish meanwhile": (*drafter).claim,
		"that is saved meanwhile":                      func(d *drafter, draft domain.Draft) { d.save(draft, "Other") },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDrafter(t)
			draft := d.scheduled(time.Now().Add(time.Hour))
			d.at = requestFor(http.MethodPatch, schema.DraftID(draft.PostID))
			d.meanwhile = func() { meanwhile(d, draft) }
			typed := draft
			typed.Title = "Typed"
			if _, err := d.publish(typed); !domain.Is(err, domain.Conflict) {
				t.Errorf("publishing another text: %v, want a conflict", err)
			}
			if _, err := d.Posts.Get(t.Context(), draft.PostID); !domain.Is(err, domain.NotFound) {
				t.Errorf("reading the post: %v, want not found", err)
			}
		})
	}
}

// forbidding is a transport that answers some requests with 403, which is never retried.
type forbidding struct {
	policy.Transporter
	at func(*http.Request) bool
}

func (r *forbidding) Do(request *http.Request) (*http.Response, error) {
	if r.at(request) {
		return forbidden(request), nil
	}
	return r.Transporter.Do(request)
}

// The post exists, so the author must not be told that publishing failed.
func TestAPublicationSucceedsOnceItsPostIsWritten(t *testing.T) {
	for name, draftOf := range map[string]func(*drafter) domain.Draft{
		"a new post": func(d *drafter) domain.Draft {
			draft := domain.Draft{PostID: domain.NewID(), AuthorID: d.author.ID, Content: "Text."}
			return d.share(d.save(draft, "New"))
		},
		"a change": func(d *drafter) domain.Draft { return d.share(d.change()) },
		"a scheduled draft": func(d *drafter) domain.Draft {
			return d.share(d.scheduled(time.Now().Add(time.Hour)))
		},
	} {
		for failure, request := range map[string]string{
			"nothing can be read":              http.MethodGet,
			"its draft cannot be deleted":      http.MethodDelete,
			"its private link does not expire": http.MethodPatch,
		} {
			t.Run("of "+name+" although "+failure+" afterwards", func(t *testing.T) {
				d := newDrafter(t)
				draft := draftOf(d)
				written := false
				engine := d.stalling.Transporter
				d.stalling.Transporter = &forbidding{Transporter: engine, at: func(r *http.Request) bool {
					refused := written && (r.Method == request ||
						request == http.MethodDelete && deletionOf(schema.DraftID(draft.PostID))(r))
					written = written || creation(schema.PostsContainer)(r) ||
						r.Header.Get("x-ms-cosmos-is-batch-request") != ""
					return refused
				}}
				post, err := d.publish(draft)
				if !written {
					t.Error("no post was written")
				}
				d.stalling.Transporter = engine
				d.check(err)
				if stored, err := d.Posts.Get(t.Context(), draft.PostID); err != nil || stored != post {
					t.Errorf("published as %+v, want %+v, error %v", post, stored, err)
				}
				if left, err := d.Drafts.Get(t.Context(), d.author.ID, draft.PostID); err == nil && left.Publishing {
					_, err := d.Drafts.PublishScheduled(t.Context(),
						domain.ScheduledItem{UserID: d.author.ID, PostID: draft.PostID, At: left.Publish})
					d.check(err)
				}
				_, _, err = d.Drafts.Open(t.Context(), d.author.ID, draft.PostID)
				d.check(err)
				d.wantPublished(draft, post, nil)
			})
		}
	}
}

// An author who is told that a draft is not scheduled does not expect it to be published.
func TestAStoredScheduleIsReportedAlthoughItsAnswerIsLost(t *testing.T) {
	at := domain.Timestamp(time.Now().Add(time.Hour))
	for name, meanwhile := range map[string]func(*drafter, domain.Draft){
		"another tab saves the draft":             func(d *drafter, draft domain.Draft) { d.save(draft, "Other") },
		"a scheduler begins to publish the draft": (*drafter).claim,
	} {
		t.Run("when "+name+" before the retry", func(t *testing.T) {
			d := newDrafter(t)
			draft := d.change()
			transport := &late{Transporter: d.stalling.Transporter, armed: true,
				landed: func() { meanwhile(d, draft) }}
			d.stalling.Transporter = transport
			got, err := d.Drafts.Schedule(t.Context(), d.author.ID, draft.PostID, draft.Version, at)
			if transport.armed {
				t.Error("no write was retried")
			}
			d.check(err)
			stored, err := d.Drafts.Get(t.Context(), d.author.ID, draft.PostID)
			d.check(err)
			if got != stored || !got.Publish.Equal(at) {
				t.Errorf("scheduled as %+v, want %+v at %s", got, stored, at)
			}
		})
	}
}
