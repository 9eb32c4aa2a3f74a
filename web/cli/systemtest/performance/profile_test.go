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

// profiles is the folder that profiles are kept in; empty: there are none.
func profiles() string { return os.Getenv("INKFEED_PERFORMANCE_PROFILES") }

// profile keeps what the processor does during some load, of which it makes one more.
func (s *served) profile(t *testing.T, load func(length time.Duration)) {
	t.Helper()
	if profiles() == "" {
		return
	}
	var group errgroup.Group
	group.Go(func() error {
		return s.keep(t.Name(), "profile", fmt.Sprintf("?seconds=%d", profileTime/time.Second))
	})
	load(profileTime + time.Second)
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// heap keeps what is in memory now.
func (s *served) heap(t *testing.T) {
	t.Helper()
	if profiles() == "" {
		return
	}
	if err := s.keep(t.Name(), "heap", "?gc=1"); err != nil {
		t.Fatal(err)
	}
}

func (s *served) keep(test, kind, query string) error {
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
