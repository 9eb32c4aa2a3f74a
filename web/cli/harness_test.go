package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// asProgram makes the test binary be the program itself, for tests that kill
// it.
const asProgram = "INKFEED_TEST_AS_PROGRAM"

// programFile names the program itself, which is smaller than the test binary.
const programFile = "INKFEED_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		Main()
		return
	}
	if file := os.Getenv(asBare); file != "" {
		serveBare(file)
		return
	}
	if err := os.Chdir("../.."); err != nil { // paths in tests begin at the top level
		panic(err)
	}
	os.Exit(m.Run())
}

// program is the command that runs the program in a process of its own.
func program(t testing.TB, env map[string]string, args ...string) *exec.Cmd {
	t.Helper()
	file := os.Getenv(programFile)
	if file == "" || env[asBare] != "" {
		var err error
		if file, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(file, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", unlimited+"=off", "INKFEED_SIGNUP_TIME=0s", "INKFEED_DRAIN_TIME=1ms", "INKFEED_DELETION_GRACE=0")
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// spawned is a command that serves, in a process of its own.
type spawned struct {
	cmd     *exec.Cmd
	address string
	inside  string        // where its operators look, if they asked for that
	stdout  *bufio.Reader // after that address
	ended   func() error  // waits for the end, the same each time
}

// spawn starts one and returns when it has printed its address.
func spawn(t testing.TB, env map[string]string, log io.Writer, args ...string) *spawned {
	t.Helper()
	s := &spawned{cmd: program(t, env, args...)}
	s.cmd.Stderr = log
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.stdout = bufio.NewReader(stdout)
	line, err := s.stdout.ReadString('\n')
	s.ended = sync.OnceValue(s.cmd.Wait)
	s.address = strings.TrimSuffix(printedAddress.FindString(line), "/")
	if s.address == "" {
		s.kill()
		t.Fatalf("inkfeed %s printed no address: %v\n%v", strings.Join(args, " "), err, log)
	}
	return s
}

// kill is SIGKILL, in the middle of whatever it does.
func (s *spawned) kill() error {
	err := s.cmd.Process.Kill()
	s.ended() // by the signal, which is no news
	return err
}

// stop is SIGTERM, and waits for the end.
func (s *spawned) stop() error {
	if s.cmd.ProcessState == nil {
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
	}
	return s.ended()
}

// onEngine serves an engine and returns the environment in which commands use it.
func onEngine(t testing.TB, args ...string) map[string]string {
	t.Helper()
	const key = "dGhlIGtleSBvZiB0aGlzIHRlc3Q="
	address, _ := serving(t, map[string]string{"INKFEED_DATA": t.TempDir()},
		append([]string{"engine", "--addr", "127.0.0.1:0", "--key", key}, args...)...)
	// What servers keep for themselves is not to be left in the source tree.
	return map[string]string{"COSMOS_ENDPOINT": address, "COSMOS_KEY": key, "COSMOS_INSECURE_TLS": "true",
		"INKFEED_DATA": t.TempDir(), "INKFEED_SESSION_KEYS": strings.Repeat("5a", 32)}
}

// unlimited is the variable of rate limits: all visitors of a test come from one address.
const unlimited = "INKFEED_RATE_LIMITS"

// environment is that of a server that limits nothing, unless a test is about limits, and
// lets visitors sign up as fast as tests do.
func environment(env map[string]string) func(string) string {
	return func(name string) string {
		value, set := env[name]
		switch {
		case set:
			return value
		case name == unlimited:
			return "off"
		case name == "INKFEED_SIGNUP_TIME":
			return "0s"
		case name == "INKFEED_DELETION_GRACE":
			return "0"
		case name == "INKFEED_DRAIN_TIME":
			return "1ms" // a test knows when it has no request on its way
		}
		return ""
	}
}

// with is an environment in which one variable has another value.
func with(env map[string]string, name, value string) map[string]string {
	env = maps.Clone(env)
	env[name] = value
	return env
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

// warnings are the last lines that are not just news.
func (l *logs) warnings() string {
	var found []string
	for line := range strings.Lines(l.String()) {
		if !strings.Contains(line, "level=INFO") {
			found = append(found, line)
		}
	}
	return strings.Join(found[max(0, len(found)-60):], "")
}

var printedAddress = regexp.MustCompile(`https?://[^/ ]+/`)

// serving runs a command that serves, in this process, until stop is called or
// the test ends. It returns the address it prints.
func serving(t testing.TB, env map[string]string, args ...string) (address string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	reader, writer := io.Pipe()
	var log logs
	done := make(chan error, 1)
	go func() {
		err := run(ctx, args, environment(env), writer, &log)
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
				t.Logf("log of inkfeed %s, as far as it warns:\n%s", strings.Join(args, " "), log.warnings())
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
func blog(t testing.TB) string {
	t.Helper()
	address, _ := serving(t, map[string]string{"INKFEED_DATA": t.TempDir()}, "--addr", "127.0.0.1:0")
	return address
}

// visitor is somebody with a cookie jar and no JavaScript.
type visitor struct {
	t    testing.TB
	base string
	http http.Client
}

func newVisitor(t testing.TB, base string) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t: t, base: base, http: http.Client{Jar: jar, Timeout: time.Minute}}
}

// page is an answer after redirects.
type page struct {
	*goquery.Document
	status   int
	url      *url.URL
	location string // where it redirects, if that was not followed
}

func (v *visitor) ask(method, path, body string, header http.Header) (page, error) {
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, strings.NewReader(body))
	if err != nil {
		return page{}, err
	}
	if header != nil {
		req.Header = header
	}
	resp, err := v.http.Do(req)
	if err != nil {
		return page{}, err
	}
	defer resp.Body.Close()
	doc, err := goquery.NewDocumentFromReader(resp.Body)
	return page{doc, resp.StatusCode, resp.Request.URL, resp.Header.Get("Location")}, err
}

func (v *visitor) get(path string) page {
	v.t.Helper()
	p, err := v.ask(http.MethodGet, path, "", nil)
	if err != nil {
		v.t.Fatal(err)
	}
	return p
}

// fromThisSite is what a browser says of a form that it sends from this site.
func fromThisSite() http.Header {
	return http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"same-origin"}}
}

// post sends a form as a browser would, from this site.
func (v *visitor) post(path string, fields ...string) page {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	p, err := v.ask(http.MethodPost, path, form.Encode(), fromThisSite())
	if err != nil {
		v.t.Fatal(err)
	}
	return p
}

// try sends a form and returns where it redirects, or "" when there was no
// answer or another one: the server may be gone.
func (v *visitor) try(path string, fields url.Values) string {
	there := *v
	there.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p, err := there.ask(http.MethodPost, path, fields.Encode(), fromThisSite())
	if err != nil || p.status != http.StatusSeeOther {
		return ""
	}
	return p.location
}

func (v *visitor) signUp(username string) {
	v.t.Helper()
	if p := v.post("/signup", "username", username, "password", "correct horse"); p.status != http.StatusOK {
		v.t.Fatalf("sign-up of %s: status %d: %s", username, p.status, p.Text())
	}
}

// tries logs in, again when too many others do, as the page then asks one to.
func (v *visitor) tries(username, password string) page {
	v.t.Helper()
	for {
		p := v.post("/login", "username", username, "password", password)
		if p.status != http.StatusServiceUnavailable || v.t.Context().Err() != nil {
			return p
		}
	}
}

// logIn logs in who has signed up before, as signUp does.
func (v *visitor) logIn(username string) {
	v.t.Helper()
	if p := v.tries(username, "correct horse"); p.status != http.StatusOK || p.url.Path == "/login" {
		v.t.Fatalf("log in as %s: status %d", username, p.status)
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
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
		time.Sleep(50 * time.Millisecond) // between polls of a real server
	}
}

func words(s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") }

// runCommand runs a command that ends.
func runCommand(t testing.TB, env map[string]string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	var log logs
	err := run(t.Context(), args, func(name string) string { return env[name] }, &out, &log)
	if err != nil {
		t.Fatalf("inkfeed %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), log.String())
	}
	return out.String()
}

func verified(t testing.TB, env map[string]string, args ...string) {
	t.Helper()
	if out := runCommand(t, env, append([]string{"verify"}, args...)...); !strings.Contains(out, "No violation") {
		t.Errorf("verify: %s", out)
	}
}
