package progress_test

import (
	"strings"
	"testing"

	"inkfeed/workers/progress"
)

func TestBarIsNotDrawnWithoutATerminal(t *testing.T) {
	var out strings.Builder
	bar, post, picture := progress.NewImportBar(&out, 2)
	picture()
	post()
	post()
	if err := bar.Close(); err != nil || strings.TrimSpace(out.String()) != "" {
		t.Errorf("drawn %q, error %v", out.String(), err)
	}
}
