package commands

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"inkfeed/web/cli"
	"inkfeed/web/cli/systemtest/harness"
)

// TestBackupOfARunningServerIsComplete backs up a database while a server writes to it. The restored blog has
// everything that was published before the backup, and nothing incomplete.
func TestBackupOfARunningServerIsComplete(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := map[string]string{"INKFEED_DATA": dir}
	cmd := harness.Program(t, env, "--addr", "127.0.0.1:0")
	var log bytes.Buffer
	cmd.Stderr = &log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the server prints no address: %v: %s", err, log.String())
	}
	base := strings.TrimSuffix(harness.PrintedAddress.FindString(line), "/")

	ada := harness.NewVisitor(t, base)
	ada.SignUp("ada")
	before := ada.Publish("Before", "text").URL.Path
	stop := make(chan struct{})
	busy := make(chan struct{})
	var group sync.WaitGroup
	var once sync.Once
	for i := range 3 {
		v := harness.NewVisitor(t, base)
		v.SignUp(fmt.Sprint("user", i))
		v.HTTP.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		group.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				post := v.TryForm("/posts", url.Values{"title": {fmt.Sprint("Post ", n)}, "content": {"text"}})
				if post == "" {
					t.Errorf("the server stopped serving: %s", log.String())
					once.Do(func() { close(busy) })
					return
				}
				v.TryForm("/posts/"+strings.Split(post, "/")[2]+"/comments", url.Values{"content": {"Hello"}})
				if n == 5 {
					once.Do(func() { close(busy) })
				}
			}
		})
	}
	<-busy
	file := filepath.Join(t.TempDir(), "blog.backup")
	out := harness.RunCommand(t, env, "backup", file)
	if !strings.Contains(out, file) || !strings.Contains(out, "checked") {
		t.Errorf("backup prints: %s", out)
	}
	key := filepath.Join(dir, "session.key")
	if !strings.Contains(out, key) {
		t.Errorf("backup does not name the session key: %s", out)
	}
	close(stop)
	group.Wait()
	after := ada.Publish("After", "text").URL.Path

	env = map[string]string{"INKFEED_DATA": filepath.Join(t.TempDir(), "data")}
	restored := filepath.Join(env["INKFEED_DATA"], "session.key")
	if out := harness.RunCommand(t, env, "restore", file); !strings.Contains(out, restored) {
		t.Errorf("restore does not name the session key: %s", out)
	}
	harness.Verify(t, env, "--wait")
	base, _ = harness.Serve(t, env, "--addr", "127.0.0.1:0")
	v := harness.NewVisitor(t, base)
	if p := v.Get(before); p.Status != http.StatusOK {
		t.Errorf("%s was published before the backup, but has status %d", before, p.Status)
	}
	if p := v.Get(after); p.Status != http.StatusNotFound {
		t.Errorf("%s was published after the backup, but has status %d", after, p.Status)
	}
	if p := v.Post("/login", "username", "ada", "password", "correct horse"); p.URL.Path == "/login" {
		t.Errorf("ada cannot log in: status %d", p.Status)
	}
	v.Publish("Life goes on", "text")
}

func TestBackupAndRestoreExplainErrors(t *testing.T) {
	t.Parallel()
	full, empty := t.TempDir(), t.TempDir()
	harness.RunCommand(t, map[string]string{"INKFEED_DATA": full}, "seed", "--users", "1")
	file := filepath.Join(t.TempDir(), "backup")
	harness.RunCommand(t, map[string]string{"INKFEED_DATA": full}, "backup", file)
	for want, tt := range map[string]struct {
		env  map[string]string
		args []string
	}{
		"backup takes one FILE":     {nil, []string{"backup"}},
		"restore takes one FILE":    {nil, []string{"restore", "one", "two"}},
		"there is no database in":   {map[string]string{"INKFEED_DATA": empty}, []string{"backup", file + "2"}},
		file + " already exists":    {map[string]string{"INKFEED_DATA": full}, []string{"backup", file}},
		"inkfeed.db already exists": {map[string]string{"INKFEED_DATA": full}, []string{"restore", file}},
		"of the embedded engine only": {
			map[string]string{"COSMOS_ENDPOINT": "https://localhost:1", "COSMOS_KEY": "a2V5"}, []string{"backup", file},
		},
		"verify takes no argument":     {map[string]string{"INKFEED_DATA": full}, []string{"verify", file}},
		"is not a database of this":    {map[string]string{"INKFEED_DATA": empty}, []string{"restore", os.Args[0]}},
		"no such file or directory":    {map[string]string{"INKFEED_DATA": empty}, []string{"restore", file + "3"}},
		"--data or INKFEED_DATA: no f": {map[string]string{"INKFEED_DATA": " "}, []string{"backup", file}},
	} {
		t.Run(want, func(t *testing.T) {
			var out bytes.Buffer
			getenv := func(name string) string { return tt.env[name] }
			err := cli.Run(t.Context(), tt.args, getenv, &out, &harness.Logs{})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q in it", err, want)
			}
		})
	}
}

func TestInterruptedBackupLeavesNoFile(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	harness.RunCommand(t, env, "seed", "--users", "1")
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	getenv := func(name string) string { return env[name] }
	err := cli.Run(ctx, []string{"backup", filepath.Join(dir, "backup")}, getenv, &harness.Logs{}, &harness.Logs{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the interrupted backup left %v (error %v)", left, err)
	}
}
