package pagecache_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"inkfeed/web/pagecache"
)

// impatient starts another comparison as soon as it reads that the first has ended. The handler has not returned then.
type impatient struct {
	*httptest.ResponseRecorder
	again func()
}

func (w impatient) Write(b []byte) (int, error) {
	if strings.Contains(string(b), `"done":true`) {
		w.again()
	}
	return w.ResponseRecorder.Write(b)
}

func TestAComparisonCanFollowAnotherAtOnce(t *testing.T) {
	verifier := pagecache.Verifier(nil)
	ask := func(w http.ResponseWriter) {
		verifier.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/?rate=0", nil))
	}
	second := httptest.NewRecorder()
	ask(impatient{httptest.NewRecorder(), func() { ask(second) }})
	if second.Code != http.StatusOK || !strings.Contains(second.Body.String(), `"done":true`) {
		t.Errorf("the second comparison is answered with status %d: %s", second.Code, second.Body)
	}
}
