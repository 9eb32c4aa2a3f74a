package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const (
	// javascriptSDK is the current SDK and its version, from npm.
	javascriptSDK = "@azure/cosmos@4.9.3"
	witness       = "cosmos/embedded/testdata/witness.mjs"

	// former is the directory with the checks of the former SDK and the versions of its packages.
	former = "cosmos/embedded/testdata/former"

	// witnessKey is the account key of the engines. It differs from the well-known key, so that
	// other keys are tested as well.
	witnessKey = "dGhlIGtleSBvZiB0aGUgSmF2YVNjcmlwdCB3aXRuZXNz"
)

// javascript runs the checks of the current and of the former JavaScript SDK.
func (s *suite) javascript(ctx context.Context) (err error) {
	engines := new(witnessed)
	defer func() { err = errors.Join(err, engines.stop()) }()
	if err := engines.start(ctx, s); err != nil {
		return err
	}
	return errors.Join(s.current(ctx, engines), s.former(ctx, engines))
}

// current runs witness.mjs on the current SDK.
func (s *suite) current(ctx context.Context, engines *witnessed) error {
	dir := filepath.Join(s.scratch, "javascript")
	script, err := os.ReadFile(witness)
	if err != nil {
		return err
	}
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "witness.mjs"), script,
		0o600)); err != nil {
		return err
	}
	if _, err := output(ctx, dir, "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts",
		javascriptSDK); err != nil {
		return err
	}
	return s.node(ctx, dir, "witness.mjs", engines)
}

// former runs former.mjs on the former SDK. Its packages come from the lock file, because the SDK
// requires most of them by version ranges.
func (s *suite) former(ctx context.Context, engines *witnessed) error {
	dir := filepath.Join(s.scratch, "former")
	if err := os.CopyFS(dir, os.DirFS(former)); err != nil {
		return err
	}
	if _, err := output(ctx, dir, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"); err != nil {
		return err
	}
	return s.node(ctx, dir, "former.mjs", engines)
}

func (s *suite) node(ctx context.Context, dir, script string, engines *witnessed) error {
	cmd := command(ctx, dir, "node", script)
	cmd.Env = append(os.Environ(), engines.environment...)
	cmd.Stdout, cmd.Stderr = s.out, s.out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", script, err)
	}
	return nil
}

// witnessed are the engines for the checks: one with several feed ranges, and one that enforces
// throughput.
type witnessed struct {
	running     []*engine
	environment []string // environment variables that tell the checks their endpoints
}

// start starts the engines. If it fails, some of them may be running.
func (w *witnessed) start(ctx context.Context, s *suite) error {
	var certificates [][]byte
	for name, flag := range map[string]string{"wide": "--ranges=3", "strict": "--enforce-throughput"} {
		e, err := s.start(ctx, name, "--addr=localhost:0", "--key="+witnessKey, flag)
		if err != nil {
			return err
		}
		w.running = append(w.running, e)
		certificate, err := os.ReadFile(e.certificate)
		if err != nil {
			return err
		}
		certificates = append(certificates, certificate)
		w.environment = append(w.environment, "WITNESS_"+name+"="+e.address)
	}
	trusted := filepath.Join(s.scratch, "trusted.crt")
	w.environment = append(w.environment, "WITNESS_KEY="+witnessKey, "NODE_EXTRA_CA_CERTS="+trusted)
	return os.WriteFile(trusted, bytes.Join(certificates, nil), 0o600)
}

func (w *witnessed) stop() (err error) {
	for _, e := range w.running {
		err = errors.Join(err, e.stop())
	}
	return err
}
