package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// asProgram makes the test binary be the program itself, for tests that kill
// it.
const asProgram = "INKFEED_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program is the command that runs the program in a process of its own.
func program(t *testing.T, env map[string]string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// logs collects what a server logs, to show it if the test fails.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var printedAddress = regexp.MustCompile(`https?://[^/ ]+/`)

// serving runs a command that serves, in this process, until stop is called or
// the test ends. It returns the address it prints.
func serving(t *testing.T, env map[string]string, args ...string) (address string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	reader, writer := io.Pipe()
	var log logs
	done := make(chan error, 1)
	go func() {
		err := run(ctx, args, func(name string) string { return env[name] }, writer, &log)
		writer.Close()
		done <- err
	}()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("inkfeed %s: %v", strings.Join(args, " "), err)
			}
			if t.Failed() {
				t.Logf("log of inkfeed %s:\n%s", strings.Join(args, " "), log.String())
			}
		})
	}
	t.Cleanup(stop)
	lines := bufio.NewScanner(reader)
	for lines.Scan() {
		if found := printedAddress.FindString(lines.Text()); found != "" {
			go io.Copy(io.Discard, reader)
			return strings.TrimSuffix(found, "/"), stop
		}
	}
	t.Fatalf("inkfeed %s printed no address:\n%s", strings.Join(args, " "), log.String())
	return "", nil
}

// blog starts a blog of its own on the embedded engine.
func blog(t *testing.T) string {
	t.Helper()
	address, _ := serving(t, map[string]string{"INKFEED_DATA": t.TempDir()}, "--addr", "127.0.0.1:0")
	return address
}

// visitor is somebody with a cookie jar and no JavaScript.
type visitor struct {
	t    *testing.T
	base string
	http http.Client
}

func newVisitor(t *testing.T, base string) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t: t, base: base, http: http.Client{Jar: jar, Timeout: 30 * time.Second}}
}

// page is an answer after redirects.
type page struct {
	*goquery.Document
	status int
	url    *url.URL
}

func (v *visitor) do(req *http.Request) page {
	v.t.Helper()
	resp, err := v.http.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	doc, err := goquery.NewDocumentFromReader(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return page{doc, resp.StatusCode, resp.Request.URL}
}

func (v *visitor) get(path string) page {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	return v.do(req)
}

// post sends a form as a browser would, from this site.
func (v *visitor) post(path string, fields ...string) page {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return v.do(req)
}

func (v *visitor) signUp(username string) {
	v.t.Helper()
	if p := v.post("/signup", "username", username, "password", "correct horse"); p.status != http.StatusOK {
		v.t.Fatalf("sign-up of %s: status %d: %s", username, p.status, p.Text())
	}
}

// publish writes a post and returns its page.
func (v *visitor) publish(title, content string) page {
	v.t.Helper()
	p := v.post("/posts", "title", title, "content", content)
	if p.status != http.StatusOK || !strings.HasPrefix(p.url.Path, "/posts/") {
		v.t.Fatalf("publish: status %d at %s: %s", p.status, p.url, p.Text())
	}
	return p
}

// eventually waits for the workers: what it checks must hold within a time that
// is long for them.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 20 seconds", what)
		}
		time.Sleep(50 * time.Millisecond) // between polls of a real server
	}
}

func words(s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") }

// runCommand runs a command that ends.
func runCommand(t *testing.T, env map[string]string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	var log logs
	err := run(t.Context(), args, func(name string) string { return env[name] }, &out, &log)
	if err != nil {
		t.Fatalf("inkfeed %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), log.String())
	}
	return out.String()
}

func verified(t *testing.T, env map[string]string, args ...string) {
	t.Helper()
	if out := runCommand(t, env, append([]string{"verify"}, args...)...); !strings.Contains(out, "No violation") {
		t.Errorf("verify: %s", out)
	}
}
