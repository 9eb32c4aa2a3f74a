package embeds_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/picture"
	"inkfeed/web/webtest"
	"inkfeed/workers/embeds"
)

const video = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"

// world is a site with a fetcher, and the providers that it asks.
type world struct {
	*webtest.Site
	*embeds.Fetcher
	ada      *webtest.Visitor
	requests atomic.Int64
	status   atomic.Int64 // of all answers; 0: 200
	picture  atomic.Int64 // the status of thumbnails; 0: that of all answers
	settings domain.Settings
	// hook, if set, is called once before a thumbnail is sent.
	hook func()
}

func newWorld(t *testing.T) *world {
	w := &world{Site: webtest.NewSite(t)}
	w.ada = w.SignUp("ada")
	photo := webtest.Photo(t, 480, 360)
	server := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.requests.Add(1)
		if status := w.status.Load(); status != 0 {
			rw.WriteHeader(int(status))
			return
		}
		switch r.URL.Path {
		case "/oembed":
			fmt.Fprint(rw, `{"title":"A video","author_name":"Someone","thumbnail_url":"https://i.example.com/1.jpg"}`)
		case "/1.jpg":
			if hook := w.hook; hook != nil {
				w.hook = nil
				hook()
			}
			if status := w.picture.Load(); status != 0 {
				rw.WriteHeader(int(status))
			}
			_, _ = rw.Write(photo)
		default:
			http.NotFound(rw, r)
		}
	}))
	t.Cleanup(server.Close)
	dial := func(_ context.Context, network, _ string) (net.Conn, error) {
		return net.Dial(network, server.Listener.Addr().String())
	}
	store := w.Data.Store
	w.Fetcher = embeds.New(embeds.Config{Posts: store.Posts, Images: store.Images, Items: store.Embeds,
		Counters: store.Counters, Files: webtest.Config(w.Data, t.Output()).Files, Maker: picture.NewMaker(nil),
		Markdown: markdown.New(), Client: embeds.NewClient(dial, &tls.Config{InsecureSkipVerify: true}),
		Settings: func() *domain.Settings { return &w.settings }, Logger: slog.New(slog.DiscardHandler)})
	return w
}

// items returns the posts whose embeds are to be fetched.
func (w *world) items() (items []domain.ScheduledItem) {
	for item, err := range w.Data.Store.Embeds.Upcoming(w.Data.Context(), time.Now().Add(48*time.Hour)) {
		w.Data.Must(err)
		items = append(items, item)
	}
	return items
}

// fetch makes an attempt at each item, as a scheduler does.
func (w *world) fetch() {
	w.Data.CatchUp()
	for _, item := range w.items() {
		w.Data.Must(w.Fetch(w.Data.Context(), item))
		w.Data.Must(w.Data.Store.Embeds.Done(w.Data.Context(), item))
	}
	w.Data.CatchUp()
}

// thumbnails returns the number of thumbnails and of all their files.
func (w *world) thumbnails() (records, files int) {
	return len(w.Data.LiveItems("users", "thumbnail")), len(w.Data.StoredFiles())
}

func TestFetcher(t *testing.T) {
	t.Run("adds title, author and thumbnail to the page of a published post", func(t *testing.T) {
		w := newWorld(t)
		p := w.ada.CreatePost("A post", "Text.\n\n"+video+"\n\n"+video)
		w.Anonymous().Get(p.Path()).HasNo(".embed img")
		w.fetch()
		page := w.Anonymous().Get(p.Path()).Want(http.StatusOK).Has("figure:first-of-type .embed-title", "A video").
			Has("figure:first-of-type .embed-source", "YouTube · Someone")
		src, _ := page.Page().Find(".embed img").Attr("src")
		if !strings.HasPrefix(src, domain.MediaPrefix) {
			t.Fatalf("the picture is at %q", src)
		}
		w.Anonymous().Get(src).Want(http.StatusOK)
		if n := w.requests.Load(); n != 2 || len(w.items()) != 0 {
			t.Errorf("%d requests for one address, %d items are left", n, len(w.items()))
		}
		user := w.Data.User(w.ada.User.ID)
		if records, _ := w.thumbnails(); records != 1 || user.ImageCount != 1 || user.ImageBytes == 0 {
			t.Errorf("%d thumbnails; the author has %d pictures of %d bytes", records, user.ImageCount, user.ImageBytes)
		}
		w.ada.Get("/images").Want(http.StatusOK).HasNo(`img[src*="` + src + `"]`)
		w.fetch()
		if n := w.requests.Load(); n != 2 {
			t.Errorf("%d requests after another look", n)
		}
	})
	t.Run("deletes thumbnails with the post, and those of embeds that an edit removes", func(t *testing.T) {
		w := newWorld(t)
		p, q := w.ada.CreatePost("A post", video), w.ada.CreatePost("Another", video)
		w.fetch()
		if records, _ := w.thumbnails(); records != 2 {
			t.Fatalf("%d thumbnails", records)
		}
		w.Data.Must(w.Data.EditPost(w.ada, q.ID, "Another", "No video."))
		w.fetch()
		w.ada.Post("/posts/" + p.ID + "/erase").Want(http.StatusSeeOther)
		w.fetch()
		records, files := w.thumbnails()
		if user := w.Data.User(w.ada.User.ID); records != 0 || files != 0 || user.ImageCount+int(user.ImageBytes) != 0 {
			t.Errorf("%d thumbnails with %d files are left, and %d are counted", records, files, user.ImageCount)
		}
	})
	t.Run("tries again for a limited number of times, and shows a plain card", func(t *testing.T) {
		w := newWorld(t)
		w.status.Store(http.StatusBadGateway)
		p := w.ada.CreatePost("A post", video)
		for attempt := 1; attempt <= 10; attempt++ {
			w.fetch()
			w.Anonymous().Get(p.Path()).Has("figure.embed .embed-source", "YouTube")
		}
		if n := w.requests.Load(); n != 5 || len(w.items()) != 0 {
			t.Errorf("%d attempts, %d items are left", n, len(w.items()))
		}
	})
	t.Run("succeeds at a later attempt, after a pause", func(t *testing.T) {
		w := newWorld(t)
		w.status.Store(http.StatusTooManyRequests)
		p := w.ada.CreatePost("A post", video)
		w.Data.CatchUp()
		at := w.items()[0].At
		w.fetch()
		if items := w.items(); len(items) != 1 || items[0].Attempts != 1 || !items[0].At.After(at.Add(time.Minute)) {
			t.Fatalf("the items are %+v", items)
		}
		w.status.Store(0)
		w.fetch()
		w.Anonymous().Get(p.Path()).Has(".embed-title", "A video")
	})
	t.Run("gives up at once what does not exist", func(t *testing.T) {
		w := newWorld(t)
		w.status.Store(http.StatusNotFound)
		w.ada.CreatePost("A post", video+"\n\nhttps://blog.example.com/@ada/112233445566778899")
		w.fetch()
		w.fetch()
		if n := w.requests.Load(); n != 2 || len(w.items()) != 0 {
			t.Errorf("%d requests, %d items are left", n, len(w.items()))
		}
	})
	t.Run("leaves an item to the instance that was faster", func(t *testing.T) {
		w := newWorld(t)
		w.ada.CreatePost("A post", video)
		w.Data.CatchUp()
		item := w.items()[0]
		w.Data.Must(w.Fetch(w.Data.Context(), item))
		w.Data.Must(w.Fetch(w.Data.Context(), item))
		if n := w.requests.Load(); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("resumes after a crash between claim and result", func(t *testing.T) {
		w := newWorld(t)
		p := w.ada.CreatePost("A post", video)
		w.Data.CatchUp()
		_, claimed, err := w.Data.Store.Embeds.Postpone(w.Data.Context(), w.items()[0], time.Now().Add(time.Minute), 1)
		if err != nil || !claimed {
			t.Fatal(claimed, err)
		}
		w.fetch()
		w.Anonymous().Get(p.Path()).Has(".embed-title", "A video")
	})
	t.Run("leaves no thumbnail if the post is deleted after a crash", func(t *testing.T) {
		w := newWorld(t)
		p := w.ada.CreatePost("A post", video)
		w.Data.CatchUp()
		item := w.items()[0]
		w.Data.Must(w.Fetch(w.Data.Context(), item))
		w.Data.ChangeItem("posts", p.ID, p.ID, func(i map[string]any) { delete(i, "embeds") }) // it crashed before that
		w.Data.Must(w.Data.Store.Embeds.PutNew(w.Data.Context(), item))
		w.ada.Post("/posts/" + p.ID + "/erase").Want(http.StatusSeeOther)
		w.fetch()
		if records, files := w.thumbnails(); records != 0 || files != 0 {
			t.Errorf("%d thumbnails with %d files are left", records, files)
		}
	})
	t.Run("shows a card without a picture if the author has no space left", func(t *testing.T) {
		w := newWorld(t)
		w.Data.ChangeUser(w.ada.User.ID, func(i map[string]any) { i["imageBytes"] = domain.ImageQuota })
		p := w.ada.CreatePost("A post", video)
		w.fetch()
		w.Anonymous().Get(p.Path()).Has(".embed-title", "A video").HasNo(".embed img")
		if records, files := w.thumbnails(); records != 0 || files != 0 || len(w.items()) != 0 {
			t.Errorf("%d thumbnails with %d files", records, files)
		}
	})
	t.Run("fetches nothing if the site does not want it", func(t *testing.T) {
		w := newWorld(t)
		w.settings.PlainEmbeds = true
		p := w.ada.CreatePost("A post", video)
		w.fetch()
		w.fetch()
		w.Anonymous().Get(p.Path()).Has("figure.embed button", "")
		if n := w.requests.Load(); n != 0 || len(w.items()) != 0 {
			t.Errorf("%d requests, %d items are left", n, len(w.items()))
		}
	})
	t.Run("leaves no thumbnail if the embed is edited away meanwhile", func(t *testing.T) {
		w := newWorld(t)
		p := w.ada.CreatePost("A post", "Text\n\n"+video)
		w.hook = func() { w.Data.Must(w.Data.EditPost(w.ada, p.ID, "A post", "No video.")) }
		w.fetch()
		if records, _ := w.thumbnails(); records != 1 {
			t.Fatalf("%d thumbnails while the item waits", records)
		}
		w.fetch()
		if records, files := w.thumbnails(); records+files > 0 || len(w.items()) != 0 {
			t.Errorf("%d thumbnails with %d files and %d items are left", records, files, len(w.items()))
		}
	})
	t.Run("leaves no thumbnail of a deleted post whose fetch was lost", func(t *testing.T) {
		w := newWorld(t)
		p := w.ada.CreatePost("A post", video)
		w.fetch()
		w.Data.ChangeItem("posts", p.ID, p.ID, func(i map[string]any) { delete(i, "embeds"); i["revision"] = 9 })
		w.ada.Post("/posts/" + p.ID + "/erase").Want(http.StatusSeeOther)
		w.Data.CatchUp()
		if records, files := w.thumbnails(); records+files > 0 {
			t.Errorf("%d thumbnails with %d files are left", records, files)
		}
	})
	t.Run("fetches all that Markdown makes a card", func(t *testing.T) {
		for _, line := range []string{"www.youtube.com/watch?v=dQw4w9WgXcQ", "<HTTPS://youtu.be/dQw4w9WgXcQ>"} {
			w := newWorld(t)
			w.ada.CreatePost("A post", line)
			w.fetch()
			if w.requests.Load() == 0 {
				t.Errorf("%s is never fetched", line)
			}
		}
	})
	t.Run("continues on the next day if the author has used up the embeds of this one", func(t *testing.T) {
		w := newWorld(t)
		counter := fmt.Sprint("embeds ", w.ada.User.ID, time.Now().Unix()/86400)
		_, err := w.Data.Store.Counters.Add(w.Data.Context(), counter, 199, 24*time.Hour)
		w.Data.Must(err)
		p := w.ada.CreatePost("A post", video+"\n\nhttps://vimeo.com/1\n\nhttps://vimeo.com/2")
		w.fetch()
		w.Anonymous().Get(p.Path()).Has("figure:first-of-type .embed-title", "A video")
		tomorrow := time.Now().Truncate(24 * time.Hour).Add(24 * time.Hour)
		if items := w.items(); len(items) != 1 || items[0].Attempts != 0 || items[0].At.Before(tomorrow) {
			t.Errorf("the items are %+v", items)
		}
		if n, err := w.Data.Store.Counters.Add(w.Data.Context(), counter, 0, 24*time.Hour); err != nil || n != 201 {
			t.Errorf("%d embeds are counted, %v", n, err)
		}
	})
	t.Run("waits for a replica that lags behind", func(t *testing.T) {
		w := newWorld(t)
		p := w.ada.CreatePost("A post", video)
		w.Data.CatchUp()
		item := w.items()[0]
		item.Revision++
		if err := w.Fetch(w.Data.Context(), item); !domain.Is(err, domain.NotFound) {
			t.Errorf("a later revision: %v", err)
		}
		item.PostID = "x" + p.ID
		if err := w.Fetch(w.Data.Context(), item); !domain.Is(err, domain.NotFound) {
			t.Errorf("a post that is not there: %v", err)
		}
	})
	t.Run("asks again for a thumbnail that failed for a passing reason", func(t *testing.T) {
		w := newWorld(t)
		w.picture.Store(http.StatusServiceUnavailable)
		p := w.ada.CreatePost("A post", video)
		w.fetch()
		w.Anonymous().Get(p.Path()).Has(".embed-title", "A video").HasNo(".embed img")
		w.picture.Store(0)
		w.fetch()
		w.Anonymous().Get(p.Path()).Has(".embed img", "")
		if len(w.items()) != 0 {
			t.Errorf("the items are %+v", w.items())
		}
	})
	t.Run("asks again after an edit about an address that did not exist", func(t *testing.T) {
		w := newWorld(t)
		w.status.Store(http.StatusNotFound)
		p := w.ada.CreatePost("A post", video)
		w.fetch()
		w.status.Store(0)
		w.Data.Must(w.Data.EditPost(w.ada, p.ID, "A post", "Edited.\n\n"+video))
		w.fetch()
		w.Anonymous().Get(p.Path()).Has(".embed-title", "A video")
	})
	t.Run("continues if a post was hidden before all was fetched", func(t *testing.T) {
		w := newWorld(t)
		w.picture.Store(http.StatusServiceUnavailable)
		p := w.ada.CreatePost("A post", video)
		w.fetch()
		hide := func(hidden bool) {
			w.Data.ChangeItem("posts", p.ID, p.ID, func(i map[string]any) {
				if delete(i, "held"); hidden {
					i["held"] = domain.HeldByModerator
				}
				i["version"] = i["version"].(float64) + 1
			})
		}
		hide(true)
		w.fetch()
		if len(w.items()) != 0 {
			t.Fatalf("the items of the hidden post are %+v", w.items())
		}
		w.picture.Store(0)
		hide(false)
		w.fetch()
		w.Anonymous().Get(p.Path()).Has(".embed img", "")
	})
	t.Run("continues if a hidden post is shown again while its item is being dropped", func(t *testing.T) {
		w := newWorld(t)
		p := w.ada.CreatePost("A post", video)
		w.Data.CatchUp()
		hide := func(hidden bool) {
			w.Data.ChangeItem("posts", p.ID, p.ID, func(i map[string]any) {
				if delete(i, "held"); hidden {
					i["held"] = domain.HeldByModerator
				}
				i["version"] = i["version"].(float64) + 1
			})
			w.Data.CatchUp()
		}
		hide(true)
		item := w.items()[0]
		w.Data.Must(w.Fetch(w.Data.Context(), item))
		hide(false)
		w.Data.Must(w.Data.Store.Embeds.Done(w.Data.Context(), item))
		w.fetch()
		w.Anonymous().Get(p.Path()).Has(".embed img", "")
	})
	t.Run("lists no post without embeds", func(t *testing.T) {
		w := newWorld(t)
		w.ada.CreatePost("A post", "See "+video+" there.\n\nhttps://example.org/")
		w.Data.CatchUp()
		if items := w.items(); len(items) != 0 {
			t.Errorf("the items are %+v", items)
		}
	})
}
