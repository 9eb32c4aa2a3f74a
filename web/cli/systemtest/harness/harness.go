// Package harness runs the program for system tests and acts as its visitors and operators.
package harness

import (
	"bytes"
	"flag"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"inkfeed/cosmos"
	"inkfeed/cosmos/cosmostest/inmemory"
	"inkfeed/domain/portable/subprocess"
	"inkfeed/web/cli"
	"inkfeed/web/cli/config"
)

// Main runs the tests of a package at the top level of the module, or the program itself: see AsProgram.
// Temporary folders are in memory if possible, because the engine syncs each write to its disk. More tests run in
// parallel than there are cores, because most of them wait for servers most of the time; -parallel says otherwise.
func Main(m *testing.M) {
	if !asProgram() {
		inmemory.Use()
		if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	MainOnDisk(m)
}

// MainOnDisk is Main with temporary folders on a disk, for measurements.
func MainOnDisk(m *testing.M) {
	if asProgram() {
		cli.Main()
		return
	}
	for { // paths in tests are relative to the top level
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

// asProgram reports whether the process is to run the program, or its reader of uploads.
func asProgram() bool { return os.Getenv(AsProgram) != "" || subprocess.Requested(os.Args) }

// RateLimits is the environment variable of rate limits. Tests turn them off, because all visitors have one address.
const RateLimits = "INKFEED_RATE_LIMITS"

// Environment returns the environment variables of a server, by default without rate limits and waiting times.
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
			return "1ms" // tests know when no request is running
		}
		return ""
	}
}

// With returns a copy of an environment in which one variable has another value.
func With(env map[string]string, name, value string) map[string]string {
	env = maps.Clone(env)
	env[name] = value
	return env
}

// RunCommand runs a command and returns its output. It fails the test on an error.
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

// Verify runs the command verify and fails the test if it finds a violation.
func Verify(t testing.TB, env map[string]string, args ...string) {
	t.Helper()
	if out := RunCommand(t, env, append([]string{"verify"}, args...)...); !strings.Contains(out, "No violation") {
		t.Errorf("verify: %s", out)
	}
}

// Exports is the folder with exports of other blogs.
const Exports = "domain/portable/testdata/"

// BlogOf creates a blog with one user and returns the environment of its data.
func BlogOf(t *testing.T, username string) (env map[string]string) {
	t.Helper()
	env = map[string]string{"INKFEED_DATA": t.TempDir()}
	base, stop := Serve(t, env, "--addr", "127.0.0.1:0")
	NewVisitor(t, base).SignUp(username)
	stop()
	return env
}

// Try runs a command and returns its output and its error.
func Try(t *testing.T, env map[string]string, args ...string) (stdout string, err error) {
	t.Helper()
	var out, log bytes.Buffer
	err = cli.Run(t.Context(), args, func(name string) string { return env[name] }, &out, &log)
	return out.String(), err
}

// FreeAddr returns an address on which nothing listens.
func FreeAddr(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// DatabaseSize returns the size of all files in a data folder.
func DatabaseSize(dir string) (size int64) {
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			size += info.Size()
		}
	}
	return size
}

// OpenStore opens the existing database of an environment.
func OpenStore(t testing.TB, env map[string]string) (store *cosmos.Store, closeStore func()) {
	t.Helper()
	c := config.New(Environment(env))
	store, closeStore, err := c.Open(t.Context(), cosmos.Options{Existing: true}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return store, closeStore
}

// QuickLeases are settings with which other processes take over the leases of a killed process soon.
var QuickLeases = map[string]string{"INKFEED_LEASE_ACQUIRE": "500ms", "INKFEED_LEASE_RENEW": "500ms",
	"INKFEED_LEASE_EXPIRATION": "2s", "INKFEED_POLL": "200ms"}
