package embedded

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/inmemory"
	"inkfeed/cosmos/embedded/internal/storage"
)

// Environment variables for TestCrash and for the process to be killed, which is the same test
// binary.
const (
	crashDir        = "EMBEDDED_CRASH_DIR"
	crashCheckpoint = "EMBEDDED_CRASH_CHECKPOINT" // pages of the log from which it is written back
	crashBackup     = "EMBEDDED_CRASH_BACKUP"     // name of the backups to make continuously
	crashKills      = "EMBEDDED_KILLS"            // number of kills in TestCrash
	crashSeed       = "EMBEDDED_SEED"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		if err := serveUntilKilled(dir); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	inmemory.Use()
	os.Exit(m.Run())
}

// serveUntilKilled serves an engine and prints its address. On request it closes.
func serveUntilKilled(dir string) error {
	e, err := Open(dir, Options{Ranges: 3})
	if err != nil {
		return err
	}
	if _, err := e.store.Writer.Exec("PRAGMA wal_autocheckpoint = " + os.Getenv(crashCheckpoint)); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	go http.Serve(listener, e)
	if name := os.Getenv(crashBackup); name != "" {
		go func() {
			for i := 0; ; i++ {
				err := e.Backup(context.Background(), fmt.Sprintf("%s-%d", name, i), nil)
				if errors.Is(err, errClosing) {
					return
				}
				if err != nil {
					fmt.Println("error:", err)
					os.Exit(1)
				}
			}
		}()
	}
	fmt.Println("http://" + listener.Addr().String())
	<-asked
	return e.Close()
}

// life is the lifetime of one process until it is killed.
type life struct {
	cmd    *exec.Cmd
	out    *bufio.Scanner
	base   string // "" if it was killed before it served
	client http.Client
	signer *Engine
	killed atomic.Bool
}

// begin starts a process. If opening is not zero, the process is killed after that time.
func begin(t *testing.T, dir string, opening time.Duration, env ...string) *life {
	t.Helper()
	l := &life{cmd: exec.Command(os.Args[0]), signer: mustSigner(t)}
	l.cmd.Env = append(append(os.Environ(), crashDir+"="+dir), env...)
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l.out = bufio.NewScanner(out)
	if opening > 0 {
		time.AfterFunc(opening, l.kill)
	}
	for l.out.Scan() {
		if l.base = l.out.Text(); strings.HasPrefix(l.base, "http") {
			return l
		}
		t.Fatal(l.base)
	}
	if !l.killed.Load() {
		t.Fatalf("the process ended: %v", l.cmd.Wait())
	}
	return l
}

func (l *life) kill() {
	l.killed.Store(true)
	l.cmd.Process.Kill() // SIGKILL; an error means that the process has ended
}

// end waits until the process has ended.
func (l *life) end(t *testing.T) {
	t.Helper()
	for l.out.Scan() {
		t.Errorf("the process wrote %s", l.out.Text())
	}
	l.cmd.Wait() // returns an error, as the process was killed
	l.client.CloseIdleConnections()
}

// mustSigner opens an engine that only signs requests with the well-known key.
func mustSigner(t *testing.T) *Engine {
	e, _ := mustEngine(t, Options{}, plainContainer)
	return e
}

// send makes a signed request. After an error the outcome is unknown.
func (l *life) send(method, path, body string, headers ...string) (answer, error) {
	r, err := http.NewRequest(method, l.base+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	kind, link := signedResource(splitPath(r.URL))
	signAs(l.signer, r, kind, link, time.Now())
	resp, err := l.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(text)}, err
}

func (l *life) asker(t *testing.T) asker {
	return func(method, path, body string, headers ...string) answer {
		t.Helper()
		a, err := l.send(method, path, body, headers...)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
}

// must sends a request that is not interrupted.
func (l *life) must(t *testing.T, status int, method, path, body string, headers ...string) answer {
	t.Helper()
	return l.asker(t)(method, path, body, headers...).want(t, status)
}

// TestCrash kills processes on one directory repeatedly: while they write, open, close and make
// backups. After each kill, all acknowledged writes are there in their latest state, every batch is
// complete or absent, and the LSNs and the change feed match the writes.
func TestCrash(t *testing.T) {
	kills, err := strconv.Atoi(os.Getenv(crashKills))
	switch {
	case err == nil:
	case testing.Short():
		kills = 2
	default:
		kills = 10
	}
	seed := uint64(time.Now().UnixNano())
	if n, err := strconv.ParseUint(os.Getenv(crashSeed), 10, 64); err == nil {
		seed = n
	}
	t.Logf("%s=%d %s=%d", crashSeed, seed, crashKills, kills)
	random := rand.New(rand.NewPCG(seed, 0))
	dir, backups := t.TempDir(), t.TempDir()
	world := newCrashWorld(seed)
	whole := 0
	// Many of ten lives may end before they write. More follow until the test has seen enough.
	enough := func() bool { return kills < 10 || world.acknowledged >= 10*kills && world.unknown > 0 }
	for round := 0; round < kills || !enough() && round < 10*kills; {
		env := []string{fmt.Sprintf("%s=%d", crashCheckpoint, 20+random.IntN(400))}
		var opening time.Duration
		kind := random.IntN(10)
		switch {
		case round == 0:
			kind = 9 // the first process creates the containers
		case kind < 3:
			opening = time.Duration(1 + random.Int64N(int64(60*time.Millisecond)))
		case kind < 5:
			env = append(env, crashBackup+"="+filepath.Join(backups, strconv.Itoa(round)))
		}
		l := begin(t, dir, opening, env...)
		if opening == 0 {
			world.check(t, l)
			if t.Failed() {
				l.kill()
				l.end(t)
				t.Fatalf("after kill %d", round)
			}
			end := l.kill
			if kind < 7 && kind >= 5 {
				end = func() {
					l.cmd.Process.Signal(syscall.SIGTERM)
					time.AfterFunc(time.Duration(random.Int64N(int64(20*time.Millisecond))), l.kill)
				}
			}
			world.write(t, l, random.IntN(120), time.Duration(random.Int64N(int64(4*time.Millisecond))), end)
		}
		l.end(t)
		round++
		whole += checkBackups(t, backups)
	}

	l := begin(t, dir, 0, crashCheckpoint+"=1000")
	world.check(t, l)
	l.cmd.Process.Signal(syscall.SIGTERM)
	l.end(t)
	restored := filepath.Join(t.TempDir(), "data")
	if err := Restore(t.Context(), filepath.Join(dir, storage.DatabaseFile), restored, nil, nil); err != nil {
		t.Errorf("opening the database after all kills: %v", err) // the file is checked page by page
	}
	t.Logf("%d writes acknowledged, %d of %d in the middle of a kill were committed; %d items, %d backups",
		world.acknowledged, world.completed, world.unknown, world.items(), whole)
	if !enough() {
		t.Error("the processes acknowledged too few writes for this test")
	}
}

// checkBackups checks that every backup with a final name is complete. It removes them and the
// remains of interrupted ones.
func checkBackups(t *testing.T, dir string) (whole int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		if !strings.HasSuffix(file, ".new") {
			whole++
			if i < 2 || i == len(files)-1 {
				if err := Restore(t.Context(), file, filepath.Join(t.TempDir(), "data"), nil, nil); err != nil {
					t.Errorf("backup %s: %v", filepath.Base(file), err)
				}
			}
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	return whole
}

// write runs every writer until the process is killed, some time after a number of acknowledged
// writes.
func (world *crashWorld) write(t *testing.T, l *life, enough int, after time.Duration, end func()) {
	var acknowledged atomic.Int64
	var once sync.Once
	stop := func() { once.Do(func() { time.AfterFunc(after, end) }) }
	if enough == 0 {
		stop()
	}
	var group sync.WaitGroup
	for _, w := range world.writers {
		group.Go(func() {
			for w.step(t, world, l) {
				if acknowledged.Add(1) >= int64(enough) {
					stop()
				}
			}
			stop() // after a failure, stop the others
		})
	}
	group.Wait()
}

// TestKillDuringCreation kills processes before anything is acknowledged. Then only the
// directory can be lost.
func TestKillDuringCreation(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	made := 0
	for range 10 {
		dir := filepath.Join(t.TempDir(), "data")
		opening := time.Duration(10+random.IntN(60)) * time.Millisecond
		l := begin(t, dir, opening, crashCheckpoint+"=1000")
		l.end(t)
		left, _ := filepath.Glob(filepath.Join(dir, storage.DatabaseFile+"*"))
		made += min(len(left), 1)
		e, err := Open(dir, Options{})
		if err != nil {
			t.Errorf("killed after %v, with %v: %v", opening, left, err)
			continue
		}
		send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d of 10 had begun with the database", made)
}
