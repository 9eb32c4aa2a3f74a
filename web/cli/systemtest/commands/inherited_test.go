//go:build !windows

package commands

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

// TestRestartOnASocketOfSystemdRefusesNoConnection passes a socket to one server after another, as systemd does, and
// connects while none runs.
func TestRestartOnASocketOfSystemdRefusesNoConnection(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	addr, data := listener.Addr().String(), t.TempDir()
	server := func(addr string) *exec.Cmd {
		program := harness.Program(t, map[string]string{"INKFEED_DATA": data}, "serve", "--addr", addr)
		// The shell becomes the program, so LISTEN_PID is the program's id.
		cmd := exec.Command("/bin/sh", append([]string{"-c", `LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@"`},
			program.Args...)...)
		cmd.Env, cmd.ExtraFiles = program.Env, []*os.File{socket}
		return cmd
	}
	start := func() (stop func()) {
		cmd := server(addr)
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go io.Copy(io.Discard, stdout)
		return func() {
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("the server ended with %v", err)
			}
		}
	}
	for _, when := range []string{"before the first start", "between two servers"} {
		conn, err := net.Dial("tcp", addr) // while no server runs
		if err != nil {
			t.Fatal(when, ": ", err)
		}
		defer conn.Close()
		stop := start()
		request, err := http.NewRequest(http.MethodGet, "http://"+addr+"/healthz", nil)
		if err == nil {
			err = request.Write(conn)
		}
		if err != nil {
			t.Fatal(when, ": ", err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), request)
		if err != nil {
			t.Fatal(when, ": ", err)
		}
		if resp.Body.Close(); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", when, resp.StatusCode)
		}
		stop()
	}

	out, err := server("127.0.0.1:1").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "systemd listens on "+addr) {
		t.Errorf("a server for another address ends with %v: %s", err, out)
	}
}
