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

func TestVerifyPagesComparesThoseOfARunningServer(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	inside := harness.FreeAddr(t)
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0", "--ops-addr", inside)
	defer stop()
	ada, stranger := harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.SignUp("ada")
	post := ada.Publish("A title", "A text.")
	stranger.Get("/")
	stranger.Get(post.URL.Path)
	if out := harness.RunCommand(t, nil, "verify", "--pages", inside); !strings.Contains(out, "No difference in") {
		t.Errorf("verify --pages says: %s", out)
	}
	ada.Post(post.URL.Path+"/like", "", "")
	harness.Eventually(t, "the post in the lists of all posts", func() bool {
		return strings.Contains(stranger.Get("/sitemap.xml").Text(), "/posts/") && stranger.Get("/").Find("article.summary").Length() == 1
	})
	out := harness.RunCommand(t, nil, "verify", "--pages", "http://"+inside+"/", "--walk", "--rate", "0")
	var pages int
	if _, err := fmt.Sscanf(out, "No difference in %d pages", &pages); err != nil || pages < 12 {
		t.Errorf("of all pages it says: %s", out)
	}
	if p := stranger.Post(ops.VerifyPages, "rate", "0"); p.Status != http.StatusNotFound {
		t.Errorf("a reader is answered with status %d", p.Status)
	}
}

func TestVerifyPagesFails(t *testing.T) {
	for name, c := range map[string]struct {
		status      int
		says        string
		out, failed string
	}{
		"when a page is wrong": {http.StatusOK, `{"compared":1,"total":2,"wrong":{"kind":"page","name":"/","difference":"at 7 it is \"a\""}}
			{"compared":2,"total":2,"done":true}`, `page /: at 7 it is "a"`, "1 of 2 pages wrong"},
		"when it cannot be found out": {http.StatusOK, `{"compared":1,"total":2,"done":true,"error":"this instance does not hear of changes"}`, "", "hear of changes"},
		"when the server goes away":   {http.StatusOK, `{"compared":1,"total":2}`, "", "lost the connection"},
		"when somebody else asks":     {http.StatusConflict, "for somebody else", "", "for somebody else"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.says))
			}))
			defer server.Close()
			var stdout, stderr bytes.Buffer
			err := cli.Run(t.Context(), []string{"verify", "--pages", server.URL}, harness.Environment(nil), &stdout, &stderr)
			if err == nil || !strings.Contains(err.Error(), c.failed) || !strings.Contains(stdout.String(), c.out) {
				t.Errorf("it says %q and fails with %v", stdout.String(), err)
			}
		})
	}
}

func TestVerifyPagesOfAServerThatKeepsNone(t *testing.T) {
	inside := harness.FreeAddr(t)
	_, stop := harness.Serve(t, map[string]string{"INKFEED_DATA": t.TempDir()}, "--addr", "127.0.0.1:0", "--ops-addr", inside, "--cache-mb", "0")
	defer stop()
	if out := harness.RunCommand(t, nil, "verify", "--pages", inside); !strings.Contains(out, "No difference in 0 pages") {
		t.Errorf("verify --pages says: %s", out)
	}
}
