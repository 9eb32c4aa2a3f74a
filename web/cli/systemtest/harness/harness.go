package harness

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/cosmos"
	"inkfeed/web/cli"
	"inkfeed/web/cli/config"
)

// asProgram makes the test binary be the program itself, for tests that kill
// it.
const AsProgram = "INKFEED_TEST_AS_PROGRAM"

// programFile names the program itself, which is smaller than the test binary.
const ProgramFile = "INKFEED_TEST_PROGRAM"

func Main(m *testing.M) {
	if os.Getenv(AsProgram) != "" {
		cli.Main()
		return
	}
	for { // paths in tests begin at the top level
		if _, err := os.Stat("go.mod"); err == nil {
			break
		}
		if err := os.Chdir(".."); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	closeChromium()
	os.Exit(code)
}

// program is the command that runs the program in a process of its own.
func Program(t testing.TB, env map[string]string, args ...string) *exec.Cmd {
	t.Helper()
	file := os.Getenv(ProgramFile)
	if own, set := env[AsProgram]; file == "" || set && own == "" {
		var err error
		if file, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(file, args...)
	cmd.Env = append(os.Environ(), AsProgram+"=1", RateLimits+"=off", "INKFEED_SIGNUP_TIME=0s", "INKFEED_DRAIN_TIME=1ms", "INKFEED_DELETION_GRACE=0")
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// spawned is a command that serves, in a process of its own.
type Process struct {
	Cmd        *exec.Cmd
	Address    string
	OpsAddress string        // where its operators look, if they asked for that
	Stdout     *bufio.Reader // after that address
	Ended      func() error  // waits for the end, the same each time
}

// spawn starts one and returns when it has printed its address.
func Spawn(t testing.TB, env map[string]string, log io.Writer, args ...string) *Process {
	t.Helper()
	s := &Process{Cmd: Program(t, env, args...)}
	s.Cmd.Stderr = log
	stdout, err := s.Cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.Stdout = bufio.NewReader(stdout)
	line, err := s.Stdout.ReadString('\n')
	s.Ended = sync.OnceValue(s.Cmd.Wait)
	s.Address = strings.TrimSuffix(PrintedAddress.FindString(line), "/")
	if s.Address == "" {
		s.Kill()
		t.Fatalf("inkfeed %s printed no address: %v\n%v", strings.Join(args, " "), err, log)
	}
	return s
}

// kill is SIGKILL, in the middle of whatever it does.
func (s *Process) Kill() error {
	err := s.Cmd.Process.Kill()
	s.Ended() // by the signal, which is no news
	return err
}

// stop is SIGTERM, and waits for the end.
func (s *Process) Stop() error {
	if s.Cmd.ProcessState == nil {
		if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
	}
	return s.Ended()
}

// onEngine serves an engine and returns the environment in which commands use it.
func OnEngine(t testing.TB, args ...string) map[string]string {
	t.Helper()
	const key = "dGhlIGtleSBvZiB0aGlzIHRlc3Q="
	address, _ := Serve(t, map[string]string{"INKFEED_DATA": t.TempDir()},
		append([]string{"engine", "--addr", "127.0.0.1:0", "--key", key}, args...)...)
	// What servers keep for themselves is not to be left in the source tree.
	return map[string]string{"COSMOS_ENDPOINT": address, "COSMOS_KEY": key, "COSMOS_INSECURE_TLS": "true",
		"INKFEED_DATA": t.TempDir(), "INKFEED_SESSION_KEYS": strings.Repeat("5a", 32)}
}

// unlimited is the variable of rate limits: all visitors of a test come from one address.
const RateLimits = "INKFEED_RATE_LIMITS"

// environment is that of a server that limits nothing, unless a test is about limits, and
// lets visitors sign up as fast as tests do.
func Environment(env map[string]string) func(string) string {
	return func(name string) string {
		value, set := env[name]
		switch {
		case set:
			return value
		case name == RateLimits:
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
func With(env map[string]string, name, value string) map[string]string {
	env = maps.Clone(env)
	env[name] = value
	return env
}

// logs collects what a server logs, to show it if the test fails.
type Logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *Logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *Logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// warnings are the last lines that are not just news.
func (l *Logs) Warnings() string {
	var found []string
	for line := range strings.Lines(l.String()) {
		if !strings.Contains(line, "level=INFO") {
			found = append(found, line)
		}
	}
	return strings.Join(found[max(0, len(found)-60):], "")
}

var PrintedAddress = regexp.MustCompile(`https?://[^/ ]+/`)

// serving runs a command that serves, in this process, until stop is called or
// the test ends. It returns the address it prints.
func Serve(t testing.TB, env map[string]string, args ...string) (address string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	reader, writer := io.Pipe()
	var log Logs
	done := make(chan error, 1)
	go func() {
		err := cli.Run(ctx, args, Environment(env), writer, &log)
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
				t.Logf("log of inkfeed %s, as far as it warns:\n%s", strings.Join(args, " "), log.Warnings())
			}
		})
	}
	t.Cleanup(stop)
	lines := bufio.NewScanner(reader)
	for lines.Scan() {
		if found := PrintedAddress.FindString(lines.Text()); found != "" {
			go io.Copy(io.Discard, reader)
			return strings.TrimSuffix(found, "/"), stop
		}
	}
	t.Fatalf("inkfeed %s printed no address:\n%s", strings.Join(args, " "), log.String())
	return "", nil
}

// blog starts a blog of its own on the embedded engine.
func ServeBlog(t testing.TB) string {
	t.Helper()
	address, _ := Serve(t, map[string]string{"INKFEED_DATA": t.TempDir()}, "--addr", "127.0.0.1:0")
	return address
}

// visitor is somebody with a cookie jar and no JavaScript.
type Visitor struct {
	T    testing.TB
	Base string
	HTTP http.Client
}

func NewVisitor(t testing.TB, base string) *Visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Visitor{T: t, Base: base, HTTP: http.Client{Jar: jar, Timeout: time.Minute}}
}

// page is an answer after redirects.
type Page struct {
	*goquery.Document
	Status   int
	URL      *url.URL
	location string // where it redirects, if that was not followed
}

func (v *Visitor) Ask(method, path, body string, header http.Header) (Page, error) {
	req, err := http.NewRequestWithContext(v.T.Context(), method, v.Base+path, strings.NewReader(body))
	if err != nil {
		return Page{}, err
	}
	if header != nil {
		req.Header = header
	}
	resp, err := v.HTTP.Do(req)
	if err != nil {
		return Page{}, err
	}
	defer resp.Body.Close()
	doc, err := goquery.NewDocumentFromReader(resp.Body)
	return Page{doc, resp.StatusCode, resp.Request.URL, resp.Header.Get("Location")}, err
}

func (v *Visitor) Get(path string) Page {
	v.T.Helper()
	p, err := v.Ask(http.MethodGet, path, "", nil)
	if err != nil {
		v.T.Fatal(err)
	}
	return p
}

// fromThisSite is what a browser says of a form that it sends from this site.
func FormHeader() http.Header {
	return http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"same-origin"}}
}

// post sends a form as a browser would, from this site.
func (v *Visitor) Post(path string, fields ...string) Page {
	v.T.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	p, err := v.Ask(http.MethodPost, path, form.Encode(), FormHeader())
	if err != nil {
		v.T.Fatal(err)
	}
	return p
}

// try sends a form and returns where it redirects, or "" when there was no
// answer or another one: the server may be gone.
func (v *Visitor) TryForm(path string, fields url.Values) string {
	there := *v
	there.HTTP.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p, err := there.Ask(http.MethodPost, path, fields.Encode(), FormHeader())
	if err != nil || p.Status != http.StatusSeeOther {
		return ""
	}
	return p.location
}

func (v *Visitor) SignUp(username string) {
	v.T.Helper()
	if p := v.Post("/signup", "username", username, "password", "correct horse"); p.Status != http.StatusOK {
		v.T.Fatalf("sign-up of %s: status %d: %s", username, p.Status, p.Text())
	}
}

// tries logs in, again when too many others do, as the page then asks one to.
func (v *Visitor) TryLogIn(username, password string) Page {
	v.T.Helper()
	for {
		p := v.Post("/login", "username", username, "password", password)
		if p.Status != http.StatusServiceUnavailable || v.T.Context().Err() != nil {
			return p
		}
	}
}

// logIn logs in who has signed up before, as signUp does.
func (v *Visitor) LogIn(username string) {
	v.T.Helper()
	if p := v.TryLogIn(username, "correct horse"); p.Status != http.StatusOK || p.URL.Path == "/login" {
		v.T.Fatalf("log in as %s: status %d", username, p.Status)
	}
}

// publish writes a post and returns its page.
func (v *Visitor) Publish(title, content string) Page {
	v.T.Helper()
	p := v.Post("/posts", "title", title, "content", content)
	if p.Status != http.StatusOK || !strings.HasPrefix(p.URL.Path, "/posts/") {
		v.T.Fatalf("publish: status %d at %s: %s", p.Status, p.URL, p.Text())
	}
	return p
}

// eventually waits for the workers: what it checks must hold within a time that
// is long for them.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
		time.Sleep(50 * time.Millisecond) // between polls of a real server
	}
}

func Text(s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") }

// runCommand runs a command that ends.
func RunCommand(t testing.TB, env map[string]string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	var log Logs
	err := cli.Run(t.Context(), args, func(name string) string { return env[name] }, &out, &log)
	if err != nil {
		t.Fatalf("inkfeed %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), log.String())
	}
	return out.String()
}

func Verify(t testing.TB, env map[string]string, args ...string) {
	t.Helper()
	if out := RunCommand(t, env, append([]string{"verify"}, args...)...); !strings.Contains(out, "No violation") {
		t.Errorf("verify: %s", out)
	}
}

// testExports is the folder of exports of other blogs.
const Exports = "domain/portable/testdata/"

// wrote is a blog whose only user is of that name.
func BlogOf(t *testing.T, username string) (env map[string]string) {
	t.Helper()
	env = map[string]string{"INKFEED_DATA": t.TempDir()}
	base, stop := Serve(t, env, "--addr", "127.0.0.1:0")
	NewVisitor(t, base).SignUp(username)
	stop()
	return env
}

// start runs the program with an environment and returns what it printed.
func Try(t *testing.T, env map[string]string, args ...string) (stdout string, err error) {
	t.Helper()
	var out, log bytes.Buffer
	err = cli.Run(t.Context(), args, func(name string) string { return env[name] }, &out, &log)
	return out.String(), err
}

func FreeAddr(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func DatabaseSize(dir string) (size int64) {
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			size += info.Size()
		}
	}
	return size
}

// openStore opens the database of an environment, which must exist.
func OpenStore(t testing.TB, env map[string]string) (store *cosmos.Store, closeStore func()) {
	t.Helper()
	c := config.New(Environment(env))
	store, closeStore, err := c.Open(t.Context(), cosmos.Options{Existing: true}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return store, closeStore
}

// direct asks without following where it is led.
func (v *Visitor) Direct(path string) *http.Response {
	v.T.Helper()
	client := v.HTTP
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Get(v.Base + path)
	if err != nil {
		v.T.Fatal(err)
	}
	resp.Body.Close()
	return resp
}

// in returns the same visitor for another test.
func (v *Visitor) In(t testing.TB) *Visitor {
	there := *v
	there.T = t
	return &there
}

// quickLeases let a process that was killed be missed soon.
var QuickLeases = map[string]string{"INKFEED_LEASE_ACQUIRE": "500ms", "INKFEED_LEASE_RENEW": "500ms",
	"INKFEED_LEASE_EXPIRATION": "2s", "INKFEED_POLL": "200ms"}
