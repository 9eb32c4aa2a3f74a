package pagecache

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// VerifyProgress is one line of Verifier's response: the progress, or the final result.
type VerifyProgress struct {
	VerifyReport
	Done  bool   `json:"done,omitempty"`
	Error string `json:"error,omitempty"`
}

// Verifier returns a handler that runs Cache.Verify and streams VerifyProgress as lines of JSON. It
// runs for one operator at a time and responds with status 409 to others. The form values walk and
// rate are those of VerifyOptions. With a nil cache there is nothing to compare. The handler is for
// operators and must not be public: package ops refuses requests that pages of other sites cause.
func Verifier(cache *Cache) http.Handler {
	var busy sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pace, err := strconv.Atoi(r.FormValue("rate"))
		if err != nil || pace < 0 {
			http.Error(w, "rate must be a number of pages per second", http.StatusBadRequest)
			return
		}
		if !busy.TryLock() {
			http.Error(w, "another comparison of the pages is in progress", http.StatusConflict)
			return
		}
		release := sync.OnceFunc(busy.Unlock)
		defer release()
		control, lines := http.NewResponseController(w), json.NewEncoder(w)
		_ = control.SetWriteDeadline(time.Time{}) // no time limit
		w.Header().Set("Content-Type", "application/x-ndjson")
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		tell := func(line VerifyProgress) {
			if lines.Encode(line) != nil || control.Flush() != nil {
				cancel() // the client has disconnected
			}
		}
		last := VerifyProgress{Done: true}
		if cache != nil {
			err = cache.Verify(ctx, VerifyOptions{Walk: r.FormValue("walk") == "true", Rate: pace},
				func(report VerifyReport) {
					last.VerifyReport = report
					tell(VerifyProgress{VerifyReport: report})
				})
		}
		if last.Wrong = nil; err != nil {
			last.Error = err.Error()
		}
		release() // before the last line: the client may start another comparison at once
		tell(last)
	})
}
