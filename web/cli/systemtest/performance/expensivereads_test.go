package performance

import (
	"net/http"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

// TestForgedCookiesCostNoMore compares the cost of requests for a post with unsigned cookies that would bypass the
// cache, and without cookies.
func TestForgedCookiesCostNoMore(t *testing.T) {
	server := serveWith(t, map[string]string{"INKFEED_DATA": t.TempDir()})
	ada := harness.NewVisitor(t, server.Address)
	ada.SignUp("ada")
	post := ada.Publish("A post", "A text.").URL.Path
	const requests = 50
	// spent returns the charge of the requests, without reads of the tailers and the workers.
	spent := func(cookie string) (sum float64) {
		t.Helper()
		before := server.charges(t)
		for range requests {
			r, _ := http.NewRequest(http.MethodGet, server.Address+post, nil)
			if cookie != "" {
				r.Header.Set("Cookie", cookie)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("with the cookie %q: status %d", cookie, resp.StatusCode)
			}
		}
		since := server.charges(t).since(before)
		t.Logf("%d requests with the cookie %q: %.1f RU, %v", requests, cookie, since.total(), since)
		for name, charge := range since {
			if postReads[name] {
				sum += charge
			}
		}
		return sum
	}
	spent("")
	plain := spent("")
	for _, cookie := range []string{"inkfeed-wrote=x", "inkfeed-wrote=yes", "inkfeed=x",
		"inkfeed-wrote=k0000000.AAAAAAAAAAAAAAAAAAAAAA"} {
		// Another change may have dropped the cached page, so it may be rendered once more.
		if forged := spent(cookie); forged > plain+60 {
			t.Errorf("%d requests cost %.0f RU with the cookie %q, and %.0f without", requests, forged, cookie, plain)
		}
	}
}

// postReads lists the operations that a post's page performs and that no worker performs periodically.
var postReads = map[string]bool{"Q2": true, "Q4": true, "related": true, "neighbours": true}
