package web_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/web"
)

func TestUploadsWaitForTheirTurn(t *testing.T) {
	ada := newSite(t).member("ada")
	done := make(chan string)
	const many = 40
	for i := range many {
		go func() {
			browser := *ada
			done <- fmt.Sprint(browser.script().upload("/images", aPhoto(t, 20+i, 20)).StatusCode)
		}()
	}
	for range many {
		if status := <-done; status != "201" {
			t.Errorf("status %s", status)
		}
	}
	if len(ada.data.images()) != many {
		t.Errorf("%d pictures", len(ada.data.images()))
	}
}

// holding begins a form with a file that never comes, until it is ended.
func holding(v *visitor, path string) (end func()) {
	body, sender := io.Pipe()
	browser := *v
	browser.header = maps.Clone(v.header)
	browser.header.Set("Content-Type", "multipart/form-data; boundary=x")
	go browser.send(http.MethodPost, path, body)
	return func() { sender.Close() }
}

// Who is not signed in could hold all places with files that never end.
func TestStrangersTakeNoPlaceFromThoseWhoUpload(t *testing.T) {
	for _, path := range []string{"/images", "/settings/avatar"} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				ada := s.member("ada")
				for range web.Places {
					defer holding(s.stranger(), path)()
				}
				synctest.Wait()
				ada.upload(path, nil).want(http.StatusUnprocessableEntity).complains("file", "Choose a picture")
				for range web.Places {
					defer holding(ada, path)()
				}
				synctest.Wait()
				s.stranger().upload(path, nil, "alt", "A cat").want(http.StatusUnauthorized).has(`[role="alert"]`, "Your session has expired")
			})
		})
	}
}

// Slow uploads of one user would otherwise hold all places.
func TestSlowUploadsOfAUserLeavePlacesForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		ada, ben := s.member("ada"), s.member("ben")
		for range 2 * web.Places {
			defer holding(ada, "/images")()
		}
		synctest.Wait()
		started := time.Now()
		ben.upload("/images", aPhoto(t, 9, 9)).want(http.StatusSeeOther)
		if waited := time.Since(started); waited > 0 {
			t.Errorf("the other user waited for %v", waited)
		}
	})
}

func TestAnUploadIsRefusedWhenAllPlacesStayTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		for _, name := range []string{"ada", "ben", "cem", "dora"} {
			user := s.member(name)
			for range web.Places / 4 {
				defer holding(user, "/images")()
			}
		}
		eve := s.member("eve")
		synctest.Wait()
		eve.upload("/images", aPhoto(t, 9, 9), "alt", "A cat").want(http.StatusServiceUnavailable)
	})
}

// Those who wait in vain are told so while there is time left to read what they sent.
func TestATooLongTurnLosesNoDescription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ada := newSite(t).member("ada")
		for range web.Places {
			defer holding(ada, "/images")()
		}
		synctest.Wait()
		a := ada.upload("/images", aPhoto(t, 9, 9), "alt", "A cat").want(http.StatusServiceUnavailable)
		if a.Value("alt") != "A cat" || !strings.Contains(a.page().Find("#file-hint").Text(), "Choose the file again") {
			t.Errorf("the form holds %q", a.Value("alt"))
		}
	})
}
