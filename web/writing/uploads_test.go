package writing_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/web/uploads"
	"inkfeed/web/webtest"
)

func TestUploadsWaitForTheirTurn(t *testing.T) {
	ada := webtest.NewSite(t).SignUp("ada")
	done := make(chan string)
	const many = 40
	for i := range many {
		go func() {
			browser := *ada
			done <- fmt.Sprint(browser.Scripted().Upload("/images", webtest.Photo(t, 20+i, 20)).StatusCode)
		}()
	}
	for range many {
		if status := <-done; status != "201" {
			t.Errorf("status %s", status)
		}
	}
	if len(ada.Data.ImageRecords()) != many {
		t.Errorf("%d pictures", len(ada.Data.ImageRecords()))
	}
}

// holding begins an upload that ends only when end is called.
func holding(v *webtest.Visitor, path string) (end func()) {
	body, sender := io.Pipe()
	browser := *v
	browser.Header = maps.Clone(v.Header)
	browser.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	go browser.Send(http.MethodPost, path, body)
	return func() { sender.Close() }
}

// Anonymous visitors could otherwise occupy all upload slots with endless files.
func TestAnonymousVisitorsOccupyNoUploadSlots(t *testing.T) {
	for _, path := range []string{"/images", "/settings/avatar"} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := webtest.NewSite(t)
				ada := s.SignUp("ada")
				for range uploads.MaxUploads {
					defer holding(s.Anonymous(), path)()
				}
				synctest.Wait()
				ada.Upload(path, nil).Want(http.StatusUnprocessableEntity).HasFieldError("file", "Choose a picture")
				for range uploads.MaxUploads {
					defer holding(ada, path)()
				}
				synctest.Wait()
				s.Anonymous().Upload(path, nil, "alt", "A cat").Want(http.StatusUnauthorized).
					Has(`[role="alert"]`, "Your session has expired")
			})
		})
	}
}

// Slow uploads of one user could otherwise occupy all slots.
func TestSlowUploadsOfAUserLeaveSlotsForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := webtest.NewSite(t)
		ada, ben := s.SignUp("ada"), s.SignUp("ben")
		for range 2 * uploads.MaxUploads {
			defer holding(ada, "/images")()
		}
		synctest.Wait()
		started := time.Now()
		ben.Upload("/images", webtest.Photo(t, 9, 9)).Want(http.StatusSeeOther)
		if waited := time.Since(started); waited > 0 {
			t.Errorf("the other user waited for %v", waited)
		}
	})
}

func TestAnUploadIsRefusedWhenAllSlotsStayOccupied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := webtest.NewSite(t)
		for _, name := range []string{"ada", "ben", "cem", "dora"} {
			user := s.SignUp(name)
			for range uploads.MaxUploads / 4 {
				defer holding(user, "/images")()
			}
		}
		eve := s.SignUp("eve")
		synctest.Wait()
		eve.Upload("/images", webtest.Photo(t, 9, 9), "alt", "A cat").Want(http.StatusServiceUnavailable)
	})
}

// A user who waits in vain gets the response while there is time to read the rest of the form.
func TestAnUploadThatWaitsTooLongKeepsItsDescription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		for range uploads.MaxUploads {
			defer holding(ada, "/images")()
		}
		synctest.Wait()
		a := ada.Upload("/images", webtest.Photo(t, 9, 9), "alt", "A cat").Want(http.StatusServiceUnavailable)
		if a.Value("alt") != "A cat" || !strings.Contains(a.Page().Find("#file-hint").Text(), "Choose the file again") {
			t.Errorf("the description is %q", a.Value("alt"))
		}
	})
}
