package commands

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

func TestProfilesAreServedOnlyToOperatorsOnRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
		want int
	}{
		"served with the flag":     {nil, []string{"--pprof"}, http.StatusOK},
		"served with the variable": {map[string]string{"INKFEED_PPROF": "true"}, nil, http.StatusOK},
		"not served by default":    {nil, nil, http.StatusNotFound},
		"not served if the flag is false": {
			map[string]string{"INKFEED_PPROF": "true"}, []string{"--pprof=false"}, http.StatusNotFound,
		},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"INKFEED_DATA": t.TempDir()}
			for k, v := range c.env {
				env[k] = v
			}
			opsAddress := harness.FreeAddr(t)
			args := append([]string{"--addr", "127.0.0.1:0", "--ops-addr", opsAddress}, c.args...)
			base, stop := harness.Serve(t, env, args...)
			defer stop()
			operator, reader := harness.NewVisitor(t, "http://"+opsAddress), harness.NewVisitor(t, base)
			for path, want := range map[string]string{
				"/debug/pprof/":                  "goroutine",
				"/debug/pprof/heap?debug=1":      "heap profile",
				"/debug/pprof/profile?seconds=1": "",
				"/debug/pprof/cmdline":           "",
			} {
				got := operator.Get(path)
				if got.Status != c.want || c.want == http.StatusOK && !strings.Contains(got.Text(), want) {
					t.Errorf("operators get status %d at %s, want %d and %q", got.Status, path, c.want, want)
				}
				if got := reader.Get(path); got.Status != http.StatusNotFound {
					t.Errorf("the public address has status %d at %s", got.Status, path)
				}
			}
		})
	}
}

// TestOtherSitesCannotReadTheOperatorsAddress sends what a browser would send for the page of another site, whose name
// may have been changed to resolve to the operators' address (DNS rebinding).
func TestOtherSitesCannotReadTheOperatorsAddress(t *testing.T) {
	t.Parallel()
	address := harness.FreeAddr(t)
	_, stop := harness.Serve(t, map[string]string{"INKFEED_DATA": t.TempDir(), "INKFEED_OPS_HOSTS": "blog-1"},
		"--addr", "127.0.0.1:0", "--ops-addr", address, "--pprof")
	defer stop()
	for path, method := range map[string]string{"/metrics": "GET", "/readyz": "GET", "/debug/pprof/heap": "GET",
		"/verify-pages": "POST"} {
		for name, c := range map[string]struct {
			host, header, value string
			want                int
		}{
			"the operator's request":       {address, "", "", http.StatusOK},
			"a name of the setting":        {"blog-1:9090", "", "", http.StatusOK},
			"a rebound name":               {"rebound.example.org", "", "", http.StatusMisdirectedRequest},
			"a request of another site":    {address, "Sec-Fetch-Site", "cross-site", http.StatusForbidden},
			"a request of another program": {address, "Origin", "http://127.0.0.1:8080", http.StatusForbidden},
		} {
			r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+path+"?rate=0", nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Host = c.host; c.header != "" {
				r.Header.Set(c.header, c.value)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != c.want {
				t.Errorf("%s of %s: status %d, want %d", name, path, resp.StatusCode, c.want)
			}
		}
	}
}
