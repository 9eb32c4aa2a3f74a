package pagecache_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/web/webtest"
)

// A visitor who reports the id of a response leads an operator to the log line of the request.
func TestAMissIsLoggedUnderTheIDOfItsResponse(t *testing.T) {
	s, _, _ := cachedSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	s.Data.FailWith("Posts.Comments", webtest.StatusInternal)
	failed := s.Anonymous().Get(p.Path()).Want(http.StatusInternalServerError)
	failed.Has("main code", failed.Header.Get("X-Request-Id"))
	s.Data.Recover("Posts.Comments")
	for _, a := range []*webtest.Response{failed, s.Anonymous().Get(p.Path()).Want(http.StatusOK)} {
		id := a.Header.Get("X-Request-Id")
		if id == "" || !strings.Contains(s.Log.String(), "request_id="+id) {
			t.Errorf("status %s: the log lacks the id %q of the response", a.Status, id)
		}
	}
}
