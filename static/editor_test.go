package static_test

import (
	"testing"

	"inkfeed/static"
)

// The editor's scripts stay small, since authors wait for the first before their text is saved automatically.
func TestTheScriptsOfTheEditorAreSmall(t *testing.T) {
	smallScript(t, "editor.js", 12_200)
	smallScript(t, "paste.js", 7_000)
}

// smallScript requires that a compressed script has fewer bytes than a limit.
func smallScript(t *testing.T, name string, limit int64) {
	t.Helper()
	for _, coding := range []static.Coding{static.Gzip, static.Brotli} {
		size := request("GET", name, "Accept-Encoding", coding.String()).ContentLength
		t.Logf("%s with %s: %d bytes", name, coding, size)
		if size <= 0 || size >= limit {
			t.Errorf("%s with %s: %d bytes, want fewer than %d", name, coding, size, limit)
		}
	}
}
