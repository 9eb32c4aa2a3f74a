package performance

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

const profileTime = 5 * time.Second

// profiles returns the folder for profiles. If it is empty, tests write none.
func profiles() string { return os.Getenv("INKFEED_PERFORMANCE_PROFILES") }

// profile writes a CPU profile of the server during an additional load.
func (s *served) profile(t *testing.T, load func(length time.Duration)) {
	t.Helper()
	if profiles() == "" {
		return
	}
	var group errgroup.Group
	group.Go(func() error {
		return s.save(t.Name(), "profile", fmt.Sprintf("?seconds=%d", profileTime/time.Second))
	})
	load(profileTime + time.Second)
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// heap writes a profile of the server's memory.
func (s *served) heap(t *testing.T) {
	t.Helper()
	if profiles() == "" {
		return
	}
	if err := s.save(t.Name(), "heap", "?gc=1"); err != nil {
		t.Fatal(err)
	}
}

// save writes a profile of the server to a file that is named after the test.
func (s *served) save(test, kind, query string) error {
	resp, err := http.Get(s.ops + "/debug/pprof/" + kind + query)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	profile, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	name := strings.ReplaceAll(strings.TrimPrefix(test, "TestPerformance/"), "/", "-")
	return os.WriteFile(filepath.Join(profiles(), name+"."+kind), profile, 0o600)
}
