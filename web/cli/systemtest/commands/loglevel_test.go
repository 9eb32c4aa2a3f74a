package commands

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

func TestLogLevelDecidesWhatIsLogged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args           []string
		env            map[string]string
		reasonLogged   bool // whether the log has the reason for the rejection of a form
		requestsLogged bool // whether the log has each request
	}{
		"info by default":     {nil, nil, false, true},
		"debug by a flag":     {[]string{"--log-level", "debug"}, nil, true, true},
		"debug by a variable": {nil, map[string]string{"INKFEED_LOG_LEVEL": "debug"}, true, true},
		"warn by a flag":      {[]string{"--log-level", "WARN"}, nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"INKFEED_DATA": t.TempDir()}
			for k, v := range c.env {
				env[k] = v
			}
			var log harness.Logs
			p := harness.Spawn(t, env, &log, append([]string{"--addr", "127.0.0.1:0"}, c.args...)...)
			v := harness.NewVisitor(t, p.Address)
			page, err := v.Ask(http.MethodPost, "/signup", "username=ada&password=short", harness.FormHeader())
			if err != nil || page.Status != http.StatusUnprocessableEntity {
				t.Errorf("signing up with a short password: status %d, error %v", page.Status, err)
			}
			if err := p.Stop(); err != nil {
				t.Errorf("the server ended with %v", err)
			}
			if got := strings.Contains(log.String(), `msg="form rejected"`); got != c.reasonLogged {
				t.Errorf("the reason of the rejection is logged: %v, want %v\n%s", got, c.reasonLogged, log.String())
			}
			if got := strings.Contains(log.String(), "route=/signup"); got != c.requestsLogged {
				t.Errorf("the request is logged: %v, want %v\n%s", got, c.requestsLogged, log.String())
			}
		})
	}
}
