package commands

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"inkfeed/web/cli"
	"inkfeed/web/cli/systemtest/harness"
	"inkfeed/web/ops"
)

func TestVerifyPagesComparesPagesOfARunningServer(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	opsAddress := harness.FreeAddr(t)
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0", "--ops-addr", opsAddress)
	defer stop()
	ada, stranger := harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.SignUp("ada")
	post := ada.Publish("A title", "A text.")
	stranger.Get("/")
	stranger.Get(post.URL.Path)
	if out := harness.RunCommand(t, nil, "verify", "--pages", opsAddress); !strings.Contains(out, "No difference in") {
		t.Errorf("verify --pages prints: %s", out)
	}
	ada.Post(post.URL.Path+"/like", "", "")
	// The search index makes the sitemap as well, which is kept for a minute: --walk must be the first to ask for it.
	harness.Eventually(t, "the front page and the search list the post", func() bool {
		return stranger.Get("/search?q=title").Find("article.summary").Length() == 1 &&
			stranger.Get("/").Find("main article").Length() == 1
	})
	out := harness.RunCommand(t, nil, "verify", "--pages", "http://"+opsAddress+"/", "--walk", "--rate", "0")
	var pages int
	if _, err := fmt.Sscanf(out, "No difference in %d pages", &pages); err != nil || pages < 12 {
		t.Errorf("verify --pages --walk prints: %s", out)
	}
	if p := stranger.Post(ops.VerifyPages, "rate", "0"); p.Status != http.StatusNotFound {
		t.Errorf("the public address serves %s: status %d", ops.VerifyPages, p.Status)
	}
}

func TestVerifyPagesFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status      int
		response    string
		out, failed string
	}{
		"when a page is wrong": {
			http.StatusOK,
			`{"compared":1,"total":2,"wrong":{"kind":"page","name":"/","difference":"at 7 it is \"a\""}}
			{"compared":2,"total":2,"done":true}`,
			`page /: at 7 it is "a"`, "1 of 2 pages wrong",
		},
		"when the server cannot compare pages": {
			http.StatusOK, `{"compared":1,"total":2,"done":true,"error":"this instance does not hear of changes"}`,
			"", "hear of changes",
		},
		"when the connection is lost": {
			http.StatusOK, `{"compared":1,"total":2}`, "", "lost the connection",
		},
		"when another comparison is running": {
			http.StatusConflict, "for somebody else", "", "for somebody else",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.response))
			}))
			defer server.Close()
			var stdout, stderr bytes.Buffer
			command := []string{"verify", "--pages", server.URL}
			err := cli.Run(t.Context(), command, harness.Environment(nil), &stdout, &stderr)
			if err == nil || !strings.Contains(err.Error(), c.failed) || !strings.Contains(stdout.String(), c.out) {
				t.Errorf("output %q and error %v, want %q and %q", stdout.String(), err, c.out, c.failed)
			}
		})
	}
}

func TestVerifyPagesAcceptsAServerWithoutACache(t *testing.T) {
	t.Parallel()
	opsAddress := harness.FreeAddr(t)
	_, stop := harness.Serve(t, map[string]string{"INKFEED_DATA": t.TempDir()},
		"--addr", "127.0.0.1:0", "--ops-addr", opsAddress, "--cache-mb", "0")
	defer stop()
	out := harness.RunCommand(t, nil, "verify", "--pages", opsAddress)
	if !strings.Contains(out, "No difference in 0 pages") {
		t.Errorf("verify --pages prints: %s", out)
	}
}
