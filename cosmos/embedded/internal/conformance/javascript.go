package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// javascriptSDK is the SDK and its version, from npm.
const javascriptSDK = "@azure/cosmos@4.9.3"

const (
	witness = "cosmos/embedded/testdata/witness.mjs"

	// The key that one of the engines gets, so that it is not only the well-known one that
	// is seen to work.
	witnessKey = "dGhlIGtleSBvZiB0aGUgSmF2YVNjcmlwdCB3aXRuZXNz"
)

// javascript runs the witness. One engine has several feed ranges, one enforces throughput.
func (s *suite) javascript(ctx context.Context) (err error) {
	dir := filepath.Join(s.scratch, "javascript")
	script, err := os.ReadFile(witness)
	if err != nil {
		return err
	}
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "witness.mjs"), script, 0o600)); err != nil {
		return err
	}
	if _, err := output(ctx, dir, "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", javascriptSDK); err != nil {
		return err
	}
	var certificates [][]byte
	var addresses []string
	for name, flag := range map[string]string{"wide": "--ranges=3", "strict": "--enforce-throughput"} {
		e, failed := s.start(ctx, name, "--addr=localhost:0", "--key="+witnessKey, flag)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, e.stop()) }()
		certificate, failed := os.ReadFile(e.certificate)
		if failed != nil {
			return failed
		}
		certificates = append(certificates, certificate)
		addresses = append(addresses, "WITNESS_"+name+"="+e.address)
	}
	trusted := filepath.Join(dir, "trusted.crt")
	if err := os.WriteFile(trusted, bytes.Join(certificates, nil), 0o600); err != nil {
		return err
	}
	cmd := command(ctx, dir, "node", "witness.mjs")
	cmd.Env = append(os.Environ(), "NODE_EXTRA_CA_CERTS="+trusted, "WITNESS_KEY="+witnessKey)
	cmd.Env = append(cmd.Env, addresses...)
	cmd.Stdout, cmd.Stderr = s.out, s.out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s on %s: %w", witness, javascriptSDK, err)
	}
	return nil
}
