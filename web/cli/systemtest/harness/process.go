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

	"inkfeed/cosmos/embedded"
	"inkfeed/web/cli"
)

// AsProgram is an environment variable that makes the test binary run as the program itself, for tests that start and
// kill processes.
const AsProgram = "INKFEED_TEST_AS_PROGRAM"

// ProgramFile is an environment variable that names a built program, which uses less memory than the test binary.
const ProgramFile = "INKFEED_TEST_PROGRAM"

// Program returns a command that runs the program in a process of its own.
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
	cmd.Env = append(os.Environ(), AsProgram+"=1", RateLimits+"=off", "INKFEED_SIGNUP_TIME=0s",
		"INKFEED_DRAIN_TIME=1ms", "INKFEED_DELETION_GRACE=0")
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// Process is a server in a process of its own.
type Process struct {
	Cmd        *exec.Cmd
	Address    string
	OpsAddress string        // of the metrics, if --ops-addr is given
	Stdout     *bufio.Reader // after the address
	Ended      func() error  // waits for the end; every call returns the same error
}

// Spawn starts a server and returns when it has printed its address.
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

// Kill sends SIGKILL and waits for the end.
func (s *Process) Kill() error {
	err := s.Cmd.Process.Kill()
	s.Ended() // the error is the signal
	return err
}

// Stop sends SIGTERM and waits for the end.
func (s *Process) Stop() error {
	if s.Cmd.ProcessState == nil {
		if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
	}
	return s.Ended()
}

// OnEngine serves an embedded engine and returns an environment in which commands use it as their account. The engine
// has the well-known key, so it also accepts emulator tokens, unless args give it another key.
func OnEngine(t testing.TB, args ...string) map[string]string {
	t.Helper()
	address, _ := Serve(t, map[string]string{"INKFEED_DATA": t.TempDir()},
		append([]string{"engine", "--addr", "127.0.0.1:0"}, args...)...)
	// Servers must not write their own files to the source tree.
	return map[string]string{"COSMOS_ENDPOINT": address, "COSMOS_KEY": embedded.WellKnownKey,
		"COSMOS_INSECURE_TLS": "true", "INKFEED_DATA": t.TempDir(), "INKFEED_SESSION_KEYS": strings.Repeat("5a", 32)}
}

// PrintedAddress matches the address that a server prints.
var PrintedAddress = regexp.MustCompile(`https?://[^/ ]+/`)

// Serve runs a server in this process until stop is called or the test ends. It returns the address that the server
// prints.
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

// ServeBlog serves a new blog and returns its address.
func ServeBlog(t testing.TB) string {
	t.Helper()
	address, _ := Serve(t, NewBlog(t), "--addr", "127.0.0.1:0")
	return address
}

// Logs collects the log of a server.
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

// Warnings returns the last lines above the level INFO.
func (l *Logs) Warnings() string {
	var found []string
	for line := range strings.Lines(l.String()) {
		if !strings.Contains(line, "level=INFO") {
			found = append(found, line)
		}
	}
	return strings.Join(found[max(0, len(found)-60):], "")
}
