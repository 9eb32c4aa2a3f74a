package app

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// TestListsGiveWayWhileTheirAddressesAreClaimed has a static page and an old address with the paths of lists, as sites
// of earlier releases can have.
func TestListsGiveWayWhileTheirAddressesAreClaimed(t *testing.T) {
	s := newSingleServer(t)
	post, _ := s.publish(t)
	// wantCached checks the status and the heading of a page, also when it comes from the cache.
	wantCached := func(path string, status int, heading string) {
		t.Helper()
		for range 2 {
			answer := httptest.NewRecorder()
			s.handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
			if answer.Code != status || !strings.Contains(answer.Body.String(), heading) {
				t.Errorf("%s: %d, without %q", path, answer.Code, heading)
			}
		}
	}
	wantLog := func(paths ...string) {
		t.Helper()
		var log bytes.Buffer
		warnOfClaims(t.Context(), *s.pageList.Current(), s.store.Redirects,
			slog.New(slog.NewTextHandler(&log, nil)))
		if lines := strings.Count(log.String(), "\n"); lines != len(paths) {
			t.Errorf("the log has %d lines: %s", lines, &log)
		}
		for _, path := range paths {
			if !strings.Contains(log.String(), "to show that page, move it at /admin/pages\" path="+path+"\n") {
				t.Errorf("the log does not name %s: %s", path, &log)
			}
		}
	}
	text, err := s.store.Drafts.Publish(t.Context(), domain.SiteUser(),
		domain.Draft{PostID: domain.NewPageID(), Title: "Our topics", Content: "Text."}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	setPage := func(path string) {
		t.Helper()
		pages, err := s.store.Pages.Change(t.Context(), func(p siteinfo.Pages) (siteinfo.Pages, error) {
			p.List = []siteinfo.StaticPage{{PostID: text.ID, Path: path, Title: text.Title, Published: true}}
			p.Version++
			return p, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		s.pageList.Apply(pages)
	}
	old := domain.Redirect{Path: "/authors", PostID: post.ID, OwnerID: s.author.ID}

	setPage("/topics")
	wantCached("/tags", http.StatusOK, "<h1>Tags</h1>")
	wantCached("/authors", http.StatusOK, "<h1>Authors</h1>")
	wantCached("/following", http.StatusSeeOther, "")
	wantLog()
	t.Run("by a static page in the place of the personal feed, which has a second address", func(t *testing.T) {
		setPage("/following")
		wantCached("/following", http.StatusOK, "Our topics</h1>")
		wantCached("/following/posts", http.StatusSeeOther, "")
		wantLog("/following")
	})
	t.Run("by a static page", func(t *testing.T) {
		setPage("/tags")
		wantCached("/tags", http.StatusOK, "Our topics</h1>")
		wantLog("/tags")
	})
	t.Run("by an old address", func(t *testing.T) {
		if _, err := s.store.Redirects.Put(t.Context(), old); err != nil {
			t.Fatal(err)
		}
		wantCached("/authors", http.StatusMovedPermanently, "")
		wantLog("/tags", "/authors")
	})
	t.Run("until the page moves", func(t *testing.T) {
		setPage("/topics")
		wantCached("/tags", http.StatusOK, "<h1>Tags</h1>")
		wantCached("/topics", http.StatusOK, "Our topics</h1>")
		wantLog("/authors")
	})
	t.Run("until the old address leads nowhere", func(t *testing.T) {
		if err := s.store.Redirects.Assign(t.Context(), old, domain.Redirect{Path: old.Path}); err != nil {
			t.Fatal(err)
		}
		wantCached("/authors", http.StatusOK, "<h1>Authors</h1>")
		wantLog()
	})
}
