package commands

import (
	"encoding/json"
	"strings"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

func TestLogInJSONHasOneObjectForEachEntry(t *testing.T) {
	t.Parallel()
	var log harness.Logs
	p := harness.Spawn(t, map[string]string{"INKFEED_DATA": t.TempDir(), "INKFEED_LOG_FORMAT": "json"}, &log,
		"--addr", "127.0.0.1:0")
	harness.NewVisitor(t, p.Address).SignUp("Lovelace")
	if err := p.Stop(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	routes := make(map[any]bool)
	for line := range strings.Lines(log.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		for _, key := range []string{"time", "level", "msg"} {
			if entry[key] == nil {
				t.Errorf("an entry lacks %s: %s", key, line)
			}
		}
		if entry["msg"] == "request" {
			routes[entry["route"]] = true
		}
	}
	if !routes["/signup"] {
		t.Errorf("the log lacks the sign-up:\n%s", log.String())
	}
	if strings.Contains(log.String(), "Lovelace") {
		t.Errorf("the log has a username:\n%s", log.String())
	}
}
