package cosmos

import (
	"context"
	"errors"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// testItems holds an item of each kind that the requests read or change.
type testItems struct {
	ada, bob   domain.User
	post, gone domain.Post // gone was deleted
	comment    domain.Comment
	summary    domain.Summary
	draft      domain.Draft
	session    domain.Session
	image      domain.ImageName
	invitation domain.Invitation
	lease      feeds.Lease
	letter     feeds.DeadLetter
	secret     string
}

func createTestItems(t *testing.T, s *Store) *testItems {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	w := &testItems{ada: mustUser(t, s, "ada"), bob: mustUser(t, s, "bob")}
	steps := []func() error{
		func() (err error) {
			w.post, err = domain.NewPost(w.ada, "Title", "Text", now)
			w.post.Tags = domain.TagsOf([]string{"go"})
			return errors.Join(err, s.Posts.Create(ctx, w.post))
		},
		func() (err error) {
			w.gone, err = domain.NewPost(w.ada, "Title", "Text", now)
			return errors.Join(err, s.Posts.Create(ctx, w.gone), s.Posts.Delete(ctx, w.gone.ID, w.ada.ID))
		},
		func() (err error) {
			w.comment, err = domain.NewComment(w.bob, w.post.ID, "Hello", now)
			if err == nil {
				w.post, err = s.Posts.AddComment(ctx, w.comment)
			}
			return err
		},
		func() (err error) {
			_, err = s.Posts.Like(ctx, domain.NewLike(w.bob, w.post.ID, now))
			return err
		},
		func() (err error) {
			_, err = s.Posts.Bookmark(ctx, w.post, w.bob.ID, now)
			return err
		},
		func() (err error) {
			w.post, err = s.Posts.Get(ctx, w.post.ID)
			w.summary = markdown.New().Summarize(w.post)
			return err
		},
		func() error { return s.UserCopies.ApplySummary(ctx, w.summary) },
		func() error { return s.Feed.Apply(ctx, []domain.Summary{w.summary}) },
		func() error { return s.Tags.ApplySummary(ctx, "go", w.summary) },
		func() (err error) {
			w.draft, err = s.Drafts.Save(
				ctx,
				domain.Draft{PostID: domain.NewID(), AuthorID: w.ada.ID, Title: "Draft", Content: "Text",
					Status: domain.Published},
			)
			return err
		},
		func() (err error) {
			w.secret, err = s.Drafts.Share(ctx, w.ada.ID, w.draft.PostID)
			return err
		},
		func() (err error) { w.draft, err = s.Drafts.Get(ctx, w.ada.ID, w.draft.PostID); return err },
		func() error {
			w.session = domain.Session{ID: domain.SecretDigest("session"), UserID: w.ada.ID, Created: now,
				LastUsed: now}
			return s.Sessions.Create(ctx, w.session)
		},
		func() error {
			w.image = domain.NewImageName(w.ada.ID, []byte("picture"), 10, 10, "png")
			_, err := s.Images.Begin(ctx, domain.Image{Name: w.image, UserID: w.ada.ID, Bytes: 100, Created: now})
			return err
		},
		func() error {
			_, err := s.Reports.Report(ctx, domain.Target{PostID: w.post.ID},
				domain.Report{UserID: w.bob.ID, Reason: "spam", At: domain.Timestamp(now)}, time.Time{})
			return err
		},
		func() error {
			return s.Reviews.Put(ctx,
				domain.Review{Target: domain.Target{PostID: w.post.ID}, AuthorID: w.ada.ID, At: now})
		},
		func() (err error) {
			if _, err = s.Accounts.SetRole(ctx, w.ada.ID, domain.RoleAdministrator); err == nil {
				w.invitation, err = domain.NewInvitation(w.ada, 2, 2, "", now)
			}
			return errors.Join(err, s.Invitations.Create(ctx, w.invitation))
		},
		func() (err error) {
			w.lease = feeds.Lease{Processor: "p", Range: feeds.Range{MaxExclusive: "FF"}, Renewed: now}
			if err = s.Leases.Create(ctx, w.lease); err == nil {
				w.lease, err = s.Leases.Read(ctx, "p", w.lease.Range)
			}
			return err
		},
		func() error {
			w.letter = feeds.DeadLetter{Processor: "p", Item: feeds.ItemRef{PartitionKey: "k", ID: "i"}, First: now,
				Last: now}
			return s.DeadLetters.Put(ctx, w.letter)
		},
		func() error { return s.Blocks.Block(ctx, w.ada.ID, w.bob.ID, now) },
		func() error {
			c, err := s.Credentials.Get(ctx, w.ada.ID)
			if err != nil {
				return err
			}
			return second(s.EmailAddresses.Verify(ctx, c, "ada@example.com"))
		},
	}
	for i, step := range steps {
		if err := step(); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	return w
}

// requestsAboutItems calls the methods of the store that treat a missing item specially.
var requestsAboutItems = map[string]func(ctx context.Context, s *Store, w *testItems) error{
	"reading a user's names": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Usernames.ConfirmName(ctx, w.ada))
	},
	"reading the current names of several authors": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Users.Authors(ctx, []string{w.ada.ID, w.bob.ID}))
	},
	"checking for a first account": func(ctx context.Context, s *Store,
		w *testItems) error {
		return second(s.Administrators.mayBecomeFirst(ctx))
	},
	"looking for an administrator": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Administrators.HasAny(ctx))
	},
	"settling the administration": func(ctx context.Context, s *Store, w *testItems) error {
		return s.Administrators.Settle(ctx, w.ada.ID)
	},
	"deleting a user": func(ctx context.Context, s *Store, w *testItems) error {
		return s.AccountDeletions.DeleteScheduled(ctx, domain.ScheduledItem{UserID: w.ada.ID, At: time.Now()})
	},
	"erasing an account's content": func(ctx context.Context, s *Store, w *testItems) error {
		return s.AccountDeletions.Delete(ctx, w.bob.ID)
	},
	"finishing an account's deletion": func(ctx context.Context, s *Store, w *testItems) error {
		return s.AccountDeletions.FinishErasure(ctx, w.ada.ID)
	},
	"an address": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.EmailAddresses.Owner(ctx, "ada@example.com"))
	},
	"reading a block": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Blocks.Has(ctx, w.ada.ID, w.bob.ID))
	},
	"removing a block": func(ctx context.Context, s *Store, w *testItems) error {
		return s.Blocks.Unblock(ctx, w.ada.ID, w.bob.ID)
	},
	"the row of an account": func(ctx context.Context, s *Store, w *testItems) error {
		return s.AccountRows.Put(ctx, w.ada)
	},
	"a copy in users": func(ctx context.Context, s *Store, w *testItems) error {
		return s.UserCopies.ApplySummary(ctx, w.newer())
	},
	"rewriting a copy": func(ctx context.Context, s *Store, w *testItems) error {
		return s.UserCopies.RewriteSummary(ctx, w.ada.ID, w.post.ID,
			func(context.Context) (domain.Summary, error) { return w.newer(), nil })
	},
	"a copy of a tag": func(ctx context.Context, s *Store, w *testItems) error {
		return s.Tags.ApplySummary(ctx, "go", w.newer())
	},
	"the feed": func(ctx context.Context, s *Store, w *testItems) error {
		return s.Feed.Apply(ctx, []domain.Summary{w.newer()})
	},
	"orphans": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Copies.SweepOrphans(ctx, func(int) {}))
	},
	"a bookmark": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Posts.Bookmark(ctx, w.post, w.ada.ID, time.Now()))
	},
	"removing a bookmark": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Posts.Unbookmark(ctx, w.post.ID, w.bob.ID))
	},
	"reading a like": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Posts.Liked(ctx, w.post.ID, w.bob.ID))
	},
	"removing a like": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Posts.Unlike(ctx, w.post.ID, w.bob.ID))
	},
	"a post": func(ctx context.Context, s *Store, w *testItems) error { return second(s.Posts.Get(ctx, w.post.ID)) },
	"deleting a comment": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Posts.DeleteComment(ctx, w.post.ID, w.comment.ID, w.bob.ID))
	},
	"a comment": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Posts.Comment(ctx, w.post.ID, w.comment.ID))
	},
	"finishing a post's deletion": func(ctx context.Context, s *Store, w *testItems) error {
		return s.Posts.FinishErasure(ctx, w.gone.ID)
	},
	"deleting a user's content": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Posts.EraseAuthored(ctx, w.ada.ID, 1000))
	},
	"propagating a name": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Posts.PropagateName(ctx, w.bob.ID, domain.Author{Name: "rob"}, 1000))
	},
	"a draft": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Drafts.Get(ctx, w.ada.ID, w.draft.PostID))
	},
	"discarding a draft": func(ctx context.Context, s *Store, w *testItems) error {
		return s.Drafts.Discard(ctx, w.ada.ID, w.draft.PostID, w.draft.Version)
	},
	"a preview": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Drafts.Shared(ctx,
			w.secret))
	},
	"a session": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Sessions.Get(ctx, w.ada.ID, w.session.ID))
	},
	"recording the use of a session": func(ctx context.Context, s *Store, w *testItems) error {
		return s.Sessions.Touch(ctx, w.ada.ID, w.session.ID, time.Now())
	},
	"ending a session": func(ctx context.Context, s *Store, w *testItems) error {
		return s.Sessions.Delete(ctx, w.ada.ID, w.session.ID)
	},
	"a picture": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Images.Get(ctx, w.ada.ID, w.image))
	},
	"describing a picture": func(ctx context.Context, s *Store, w *testItems) error {
		return s.Images.Describe(ctx, w.ada.ID, w.image, "Alt")
	},
	"reading reports": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Reports.Of(ctx, domain.Target{PostID: w.post.ID}))
	},
	"ending a review": func(ctx context.Context, s *Store, w *testItems) error {
		return s.Reviews.Done(ctx, domain.Target{PostID: w.post.ID})
	},
	"an invitation": func(ctx context.Context, s *Store, w *testItems) error {
		return s.Invitations.Check(ctx, w.invitation.Code)
	},
	"using an invitation": func(ctx context.Context, s *Store, w *testItems) error {
		return s.Invitations.Use(ctx, w.invitation.Code, w.bob.ID)
	},
	"revoking an invitation": func(ctx context.Context, s *Store, w *testItems) error {
		return s.Invitations.Revoke(ctx, w.invitation.Code)
	},
	"deleting a lease": func(ctx context.Context, s *Store, w *testItems) error {
		return s.Leases.Delete(ctx, w.lease)
	},
	"deleting a dead letter": func(ctx context.Context, s *Store, w *testItems) error {
		return s.DeadLetters.Delete(ctx, w.letter)
	},
	"the settings": func(ctx context.Context, s *Store, w *testItems) error { return second(s.Settings.Get(ctx)) },
	"a redirect": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Redirects.Find(ctx, "/old"))
	},
	"a secret": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Secrets.Get(ctx, "reset", domain.SecretDigest("x")))
	},
	"an import": func(ctx context.Context, s *Store, w *testItems) error {
		return second(s.Imports.Get(ctx, w.ada.ID, w.post.ID))
	},
}

func second[T any](_ T, err error) error { return err }

// newer returns a later version of the post's summary.
func (w *testItems) newer() domain.Summary {
	s := w.summary
	s.Version, s.LikeCount = s.Version+1, 7
	return s
}

// A replica that is behind answers 404 for items that exist. Each request is repeated, and each time one more of its
// calls is answered before the replica falls behind. The request must fail as unavailable and never treat the item as
// missing.
func TestReplicaThatIsBehindIsNotTakenForAMissingItem(t *testing.T) {
	for name, request := range requestsAboutItems {
		t.Run(name, func(t *testing.T) {
			withRefusals(t, func(t *testing.T, store *Store, replica *refusing) {
				w := createTestItems(t, store)
				for calls := int64(0); ; calls++ {
					replica.after(calls, noEnd)
					err := request(t.Context(), store, w)
					if replica.refused.Load() == 0 {
						return
					}
					if !domain.Is(client.Translate(err), domain.Unavailable) {
						t.Errorf("error %v after %d calls, want unavailable", err, calls)
					}
				}
			})
		})
	}
}
