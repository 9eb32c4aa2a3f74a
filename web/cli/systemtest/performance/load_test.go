package performance

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"inkfeed/web/cli/systemtest/harness"
)

// TestLoad measures what slow clients and a flood of log-ins leave to readers, when
// INKFEED_LOAD says how long to measure each. Quiet and loaded times alternate, so that what
// else the machine does falls on both; only the ratio counts.
func TestLoad(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("INKFEED_LOAD"))
	if err != nil {
		t.Skip("INKFEED_LOAD does not say how long")
	}
	server := harness.Spawn(t, map[string]string{"INKFEED_DATA": t.TempDir()}, new(harness.Logs), "--addr", "127.0.0.1:0")
	defer server.Stop()
	ada := harness.NewVisitor(t, server.Address)
	ada.Post("/signup", "username", "ada", "password", "correct horse battery")
	ada.Post("/posts", "title", "A title", "content", strings.Repeat("Some *text*.\n\n", 200))

	for _, fault := range []struct {
		name  string
		least float64 // of the quiet throughput
		begin func(t *testing.T, address string) (end func())
	}{
		{"200 slow clients", 0.8, slowClients},
		{"a flood of log-ins", 0.8, loginFlood},
	} {
		t.Run(fault.name, func(t *testing.T) {
			var quiet, loaded int
			for range 4 {
				quiet += readFor(t, server.Address, length)
				end := fault.begin(t, server.Address)
				loaded += readFor(t, server.Address, length)
				end()
			}
			ratio := float64(loaded) / float64(quiet)
			t.Logf("%d pages read in quiet, %d beside %s: %.0f %%; at most %d MB", quiet, loaded, fault.name, 100*ratio, peakMemory(t, server.Cmd.Process.Pid)>>20)
			if ratio < fault.least {
				t.Errorf("readers keep %.0f %% of their throughput, want %.0f %%", 100*ratio, 100*fault.least)
			}
		})
	}
	if peak := peakMemory(t, server.Cmd.Process.Pid); peak > 512<<20 {
		t.Errorf("the server took %d MB", peak>>20)
	}
}

// readFor reads the front page as one reader does, one after the other, and counts.
func readFor(t *testing.T, address string, length time.Duration) (pages int) {
	t.Helper()
	for end := time.Now().Add(length); time.Now().Before(end); pages++ {
		resp, err := http.Get(address + "/")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("a reader got %s", resp.Status)
		}
	}
	return pages
}

// slowClients are 200 who send a header a byte a second, and never end.
func slowClients(t *testing.T, address string) (end func()) {
	t.Helper()
	u, _ := url.Parse(address)
	var conns []net.Conn
	for range 200 {
		conn, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, "POST /login HTTP/1.1\r\nHost: "+u.Host+"\r\nX-Slow: ")
		conns = append(conns, conn)
	}
	done := make(chan struct{})
	var sending sync.WaitGroup
	sending.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				for _, conn := range conns {
					_, _ = io.WriteString(conn, "x") // cut by the server after its time
				}
			}
		}
	})
	return func() {
		close(done)
		sending.Wait()
		for _, conn := range conns {
			conn.Close()
		}
	}
}

// loginFlood is a hundred log-ins a second, some three times as many as can be checked, without the
// limits that would stop it.
func loginFlood(t *testing.T, address string) (end func()) {
	t.Helper()
	done := make(chan struct{})
	var flooding sync.WaitGroup
	var refused, tried atomic.Int64
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}}
	flooding.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case <-tick.C:
				flooding.Go(func() {
					resp, err := client.PostForm(address+"/login", url.Values{"username": {fmt.Sprint("user", n)}, "password": {"a wrong password"}})
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
					tried.Add(1)
					if resp.StatusCode == http.StatusServiceUnavailable {
						refused.Add(1)
					}
				})
			}
		}
	})
	return func() {
		close(done)
		flooding.Wait()
		client.CloseIdleConnections()
		if tried.Load() == 0 {
			t.Error("there was no flood")
		}
		t.Logf("%d log-ins, %d of them told to come again", tried.Load(), refused.Load())
	}
}

var peakResident = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMemory is the most that a process had in memory, in bytes.
func peakMemory(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("there is no /proc")
	}
	found := peakResident.FindSubmatch(status)
	if found == nil {
		t.Fatal("no VmHWM")
	}
	kb, _ := strconv.ParseInt(string(found[1]), 10, 64)
	return kb << 10
}
