package app

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"inkfeed/cosmos"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/costs"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/media"
	"inkfeed/cosmos/metering"
	"inkfeed/domain"
	"inkfeed/domain/importing/jobs"
	"inkfeed/domain/markdown"
	"inkfeed/domain/picture"
	"inkfeed/web"
	"inkfeed/web/cli/config"
	"inkfeed/web/mail"
	"inkfeed/web/webtest"
	"inkfeed/workers"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/loop"
	"inkfeed/workers/search"
)

// TestWriteInvalidatesItsPagesAtOnce checks that a process invalidates the pages that show a write before the write is
// answered. The tailers, which would invalidate them later, do not run here.
func TestWriteInvalidatesItsPagesAtOnce(t *testing.T) {
	type scene struct {
		*singleServer
		post    domain.Post
		comment domain.Comment
	}
	for name, tt := range map[string]struct {
		write func(t *testing.T, s scene) error
		// invalidated and cached are {post}, {comments}, {likes}, {author} and {other}, another post of the author.
		invalidated []string
		cached      []string
	}{
		"a like": {func(t *testing.T, s scene) error {
			_, err := s.store.Posts.Like(t.Context(), domain.NewLike(s.reader, s.post.ID, time.Now()))
			return err
		}, []string{"{post}", "{likes}", "{comments}"}, []string{"{author}", "{other}"}},
		"a comment": {func(t *testing.T, s scene) error {
			comment, err := domain.NewComment(s.reader, s.post.ID, "Another comment.", time.Now())
			if err == nil {
				_, err = s.store.Posts.AddComment(t.Context(), comment)
			}
			return err
		}, []string{"{post}", "{comments}"}, []string{"{author}", "{other}"}},
		"an edited comment": {func(t *testing.T, s scene) error {
			edit, err := domain.NewCommentEdit(s.comment, "Better words.", time.Now())
			if err == nil {
				_, err = s.store.Posts.EditComment(t.Context(), edit, s.reader.ID)
			}
			return err
		}, []string{"{post}", "{comments}"}, []string{"{author}", "{other}"}},
		"a deleted comment": {func(t *testing.T, s scene) error {
			_, err := s.store.Posts.DeleteComment(t.Context(), s.post.ID, s.comment.ID, s.reader.ID)
			return err
		}, []string{"{post}", "{comments}"}, []string{"{author}", "{other}"}},
		"a hidden comment": {func(t *testing.T, s scene) error {
			_, err := s.store.Posts.HoldComment(t.Context(), s.post.ID, s.comment.ID, domain.HeldByModerator)
			return err
		}, []string{"{post}", "{comments}"}, []string{"{author}", "{other}"}},
		"an edit": {func(t *testing.T, s scene) error {
			edit, err := domain.NewEdit(s.post.ID, s.post.Revision, "Another title", "Another text.", time.Now())
			if err == nil {
				_, err = s.store.Posts.Edit(t.Context(), edit, s.author.ID)
			}
			return err
		}, []string{"{post}", "{comments}", "{likes}"}, []string{"{author}", "{other}"}},
		"a hidden post": {func(t *testing.T, s scene) error {
			_, err := s.store.Posts.Hold(t.Context(), s.post.ID, domain.HeldByModerator)
			return err
		}, []string{"{post}", "{comments}", "{likes}"}, []string{"{other}"}},
		"a deleted post": {func(t *testing.T, s scene) error {
			return s.store.Posts.Delete(t.Context(), s.post.ID, s.author.ID)
		}, []string{"{post}", "{comments}", "{likes}"}, []string{"{other}"}},
		"an unlisted post": {func(t *testing.T, s scene) error {
			_, err := s.store.Posts.SetStatus(t.Context(), s.post.ID, s.author.ID, domain.Unlisted)
			return err
		}, []string{"{post}", "{comments}", "{likes}"}, []string{"{other}"}},
		"a profile": {func(t *testing.T, s scene) error {
			return s.store.Profiles.SetProfile(t.Context(), s.author.ID, domain.Profile{Bio: "Who I am."})
		}, []string{"{author}", "{post}", "{other}", "{comments}", "{likes}"}, nil},
		"a suspended author": {func(t *testing.T, s scene) error {
			_, err := s.store.Accounts.Suspend(t.Context(), s.author.ID, "Spam.", time.Now())
			return err
		}, []string{"{author}", "{post}", "{other}", "{comments}", "{likes}"}, nil},
		"a deleted author": {func(t *testing.T, s scene) error {
			return s.store.AccountDeletions.Delete(t.Context(), s.author.ID)
		}, []string{"{author}", "{post}", "{other}", "{comments}", "{likes}"}, nil},
		"the use and the end of a session": {func(t *testing.T, s scene) error {
			session := domain.Session{ID: domain.NewID(), UserID: s.author.ID, Created: time.Now(),
				LastUsed: time.Now()}
			if err := s.store.Sessions.Create(t.Context(), session); err != nil {
				return err
			}
			s.get("/@" + s.author.Username)
			return errors.Join(s.store.Sessions.Touch(t.Context(), s.author.ID, session.ID, time.Now()),
				s.store.Sessions.Delete(t.Context(), s.author.ID, session.ID))
		}, nil, []string{"{author}"}},
		"a bookmark": {func(t *testing.T, s scene) error {
			_, err := s.store.Posts.Bookmark(t.Context(), s.post, s.reader.ID, time.Now())
			return err
		}, nil, []string{"{post}", "{comments}", "{author}", "{other}"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene{singleServer: newSingleServer(t)}
			s.post, s.comment = s.publish(t)
			other, _ := s.publish(t)
			paths := strings.NewReplacer("{other}", other.Path(), "{post}", s.post.Path(),
				"{comments}", "/posts/"+s.post.ID+"/comments", "{likes}", "/posts/"+s.post.ID+"/likes",
				"{author}", "/@"+s.author.Username)
			for _, path := range slices.Concat(tt.invalidated, tt.cached) {
				s.get(paths.Replace(path))
				if !s.caches(paths.Replace(path)) {
					t.Fatalf("%s is not cached before the write", path)
				}
			}
			if err := tt.write(t, s); err != nil {
				t.Fatal(err)
			}
			for _, path := range tt.cached {
				if !s.caches(paths.Replace(path)) {
					t.Errorf("%s is invalidated", path)
				}
			}
			for _, path := range tt.invalidated {
				if s.caches(paths.Replace(path)) {
					t.Errorf("%s is still cached", path)
				}
			}
		})
	}
}

// TestLikeDoesNotReadTheCommentsAgain checks that a post that many users like is rendered again without reading its
// comments.
func TestLikeDoesNotReadTheCommentsAgain(t *testing.T) {
	w := newSingleServer(t)
	post, comment := w.publish(t)
	reads := func(name string, write func() error) {
		t.Helper()
		w.get(post.Path())
		before := w.read.of("Q4")
		if err := write(); err != nil {
			t.Fatal(err)
		}
		w.get(post.Path())
		if again := w.read.of("Q4") - before; (again > 0) != (name == "a deleted comment") {
			t.Errorf("after %s the comments are read %v times again", name, again)
		}
	}
	reads("a like", func() error {
		_, err := w.store.Posts.Like(t.Context(), domain.NewLike(w.reader, post.ID, time.Now()))
		return err
	})
	reads("a removed like", func() error {
		_, err := w.store.Posts.Unlike(t.Context(), post.ID, w.reader.ID)
		return err
	})
	reads("a deleted comment", func() error {
		_, err := w.store.Posts.DeleteComment(t.Context(), post.ID, comment.ID, w.reader.ID)
		return err
	})
}

// operationsCounted is the registry of the store's metrics.
type operationsCounted struct{ *prometheus.Registry }

// of returns the number of requests of an operation.
func (r operationsCounted) of(operation string) float64 {
	return r.byOperation("inkfeed_cosmos_requests_total")[operation]
}

// byOperation returns the values of a counter by operation.
func (r operationsCounted) byOperation(counter string) map[string]float64 {
	families, err := r.Gather()
	if err != nil {
		panic(err) // the metrics are the store's own
	}
	values := make(map[string]float64)
	for _, family := range families {
		if family.GetName() != counter {
			continue
		}
		for _, m := range family.Metric {
			for _, label := range m.Label {
				if label.GetName() == "operation" {
					values[label.GetValue()] += m.GetCounter().GetValue()
				}
			}
		}
	}
	return values
}

// singleServer is a server whose background work does not run until it is started. Until then only its own writes
// invalidate its pages.
type singleServer struct {
	*background
	store          *cosmos.Store
	read           operationsCounted
	handler        http.Handler
	author, reader domain.User
}

func newSingleServer(t *testing.T) *singleServer {
	t.Helper()
	w := newServerOn(t, openEngine(t), nil)
	w.background.pages.Follow(time.Now)
	w.author, w.reader = w.signUp(t, "ada"), w.signUp(t, "bob")
	return w
}

func openEngine(t *testing.T) *embedded.Engine {
	t.Helper()
	engine, err := embedded.Open(t.TempDir(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

// newServerOn returns a server on an engine, which may have several.
func newServerOn(t *testing.T, engine *embedded.Engine, activity *loop.Activity) *singleServer {
	t.Helper()
	var writes workers.WriteNotifier
	metrics, recorder := prometheus.NewRegistry(), metering.NewRecorder("test")
	store, err := cosmos.Open(t.Context(), cosmos.Options{Endpoint: engine.Endpoint(), Key: engine.Key(),
		Transport: engine, Database: "test", Observers: []client.Observer{client.NewMetrics(metrics),
			client.OnWrite(writes.Notify), recorder}})
	if err != nil {
		t.Fatal(err)
	}
	store.Recorder = recorder
	t.Cleanup(store.Close)
	logger, markdown := slog.New(slog.DiscardHandler), markdown.New()
	index, err := search.Open(t.TempDir(), markdown, logger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	mailer, err := mail.New(mail.Options{Outbox: t.TempDir(), Keys: [][]byte{make([]byte, 32)}, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	files, pictures := media.NewDisk(t.TempDir()), picture.NewMaker(nil)
	imports := jobs.NewRunner(jobs.Config{Jobs: store.ImportJobs, Users: store.Users, Profiles: store.Profiles,
		Posts: store.Posts, Drafts: store.Drafts, Records: store.Imports, Redirects: store.Redirects,
		Images: store.Images, Texts: store.Export, Files: files, Maker: pictures, Read: webtest.ReadUpload,
		Logger: logger})
	b := newBackground(store, index, mailer, markdown, nil, files, pictures, imports,
		&config.Serve{CacheBytes: 1 << 24},
		changefeed.Options{Instance: rand.Text(), PollInterval: 500 * time.Millisecond, Activity: activity,
			Logger: logger}, prometheus.NewRegistry())
	b.subscribe(&writes)
	w := &singleServer{background: b, store: store, read: operationsCounted{metrics}}
	w.handler, err = web.New(web.Config{
		Stores: web.StoresOf(store, files, pictures), Search: index, Mailer: mailer, Files: files, Pictures: pictures,
		CurrentPages: b.pageList, ReadUpload: webtest.ReadUpload,
		Lags:     b.lags(store, changefeed.Options{Logger: logger}),
		Markdown: markdown, SessionKeys: [][]byte{make([]byte, 32)},
		Ready: store.Ping, Tailers: func() []costs.Tailer { return nil }, Cache: b.pages.cache(),
		Current: b.settings, Visits: b.visits(), Composer: b.mailings.composer, Logger: logger,
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *singleServer) signUp(t *testing.T, name string) domain.User {
	t.Helper()
	user, err := domain.NewUser(name, time.Now())
	if err == nil {
		err = w.store.Accounts.Create(t.Context(), user, "no password")
	}
	if err != nil {
		t.Fatal(err)
	}
	return user
}

// publish publishes a post with a comment.
func (w *singleServer) publish(t *testing.T) (domain.Post, domain.Comment) {
	t.Helper()
	post, err := domain.NewPost(w.author, "A post", "Its text.", time.Now())
	if err == nil {
		err = w.store.Posts.Create(t.Context(), post)
	}
	if err != nil {
		t.Fatal(err)
	}
	comment, err := domain.NewComment(w.reader, post.ID, "A comment.", time.Now())
	if err == nil {
		_, err = w.store.Posts.AddComment(t.Context(), comment)
	}
	if err != nil {
		t.Fatal(err)
	}
	return post, comment
}

func (w *singleServer) get(path string) http.Header {
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
	return answer.Header()
}

// caches reports whether a page comes from the cache.
func (w *singleServer) caches(path string) bool {
	return strings.HasPrefix(w.get(path).Get("Cache-Status"), "Inkfeed; hit")
}
