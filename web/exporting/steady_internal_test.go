package exporting

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/web/site"
)

// connection is a response that records its deadline.
type connection struct {
	http.ResponseWriter
	deadline time.Time
}

func (c *connection) SetWriteDeadline(t time.Time) error {
	c.deadline = t
	return nil
}

func (c *connection) Write(b []byte) (int, error) { return len(b), nil }

func TestAnExportOnASlowLineMayTakeAsLongAsItsSizeNeeds(t *testing.T) {
	const aSecond = 100 << 10 // bytes; less than a megabit
	synctest.Test(t, func(t *testing.T) {
		c := &connection{ResponseWriter: httptest.NewRecorder()}
		w, began := newSteadyWriter(c), time.Now()
		for range 1 << 30 / aSecond {
			if _, err := w.Write(make([]byte, aSecond)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			if left := time.Until(c.deadline); left <= 0 {
				t.Fatalf("the export is cut off after %v", time.Since(began))
			}
		}
		if took := time.Since(began); took > site.ExportLimits.Time {
			t.Errorf("1 GB takes %v, but the request ends after %v", took, site.ExportLimits.Time)
		}
	})
}
