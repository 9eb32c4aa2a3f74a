package inspector

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	view "inkfeed/views/inspector"
)

func TestRequestsWithoutTheCookieCostNoAllocation(t *testing.T) {
	i := &Inspector{}
	handler := i.Record(func(echo.Context) error { return nil })
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Cookie", "inkfeed=abc; inkfeed-wrote=def")
	c := echo.New().NewContext(r, httptest.NewRecorder())
	if n := testing.AllocsPerRun(100, func() {
		if err := handler(c); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSubmissions(t *testing.T) {
	now := time.Now()
	report := view.Report{Route: "/posts"}
	t.Run("are taken once", func(t *testing.T) {
		var s submissions
		s.put("one", report, now)
		if got, ok := s.take("one", now); !ok || got.Route != "/posts" {
			t.Errorf("took %v, %v", got, ok)
		}
		if _, ok := s.take("one", now); ok {
			t.Error("taken twice")
		}
	})
	t.Run("expire", func(t *testing.T) {
		var s submissions
		s.put("one", report, now)
		if _, ok := s.take("one", now.Add(submissionTime+time.Second)); ok {
			t.Error("taken after it expired")
		}
	})
	t.Run("are bounded, and the newest is kept", func(t *testing.T) {
		var s submissions
		for n := range 10 * maxSubmissions {
			s.put(string(rune('a'+n)), report, now)
		}
		s.put("last", report, now)
		if _, ok := s.take("last", now); !ok || len(s.bySession) > maxSubmissions {
			t.Errorf("%d sessions, the last one: %v", len(s.bySession), ok)
		}
	})
}
