package performance

import (
	"archive/zip"
	"bytes"
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

// TestReadersKeepTheirThroughputUnderLoad measures the throughput of readers during slow requests, a flood of log-ins,
// and uploads of one author that are expensive to read or to import. INKFEED_LOAD is the length of each measurement.
// Measurements with and without load alternate, so that other work of the machine affects both. Only their ratio
// counts.
func TestReadersKeepTheirThroughputUnderLoad(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("INKFEED_LOAD"))
	if err != nil {
		t.Skip("INKFEED_LOAD is not a duration")
	}
	server := harness.Spawn(t, map[string]string{"INKFEED_DATA": t.TempDir()}, new(harness.Logs),
		"--addr", "127.0.0.1:0")
	defer server.Stop()
	ada := harness.NewVisitor(t, server.Address)
	ada.Post("/signup", "username", "ada", "password", "correct horse battery")
	ada.Post("/posts", "title", "A title", "content", strings.Repeat("Some *text*.\n\n", 200))

	for _, fault := range []struct {
		name  string
		least float64 // smallest accepted share of the throughput without load
		begin func(t *testing.T, address string) (end func())
	}{
		{"200 slow clients", 0.8, slowClients},
		{"a flood of log-ins", 0.8, loginFlood},
		{"an author whose uploads are expensive to read", 0.7, uploading(3, 1<<20)},
		{"an author who imports a large blog", 0.7, uploading(2000, 500)},
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
			t.Logf("%d pages read without load, %d beside %s: %.0f %%; at most %d MB", quiet, loaded, fault.name,
				100*ratio, peakMemory(t, server.Cmd.Process.Pid)>>20)
			if ratio < fault.least {
				t.Errorf("readers keep %.0f %% of their throughput, want %.0f %%", 100*ratio, 100*fault.least)
			}
		})
	}
	if peak := peakMemory(t, server.Cmd.Process.Pid); peak > 512<<20 {
		t.Errorf("the server used %d MB, want at most 512 MB", peak>>20)
	}
}

// readFor requests the front page again and again for a time, and returns the number of pages.
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
			t.Fatalf("the status of the front page is %s, want 200", resp.Status)
		}
	}
	return pages
}

// slowClients opens 200 connections that send one byte of a header per second and never end the request.
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
					_, _ = io.WriteString(conn, "x") // the server closes the connection after its time limit
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

// loginFlood sends a hundred log-ins per second, without rate limits. The server can check about a third of them.
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
					form := url.Values{"username": {fmt.Sprint("user", n)}, "password": {"a wrong password"}}
					resp, err := client.PostForm(address+"/login", form)
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
			t.Error("no log-in was answered")
		}
		t.Logf("%d log-ins were answered, %d of them with status 503", tried.Load(), refused.Load())
	}
}

// uploading returns a load: a new author uploads a blog of the given number of posts and size of each, in bytes, and
// imports it, again and again. Formatting elements between the words make its texts as expensive to read as any.
// Another user logs in meanwhile.
func uploading(posts, size int) func(t *testing.T, address string) (end func()) {
	return func(t *testing.T, address string) func() {
		t.Helper()
		var blog bytes.Buffer
		z := zip.NewWriter(&blog)
		for n := range posts {
			w, err := z.Create(fmt.Sprintf("content/posts/%d.md", n))
			if err == nil {
				_, err = fmt.Fprintf(w, "---\ntitle: %d\n---\n%s", n, strings.Repeat("word <b>word</b> ", size/17))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		eve, ben := harness.NewVisitor(t, address), harness.NewVisitor(t, address)
		name := fmt.Sprint("eve", time.Now().UnixMilli())
		eve.SignUp(name)
		done := make(chan struct{})
		var working sync.WaitGroup
		every := func(pause time.Duration, do func()) {
			working.Go(func() {
				for {
					select {
					case <-done:
						return
					case <-time.After(pause):
						do()
					}
				}
			})
		}
		decided := 0
		every(100*time.Millisecond, func() {
			page := eve.Get("/settings/import")
			start := page.Find(`[action$="/import/start"] [name=import]`)
			discard := page.Find(`[action$="/discard"] [name=import]`)
			switch {
			case page.Find("[type=file]").Length() > 0:
				eve.Upload("/settings/import", blog.Bytes())
			case start.Length() > 0:
				decided++
				eve.Post("/settings/import/start", "import", start.AttrOr("value", ""))
			case page.Find("progress").Length() == 0:
				eve.Post("/settings/import/discard", "import", discard.AttrOr("value", ""))
			}
		})
		var slowest time.Duration
		every(time.Second, func() {
			start := time.Now()
			if p := ben.Post("/login", "username", name, "password", "correct horse"); p.Status != http.StatusOK {
				t.Errorf("a log-in meanwhile: status %d", p.Status)
			}
			slowest = max(slowest, time.Since(start))
		})
		return func() {
			close(done)
			working.Wait()
			t.Logf("%d uploads were read; the slowest log-in took %s", decided, slowest.Round(time.Millisecond))
		}
	}
}

var peakResident = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMemory returns the largest memory of a process so far, in bytes.
func peakMemory(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("there is no /proc")
	}
	found := peakResident.FindSubmatch(status)
	if found == nil {
		t.Fatal("the status of the process has no VmHWM")
	}
	kb, _ := strconv.ParseInt(string(found[1]), 10, 64)
	return kb << 10
}

// processorTime returns the time that a process has used on all processors so far.
func processorTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skip("there is no /proc")
	}
	// The name in parentheses may contain spaces. The 12th and 13th fields after it are the ticks in user mode and in
	// the kernel, of which Linux counts a hundred a second.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
