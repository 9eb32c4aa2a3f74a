package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const azcosmos = "github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

// wantPassed is the minimum number of tests that pass. It rises with the SDK's version.
const wantPassed = 42

// knownFailures maps tests that need a feature the engine does not have to the reason.
func knownFailures() map[string]string {
	return map[string]string{
		"TestItemIdEncodingComputeGW": "wants a compute gateway on port 8903, which admits the ids that the " +
			"routing gateway refuses",
	}
}

// testTime is the time limit of one test. The slowest sleeps for seconds.
const testTime = 90 * time.Second

// azcosmos runs the emulator tests of the Go SDK, each alone, so that data left by a failed test
// cannot affect the next.
func (s *suite) azcosmos(ctx context.Context) (err error) {
	dir, err := s.copySDK(ctx)
	if err != nil {
		return err
	}
	binary := filepath.Join(s.scratch, "azcosmos.test")
	if _, err := output(ctx, dir, "go", "test", "-c", "-o", binary, "."); err != nil {
		return err
	}
	tests, err := emulatorTests(ctx, dir, binary)
	if err != nil {
		return err
	}
	e, err := s.start(ctx, "azcosmos-data", "--addr", "localhost:8081", "--identity", "emulator")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.stop()) }()

	known := knownFailures()
	passed := 0
	var unexpected []string
	for _, test := range tests {
		begun := time.Now()
		cmd := command(ctx, dir, binary, "-test.v", "-test.count=1", "-test.timeout="+testTime.String(),
			"-test.run=^"+test+"$")
		// One test verifies the certificate, so it needs to trust it.
		cmd.Env = append(os.Environ(), "EMULATOR=true", "SSL_CERT_FILE="+e.certificate)
		said, err := cmd.CombinedOutput()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		ok := err == nil && bytes.Contains(said, []byte("--- PASS: "+test+" ")) // a skipped test has not passed
		if ok {
			passed++
		}
		reason, expected := known[test]
		switch verdict := map[bool]string{true: "passed", false: "FAILED"}[ok]; {
		case ok == expected:
			unexpected = append(unexpected, test)
			fmt.Fprintf(s.out, "%s %5.1fs %s (unexpected)\n", verdict, time.Since(begun).Seconds(), test)
			if !ok {
				fmt.Fprintf(s.out, "%s\n", said)
			}
		case expected:
			fmt.Fprintf(s.out, "%s %5.1fs %s (as expected: it %s)\n", verdict, time.Since(begun).Seconds(), test,
				reason)
		default:
			fmt.Fprintf(s.out, "%s %5.1fs %s\n", verdict, time.Since(begun).Seconds(), test)
		}
	}
	fmt.Fprintf(s.out, "azcosmos: %d of %d passed\n", passed, len(tests))
	switch {
	case len(unexpected) > 0:
		return fmt.Errorf("not as expected: %s", strings.Join(unexpected, ", "))
	case passed < wantPassed:
		return fmt.Errorf("%d tests passed, fewer than %d", passed, wantPassed)
	}
	return nil
}

// copySDK copies the SDK, in the version that this module uses, from the module cache, where it
// cannot be compiled as a module of its own.
func (s *suite) copySDK(ctx context.Context) (string, error) {
	if _, err := output(ctx, "", "go", "mod", "download", azcosmos); err != nil {
		return "", err
	}
	source, err := output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}", azcosmos)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(s.scratch, "azcosmos")
	return dir, os.CopyFS(dir, os.DirFS(strings.TrimSpace(source)))
}

// emulatorTests returns the compiled tests in files named after the emulator, in the order of the
// files.
func emulatorTests(ctx context.Context, dir, binary string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "emulator_*_test.go"))
	if err != nil {
		return nil, err
	}
	listed, err := output(ctx, dir, binary, "-test.list=^Test")
	if err != nil {
		return nil, err
	}
	compiled := strings.Fields(listed)
	var tests []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declared := range parsed.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil && slices.Contains(compiled, f.Name.Name) {
				tests = append(tests, f.Name.Name)
			}
		}
	}
	return tests, nil
}
