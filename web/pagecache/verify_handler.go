package pagecache

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// PagesVerified is a line of what Verifier answers: how far it is and, at the end, what came
// of it.
type PagesVerified struct {
	VerifyReport
	Done  bool   `json:"done,omitempty"`
	Error string `json:"error,omitempty"`
}

// Verifier compares the pages of a cache, for one operator at a time, and tells how far it is
// in lines of JSON. The form has walk and rate, see VerifyOptions. The cache may be nil: nothing
// is kept. It is for operators, not for readers.
func Verifier(cache *Cache) http.Handler {
	var busy sync.Mutex
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pace, err := strconv.Atoi(r.FormValue("rate"))
		if err != nil || pace < 0 {
			http.Error(w, "rate is not a number of pages", http.StatusBadRequest)
			return
		}
		if !busy.TryLock() {
			http.Error(w, "the pages are being compared for somebody else", http.StatusConflict)
			return
		}
		release := sync.OnceFunc(busy.Unlock)
		defer release()
		control, lines := http.NewResponseController(w), json.NewEncoder(w)
		_ = control.SetWriteDeadline(time.Time{}) // it takes as long as it takes
		w.Header().Set("Content-Type", "application/x-ndjson")
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		tell := func(line PagesVerified) {
			if lines.Encode(line) != nil || control.Flush() != nil {
				cancel() // nobody listens
			}
		}
		last := PagesVerified{Done: true}
		if cache != nil {
			err = cache.Verify(ctx, VerifyOptions{Walk: r.FormValue("walk") == "true", Rate: pace},
				func(report VerifyReport) {
					last.VerifyReport = report
					tell(PagesVerified{VerifyReport: report})
				})
		}
		if last.Wrong = nil; err != nil {
			last.Error = err.Error()
		}
		release() // who hears that it is over may ask anew at once
		tell(last)
	}))
}
