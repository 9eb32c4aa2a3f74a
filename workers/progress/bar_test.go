package progress_test

import (
	"strings"
	"testing"

	"inkfeed/workers/progress"
)

func TestWithoutATerminalNothingIsDrawn(t *testing.T) {
	var out strings.Builder
	bar, post, picture := progress.NewImportBar(&out, 2)
	picture()
	post()
	post()
	if err := bar.Close(); err != nil || strings.TrimSpace(out.String()) != "" {
		t.Errorf("%v, drawn is %q", err, out.String())
	}
}
