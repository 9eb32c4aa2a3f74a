// Command conformance runs other authors' clients against the engine, over TLS:
//
//	conformance -engine bin/inkfeed azcosmos     the Go SDK's own tests for emulators
//	conformance -engine bin/inkfeed javascript   testdata/witness.mjs on the JavaScript SDK,
//	                                             testdata/former on a former version of it
//
// It copies or installs the clients into a temporary directory and leaves nothing behind. Run it in
// the root of the repository.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// suite runs one client's checks and prints the results. It returns an error if the results are not
// as expected or the checks could not run.
type suite struct {
	engine  string // path of the program
	scratch string // directory for temporary files
	out     io.Writer
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	engine := flags.String("engine", "bin/inkfeed", "the `program` that has the engine")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s := suite{out: out}
	if s.engine, err = filepath.Abs(*engine); err != nil {
		return err
	}
	if s.scratch, err = os.MkdirTemp("", "conformance-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.scratch)) }()
	switch flags.Arg(0) {
	case "azcosmos":
		return s.azcosmos(ctx)
	case "javascript":
		return s.javascript(ctx)
	}
	return fmt.Errorf("%q is neither azcosmos nor javascript", flags.Arg(0))
}

// command prepares a program that is interrupted when ctx ends.
func command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// output runs a program and returns what it prints to stdout.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	text, err := command(ctx, dir, name, args...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%s %v: %w\n%s", name, args, err, failed.Stderr)
	}
	return string(text), err
}
