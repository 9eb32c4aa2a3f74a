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
