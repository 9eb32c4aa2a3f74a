package harness

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"inkfeed/web/cli"
)

// asProgram makes the test binary be the program itself, for tests that kill
// it.
const AsProgram = "INKFEED_TEST_AS_PROGRAM"

// programFile names the program itself, which is smaller than the test binary.
const ProgramFile = "INKFEED_TEST_PROGRAM"

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
