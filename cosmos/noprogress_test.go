package cosmos

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
)

// stuck is a transport that changes the answers to reads of a change feed, which all have the status 200.
type stuck struct {
	policy.Transporter
	etag  func(asked string) string // nil changes nothing
	items bool                      // whether the answers keep their items
}

func (s *stuck) Do(r *http.Request) (*http.Response, error) {
	resp, err := s.Transporter.Do(r)
	if err != nil || s.etag == nil || r.Header.Get("A-IM") == "" {
		return resp, err
	}
	resp.StatusCode, resp.Status = http.StatusOK, "200 OK"
	resp.Header.Del("ETag")
	if etag := s.etag(r.Header.Get("If-None-Match")); etag != "" {
		resp.Header.Set("ETag", etag)
	}
	if !s.items {
		resp.Body = io.NopCloser(strings.NewReader(`{"_rid":"","Documents":[],"_count":0}`))
	}
	return resp, nil
}

// TestReadOfAChangeFeedWithoutProgressFails lets the storage answer 200 without the position of another page. A reader
// that took such an answer for a page would read it again and again, or begin the feed anew.
func TestReadOfAChangeFeedWithoutProgressFails(t *testing.T) {
	engine := newEngine(t, embedded.Options{Ranges: 1})
	transport := &stuck{Transporter: engine}
	s := openStore(t, engine, Options{Transport: transport})
	ids := writePosts(t, s, 4)
	r := feedRanges(t, s)[0]
	feed := s.Posts.Changes()
	first, err := feed.Read(t.Context(), r, "", 2)
	if err != nil || len(first.Changes) != 2 {
		t.Fatalf("%d changes, %v", len(first.Changes), err)
	}
	for name, etag := range map[string]func(string) string{
		"no position":       func(string) string { return "" },
		"the same position": func(asked string) string { return asked },
	} {
		for _, transport.items = range []bool{false, true} {
			for _, from := range []string{"", first.Continuation} {
				transport.etag = etag
				page, err := feed.Read(t.Context(), r, from, 2)
				if domain.KindOf(err) != domain.Unavailable {
					t.Errorf("%s, items %v, from %q: page %+v, error %v, want Unavailable", name, transport.items, from,
						page, err)
				}
			}
		}
	}
	transport.etag = nil
	if got, _ := readOn(t, s, r, first.Continuation); len(got) != 2 || got[0] != ids[2] {
		t.Errorf("after the failure the reader goes on with %v, want the last two of %v", got, ids)
	}
}
