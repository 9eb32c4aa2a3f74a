package pagecache_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"inkfeed/web/pagecache"
)

// impatient asks again as soon as it hears that the comparison is over, which is before the
// handler has returned.
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

func TestWhoHearsThatAComparisonIsOverMayAskAnewAtOnce(t *testing.T) {
	verifier := pagecache.Verifier(nil)
	ask := func(w http.ResponseWriter) {
		verifier.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/?rate=0", nil))
	}
	second := httptest.NewRecorder()
	ask(impatient{httptest.NewRecorder(), func() { ask(second) }})
	if second.Code != http.StatusOK || !strings.Contains(second.Body.String(), `"done":true`) {
		t.Errorf("the second one is answered with status %d: %s", second.Code, second.Body)
	}
}
