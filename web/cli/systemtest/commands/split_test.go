package commands

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

func TestSplitOfAServedEngineLosesNothing(t *testing.T) {
	t.Parallel()
	env := harness.OnEngine(t)
	env["INKFEED_LEASE_ACQUIRE"] = "300ms" // tailers notice splits when they balance their leases
	base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	v := harness.NewVisitor(t, base)
	v.SignUp("ada")
	before := v.Publish("Before", "text").URL.Path
	for _, container := range []string{"posts", "users", "posts", "feed", "leases"} { // posts twice
		out := harness.RunCommand(t, env, "split", "--container", container)
		if strings.Count(out, container+" now has range") != 2 {
			t.Errorf("split prints: %s", out)
		}
	}
	for _, path := range []string{before, v.Publish("After", "text").URL.Path} {
		v.Post("/posts/"+strings.Split(path, "/")[2]+"/comments", "content", "Hello")
	}
	harness.Eventually(t, "the front page shows both posts with their comments", func() bool {
		return strings.Count(harness.Text(v.Get("/").Find("main")), "1 comment") == 2
	})
	harness.Verify(t, env, "--wait")

	t.Run("refuses a range that was split before", func(t *testing.T) {
		_, err := harness.Try(t, env, "split", "--container", "posts", "--range", "0")
		if err == nil || !strings.Contains(err.Error(), "is gone") || !strings.Contains(err.Error(), `"0"`) {
			t.Errorf("split of a range that was split before: error %v", err)
		}
	})
	t.Run("refuses an unknown container", func(t *testing.T) {
		_, err := harness.Try(t, env, "split", "--container", "none")
		if err == nil || !strings.Contains(err.Error(), "none") {
			t.Errorf("split of an unknown container: error %v", err)
		}
	})
	t.Run("names COSMOS_KEY if the key is wrong", func(t *testing.T) {
		_, err := harness.Try(t, harness.With(env, "COSMOS_KEY", "b3RoZXI="), "split", "--container", "posts")
		if err == nil || !strings.Contains(err.Error(), "COSMOS_KEY") {
			t.Errorf("split with a wrong key: error %v", err)
		}
	})
}

func TestSplitOfADataFolderLosesNothing(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	harness.RunCommand(t, env, "seed", "--users", "3")
	out := harness.RunCommand(t, env, "split", "--container", "posts", "--range", "1")
	if !strings.Contains(out, "Feed range 1 of posts now has range 3") {
		t.Errorf("split prints: %s", out)
	}
	harness.Verify(t, env, "--wait")
}

func TestSplitRefusesServersThatAreNoEngine(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{
		"a Cosmos DB account": http.StatusMethodNotAllowed, "a web server": http.StatusOK,
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(status)
				fmt.Fprint(w, `{"code":"MethodNotAllowed","message":"The requested verb is not supported."}`)
			}))
			defer server.Close()
			env := map[string]string{"COSMOS_ENDPOINT": server.URL, "COSMOS_KEY": "a2V5", "COSMOS_INSECURE_TLS": "true"}
			_, err := harness.Try(t, env, "split", "--container", "posts")
			if err == nil || !strings.Contains(err.Error(), "COSMOS_ENDPOINT") ||
				!strings.Contains(err.Error(), "not an embedded engine") {
				t.Errorf("split on %s: error %v", name, err)
			}
		})
	}
}
