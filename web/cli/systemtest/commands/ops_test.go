package commands

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

func TestProfilesAreForOperatorsWhoAskForThem(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
		want int
	}{
		"by a flag":         {nil, []string{"--pprof"}, http.StatusOK},
		"by a variable":     {map[string]string{"INKFEED_PPROF": "true"}, nil, http.StatusOK},
		"not without":       {nil, nil, http.StatusNotFound},
		"not when told not": {map[string]string{"INKFEED_PPROF": "true"}, []string{"--pprof=false"}, http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"INKFEED_DATA": t.TempDir()}
			for k, v := range c.env {
				env[k] = v
			}
			port := harness.FreeAddr(t)
			base, stop := harness.Serve(t, env, append([]string{"--addr", "127.0.0.1:0", "--ops-addr", port}, c.args...)...)
			defer stop()
			operator, reader := harness.NewVisitor(t, "http://"+port), harness.NewVisitor(t, base)
			for path, says := range map[string]string{"/debug/pprof/": "goroutine", "/debug/pprof/heap?debug=1": "heap profile",
				"/debug/pprof/profile?seconds=1": "", "/debug/pprof/cmdline": ""} {
				got := operator.Get(path)
				if got.Status != c.want || c.want == http.StatusOK && !strings.Contains(got.Text(), says) {
					t.Errorf("operators see status %d at %s", got.Status, path)
				}
				if got := reader.Get(path); got.Status != http.StatusNotFound {
					t.Errorf("readers see status %d at %s", got.Status, path)
				}
			}
		})
	}
}
