package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// engine is an engine in a process and data directory of its own.
type engine struct {
	address     string // of the listener, as printed
	certificate string // path
	log         string // path
	ctx         context.Context
	cmd         *exec.Cmd
}

var printedAddress = regexp.MustCompile(`https://[^/ ]+/`)

// start starts an engine with a data directory of that name. stop ends it.
func (s *suite) start(ctx context.Context, name string, flags ...string) (*engine, error) {
	data := filepath.Join(s.scratch, name)
	e := &engine{ctx: ctx, certificate: filepath.Join(data, "engine.crt"), log: data + ".log"}
	log, err := os.Create(e.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	e.cmd = command(ctx, "", s.engine, append([]string{"engine", "--data", data}, flags...)...)
	e.cmd.Stderr = log
	for _, variable := range os.Environ() { // ignore the developer's own settings
		if !strings.HasPrefix(variable, "INKFEED_") && !strings.HasPrefix(variable, "COSMOS_") {
			e.cmd.Env = append(e.cmd.Env, variable)
		}
	}
	stdout, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := e.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if e.address = printedAddress.FindString(lines.Text()); e.address != "" {
			go func() {
				for lines.Scan() {
				}
			}()
			return e, nil
		}
	}
	err = e.cmd.Wait()
	said, _ := os.ReadFile(e.log)
	return nil, fmt.Errorf("the engine %v did not start: %v\n%s", flags, err, said)
}

// stop ends the engine and fails if it did not exit cleanly.
func (e *engine) stop() error {
	if e.ctx.Err() != nil { // the engine was asked to end
		e.cmd.Wait()
		return nil
	}
	if err := e.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	if err := e.cmd.Wait(); err != nil {
		said, _ := os.ReadFile(e.log)
		return fmt.Errorf("the engine ended with %w\n%s", err, said)
	}
	return nil
}
