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

// engine is one that runs in a process of its own, on a fresh data folder.
type engine struct {
	address     string // of a listener, as it was printed
	certificate string // file
	log         string // file
	ctx         context.Context
	cmd         *exec.Cmd
}

var printedAddress = regexp.MustCompile(`https://[^/ ]+/`)

// start runs an engine, with its data in a folder of that name, until stop.
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
	for _, variable := range os.Environ() { // the developer's own settings are not the suite's
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

// stop ends the engine, which must end well.
func (e *engine) stop() error {
	if e.ctx.Err() != nil { // it has been asked to end
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
