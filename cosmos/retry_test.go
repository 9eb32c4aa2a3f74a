package cosmos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/verify"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/siteinfo"
)

// flaky is a transport that answers each call for items with failures before it succeeds. With carryOut set, failed
// calls are carried out, as if their answers were lost.
type flaky struct {
	policy.Transporter
	failures  int64 // the number of failures before each success
	status    int   // of the failures; 0 cuts the connection
	carryOut  bool
	countdown atomic.Int64
}

func (f *flaky) Do(r *http.Request) (*http.Response, error) {
	// After a cut connection the SDK itself retries reads, with long pauses.
	if client.ContainerOf(r.URL.Path) == "" || f.status == 0 && client.IsRead(r) {
		return f.Transporter.Do(r)
	}
	if f.countdown.Add(-1) < 0 {
		f.countdown.Store(f.failures)
		return f.Transporter.Do(r)
	}
	if f.carryOut {
		resp, err := f.Transporter.Do(r)
		if err != nil {
			return nil, err
		}
		resp.Body.Close()
	}
	if f.status == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	header := http.Header{}
	if f.status == http.StatusNotFound {
		header.Set("X-Ms-Substatus", client.SubstatusReadSessionNotAvailable)
	}
	return &http.Response{StatusCode: f.status, Status: fmt.Sprint(f.status, " ", http.StatusText(f.status)),
		Request: r,
		Header:  header, Body: io.NopCloser(strings.NewReader(`{"code":"X","message":"injected"}`))}, nil
}

// everything carries out each kind of write once and returns an error unless the results are as expected.
func everything(ctx context.Context, s *Store) error {
	now := time.Now()
	ada, err := domain.NewUser("ada", now)
	if err != nil {
		return err
	}
	if err := s.Accounts.Create(ctx, ada, "hash"); err != nil {
		return fmt.Errorf("C1: %w", err)
	}
	post, err := domain.NewPost(ada, "Title", "Text", now)
	if err != nil {
		return err
	}
	if err := s.Posts.Create(ctx, post); err != nil {
		return fmt.Errorf("C2: %w", err)
	}
	edit, err := domain.NewEdit(post.ID, 1, "New title", "New text", now)
	if err != nil {
		return err
	}
	if post, err = s.Posts.Edit(ctx, edit, ada.ID); err != nil || post.Revision != 2 {
		return fmt.Errorf("edit: revision %d, %w", post.Revision, err)
	}
	comment, err := domain.NewComment(ada, post.ID, "Hello", now)
	if err != nil {
		return err
	}
	if post, err = s.Posts.AddComment(ctx, comment); err != nil || post.CommentCount != 1 {
		return fmt.Errorf("C3: %d comments, %w", post.CommentCount, err)
	}
	bob := domain.NewUserID(nil)
	for range 2 {
		if post, err = s.Posts.Like(ctx, domain.NewLike(ada, post.ID, now)); err != nil || post.LikeCount != 1 {
			return fmt.Errorf("C4: %d likes, %w", post.LikeCount, err)
		}
	}
	if _, err = s.Posts.Like(ctx, domain.Like{PostID: post.ID, UserID: bob, Username: "bob",
		Created: now}); err != nil {
		return fmt.Errorf("C4: %w", err)
	}
	if post, err = s.Posts.Unlike(ctx, post.ID, bob); err != nil || post.LikeCount != 1 {
		return fmt.Errorf("unlike: %d likes, %w", post.LikeCount, err)
	}
	renamed, err := s.Usernames.Rename(ctx, ada.ID, "lovelace")
	if err != nil || renamed.NameVersion != 2 {
		return fmt.Errorf("rename: version %d, %w", renamed.NameVersion, err)
	}
	credentials, err := s.Credentials.Get(ctx, ada.ID)
	if err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	credentials.TOTPStep = 1
	if _, err := s.Credentials.Set(ctx, credentials); err != nil {
		return fmt.Errorf("set credentials: %w", err)
	}
	if _, err := s.Usernames.ConfirmName(ctx, renamed); err != nil {
		return fmt.Errorf("confirm: %w", err)
	}
	if _, err := s.Posts.PropagateName(ctx, ada.ID, domain.Author{Name: "lovelace"}, 1000); err != nil {
		return fmt.Errorf("propagate: %w", err)
	}
	if err := s.Users.MarkPropagated(ctx, ada.ID, 2); err != nil {
		return fmt.Errorf("mark: %w", err)
	}
	if err := s.AccountRows.Put(ctx, renamed); err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if err := s.CommentRows.Rewrite(ctx, domain.Target{PostID: post.ID, CommentID: comment.ID},
		func(ctx context.Context) (domain.CommentRow, error) {
			c, err := s.Posts.Comment(ctx, post.ID, comment.ID)
			return c.Row(c.Content), err
		}); err != nil {
		return fmt.Errorf("list comment: %w", err)
	}
	if post, err = s.Posts.Get(ctx, post.ID); err != nil {
		return fmt.Errorf("Q2: %w", err)
	}
	summary := markdown.New().Summarize(post)
	if err := s.UserCopies.ApplySummary(ctx, summary); err != nil {
		return fmt.Errorf("copy to users: %w", err)
	}
	if err := s.Feed.Apply(ctx, []domain.Summary{summary}); err != nil {
		return fmt.Errorf("copy to feed: %w", err)
	}
	return nil
}

// Callers see no transient failure of the service or the network, and no write takes effect twice.
func TestTransientFailuresAreInvisible(t *testing.T) {
	for _, status := range []int{0, 404, 429, 449, 500, 502, 503, 504} {
		for _, carryOut := range []bool{false, true} {
			if carryOut && (status == 404 || status == 429 || status == 449) {
				continue // with these statuses, the service has not carried out the request
			}
			failures := int64(1)
			if status == 404 {
				failures = 3 // the SDK itself retries once
			}
			t.Run(fmt.Sprintf("%d, carried out %t", status, carryOut), func(t *testing.T) {
				t.Parallel() // the test mostly waits between attempts
				transport := &flaky{failures: failures, status: status, carryOut: carryOut}
				store := newStore(t, func(engine policy.Transporter) policy.Transporter {
					transport.Transporter = engine
					return transport
				})
				if err := everything(t.Context(), store); err != nil {
					t.Fatal(err)
				}
				_, err := verify.Verify(t.Context(), store.Database, markdown.New(), func(int) {},
					func(v verify.Violation) { t.Error(v) })
				if err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// breakingOff is a transport that passes calls on and breaks their answers off, with an error of an unknown type.
// HTTP/2 connections do this.
type breakingOff struct {
	policy.Transporter
	left atomic.Int64
}

func (b *breakingOff) Do(r *http.Request) (*http.Response, error) {
	resp, err := b.Transporter.Do(r)
	if err == nil && client.ContainerOf(r.URL.Path) != "" && b.left.Add(-1) >= 0 {
		resp.Body.Close()
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"id":`),
			iotest.ErrReader(errors.New("stream error"))))
	}
	return resp, err
}

func TestBrokenAnswerIsATransientFailure(t *testing.T) {
	transport := &breakingOff{}
	store := newStore(t, func(engine policy.Transporter) policy.Transporter {
		transport.Transporter = engine
		return transport
	})
	if err := everything(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	user, err := domain.NewUser("bob", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	transport.left.Store(2)
	if err := store.Accounts.Create(t.Context(), user, "hash"); err != nil {
		t.Errorf("creating a user after two broken answers: %v", err)
	}
	transport.left.Store(1 << 40)
	if _, err := store.Posts.Unlike(t.Context(), domain.NewID(), user.ID); !domain.Is(err, domain.Unavailable) {
		t.Errorf("unliking while all answers break off: %v, want unavailable", err)
	}
}

func TestLastingFailureIsReturned(t *testing.T) {
	transport := &flaky{failures: 1 << 40, status: 503}
	store := newStore(t, func(engine policy.Transporter) policy.Transporter {
		transport.Transporter = engine
		return transport
	})
	transport.countdown.Store(1 << 40)
	_, err := store.Posts.Get(t.Context(), domain.NewID())
	if !domain.Is(err, domain.Unavailable) {
		t.Errorf("reading a post: %v, want unavailable", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Posts.Get(ctx, domain.NewID()); err == nil {
		t.Error("reading a post succeeds after the context ended")
	}
}

func TestChangeWhoseAnswerIsLostIsMadeOnce(t *testing.T) {
	begin := func(t *testing.T) (s *Store, lose func()) {
		transport := &flaky{carryOut: true}
		s = newStore(t, func(engine policy.Transporter) policy.Transporter {
			transport.Transporter = engine
			return transport
		})
		return s, func() { transport.countdown.Store(1) }
	}
	t.Run("when a static page is moved", func(t *testing.T) {
		s, lose := begin(t)
		var ids []string
		for _, path := range []string{"/a", "/b", "/c"} {
			ids = append(ids, domain.NewPageID())
			_, err := s.Pages.Change(t.Context(), func(p siteinfo.Pages) (siteinfo.Pages, error) {
				return domain.PutPage(p, siteinfo.StaticPage{PostID: ids[len(ids)-1], Path: path})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		lose()
		after, err := s.Pages.Change(t.Context(), func(p siteinfo.Pages) (siteinfo.Pages, error) {
			return domain.MovePage(p, ids[0], 1), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		stored, err := s.Pages.Get(t.Context())
		if err != nil || !stored.Equal(after) || stored.List[1].PostID != ids[0] || stored.Version != 4 {
			t.Errorf("the pages are %+v, returned %+v, %v", stored, after, err)
		}
	})
	t.Run("when the first static page is added", func(t *testing.T) {
		s, lose := begin(t)
		lose()
		calls := 0
		_, err := s.Pages.Change(t.Context(), func(p siteinfo.Pages) (siteinfo.Pages, error) {
			calls++
			return domain.PutPage(p, siteinfo.StaticPage{PostID: domain.NewPageID(), Path: "/a"})
		})
		if err != nil || calls != 1 {
			t.Errorf("%d calls, %v", calls, err)
		}
	})
	t.Run("when the deletion of an account is abandoned", func(t *testing.T) {
		s, lose := begin(t)
		user, err := domain.NewUser("ada", time.Now())
		if err == nil {
			err = s.Accounts.Create(t.Context(), user, "hash")
		}
		if err == nil {
			user, err = s.AccountDeletions.ScheduleDeletion(t.Context(), user.ID, time.Now().Add(time.Hour))
		}
		if err != nil {
			t.Fatal(err)
		}
		lose()
		item := domain.ScheduledItem{UserID: user.ID, At: user.ScheduledDeletion}
		for i := range 2 {
			abandoned, err := s.AccountDeletions.AbandonDeletion(t.Context(), item, "No reason.")
			if err != nil || abandoned != (i == 0) {
				t.Errorf("call %d: %t, %v", i, abandoned, err)
			}
		}
	})
}
