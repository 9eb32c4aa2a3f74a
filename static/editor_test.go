package static_test

import (
	"testing"

	"inkfeed/static"
)

// The editor's script stays small, since authors wait for it before their text is saved automatically.
func TestTheScriptOfTheEditorIsSmall(t *testing.T) {
	const limit = 12_000 // bytes
	for _, coding := range []static.Coding{static.Gzip, static.Brotli} {
		size := request("GET", "editor.js", "Accept-Encoding", coding.String()).ContentLength
		t.Logf("%s: %d bytes", coding, size)
		if size <= 0 || size >= limit {
			t.Errorf("%s: %d bytes, want fewer than %d", coding, size, limit)
		}
	}
}
