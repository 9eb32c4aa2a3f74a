package cosmos

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
)

// late is a transport that cuts the connection of a write. The write is carried out when it is retried.
type late struct {
	policy.Transporter
	armed  bool
	cut    *http.Request
	landed func()
}

func (l *late) Do(r *http.Request) (*http.Response, error) {
	if client.ContainerOf(r.URL.Path) == "" || client.IsRead(r) || !l.armed {
		return l.Transporter.Do(r)
	}
	if l.cut == nil {
		l.cut = r.Clone(r.Context())
		if r.Body != nil { // a deletion has none
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			l.cut.Body = io.NopCloser(bytes.NewReader(body))
		}
		return nil, io.ErrUnexpectedEOF
	}
	l.armed = false
	resp, err := l.Transporter.Do(l.cut)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	l.landed()
	return l.Transporter.Do(r)
}

// Between the two attempts, other requests may have read items that the first attempt then changed.
func TestRetriedWriteIsReportedAgain(t *testing.T) {
	for name, write := range map[string]func(t *testing.T, s *Store, p domain.Post, u domain.User) error{
		"a condition that does not hold any more": func(t *testing.T, s *Store, p domain.Post, _ domain.User) error {
			return s.Posts.Delete(t.Context(), p.ID, p.AuthorID)
		},
		"an item that has changed": func(t *testing.T, s *Store, _ domain.Post, u domain.User) error {
			_, err := s.Accounts.Suspend(t.Context(), u.ID, "Spam.", time.Now())
			return err
		},
		"an item in a batch that is there": func(t *testing.T, s *Store, p domain.Post, u domain.User) error {
			_, err := s.Posts.Like(t.Context(), domain.NewLike(u, p.ID, time.Now()))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			engine := newEngine(t, embedded.Options{})
			var events []string
			transport := &late{Transporter: engine, landed: func() { events = append(events, "landed") }}
			store := openStore(t, engine, Options{Transport: transport,
				Observers: []client.Observer{client.OnWrite(func(dependency.PartitionRef, dependency.Facets) {
					events = append(events, "told")
				})}})
			ada, post := authorWithPost(t, store)
			events, transport.armed = nil, true
			if err := write(t, store, post, ada); err != nil {
				t.Fatal(err)
			}
			if want := []string{"told", "landed", "told"}; !slices.Equal(events, want) {
				t.Errorf("%v, want %v", events, want)
			}
		})
	}
}

// The comment is shown once the post is published or restored, so the user must not be told that it was refused.
func TestStoredCommentIsNotRefusedWhenItsPostIsTakenDown(t *testing.T) {
	for name, takeDown := range map[string]func(*Store, domain.Post) error{
		"unpublished": func(s *Store, p domain.Post) error {
			_, err := s.Posts.SetStatus(t.Context(), p.ID, p.AuthorID, domain.Unpublished)
			return err
		},
		"hidden": func(s *Store, p domain.Post) error {
			_, err := s.Posts.Hold(t.Context(), p.ID, domain.HeldByModerator)
			return err
		},
	} {
		t.Run(name+" before the write is retried", func(t *testing.T) {
			engine := newEngine(t, embedded.Options{})
			transport := &late{Transporter: engine}
			store := openStore(t, engine, Options{Transport: transport})
			ada, post := authorWithPost(t, store)
			transport.landed = func() {
				if err := takeDown(store, post); err != nil {
					t.Error(err)
				}
			}
			transport.armed = true
			comment, err := domain.NewComment(ada, post.ID, "A remark.", time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if after, err := store.Posts.AddComment(t.Context(), comment); err != nil || after.CommentCount != 1 {
				t.Errorf("a post with %d comments, %v", after.CommentCount, err)
			}
			if stored, err := store.Posts.Comment(t.Context(), post.ID, comment.ID); err != nil {
				t.Errorf("the comment is stored as %+v: %v", stored, err)
			}
		})
	}
}

func authorWithPost(t *testing.T, s *Store) (author domain.User, post domain.Post) {
	t.Helper()
	author, err := domain.NewUser("ada", time.Now())
	if err == nil {
		err = s.Accounts.Create(t.Context(), author, "hash")
	}
	if err == nil {
		post, err = domain.NewPost(author, "A post", "Text.", time.Now())
	}
	if err == nil {
		err = s.Posts.Create(t.Context(), post)
	}
	if err != nil {
		t.Fatal(err)
	}
	return author, post
}

func TestRetriedDeletionOfARevisionSucceeds(t *testing.T) {
	engine := newEngine(t, embedded.Options{})
	transport := &late{Transporter: engine, landed: func() {}}
	store := openStore(t, engine, Options{Transport: transport})
	ada, post := authorWithPost(t, store)
	transport.armed = true
	if err := store.Posts.DeleteRevision(t.Context(), post.ID, ada.ID, post.Revision); err != nil {
		t.Error(err)
	}
	if _, err := store.Posts.Get(t.Context(), post.ID); !domain.Is(err, domain.NotFound) {
		t.Errorf("reading the post: %v, want not found", err)
	}
	t.Run("another revision or another author's post is a conflict", func(t *testing.T) {
		post, err := domain.NewPost(ada, "Another post", "Text.", time.Now())
		if err == nil {
			err = store.Posts.Create(t.Context(), post)
		}
		if err != nil {
			t.Fatal(err)
		}
		err = store.Posts.DeleteRevision(t.Context(), post.ID, ada.ID, post.Revision+1)
		if !domain.Is(err, domain.Conflict) {
			t.Errorf("deleting another revision: %v, want a conflict", err)
		}
		if err := store.Posts.Delete(t.Context(), post.ID, ada.ID); err != nil {
			t.Fatal(err)
		}
		err = store.Posts.DeleteRevision(t.Context(), post.ID, domain.NewUserID(nil), post.Revision)
		if !domain.Is(err, domain.Conflict) {
			t.Errorf("deleting another author's post: %v, want a conflict", err)
		}
	})
}

// If a stored change were reported as a conflict, the user would repeat it. Then the used code would be rejected, and
// new recovery codes would never be shown.
func TestStoredCredentialsAreNoConflictWhenTheyChangeAgain(t *testing.T) {
	change := func(s *Store, userID string, how func(*domain.Credentials)) (domain.Credentials, error) {
		c, err := s.Credentials.Get(t.Context(), userID)
		if err != nil {
			return c, err
		}
		how(&c)
		return s.Credentials.Set(t.Context(), c)
	}
	for name, how := range map[string]func(*domain.Credentials){
		"a used code":    func(c *domain.Credentials) { c.TOTPStep = 7 },
		"a new password": func(c *domain.Credentials) { c.PasswordHash = "another hash" },
	} {
		t.Run(name, func(t *testing.T) {
			engine := newEngine(t, embedded.Options{})
			transport := &late{Transporter: engine}
			store := openStore(t, engine, Options{Transport: transport})
			ada, _ := authorWithPost(t, store)
			transport.landed = func() {
				for range 3 {
					if _, err := change(store, ada.ID, func(c *domain.Credentials) { c.Email += "x" }); err != nil {
						t.Error(err)
					}
				}
			}
			transport.armed = true
			if c, err := change(store, ada.ID, how); err != nil || c.Version != 2 {
				t.Errorf("version %d, %v", c.Version, err)
			}
			got, err := store.Credentials.Get(t.Context(), ada.ID)
			if err != nil || got.Version != 5 || got.Email != "xxx" ||
				got.TOTPStep == 0 && got.PasswordHash == "hash" {
				t.Errorf("the credentials are %+v, %v", got, err)
			}
		})
	}
}
