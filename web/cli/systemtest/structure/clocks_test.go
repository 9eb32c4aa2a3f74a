package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// clockUsers lists the files of tests that use the machine's clock, with the reason. No test asserts
// how long something takes, because such a test would fail on a busy machine.
var clockUsers = map[string]string{
	"web/webtest/items.go":                             "reads the lifetime of a secret",
	"web/cli/systemtest/harness/browser.go":            "keeps waits for the browser from hanging",
	"web/cli/systemtest/harness/visitor.go":            "polls a process, and keeps that from hanging",
	"web/cli/systemtest/performance/charges_test.go":   "measures on request",
	"web/cli/systemtest/performance/cold_test.go":      "measures on request",
	"web/cli/systemtest/performance/document_test.go":  "measures on request",
	"web/cli/systemtest/performance/load_test.go":      "measures on request",
	"web/cli/systemtest/performance/reactions_test.go": "measures on request",
	"web/cli/systemtest/performance/search_test.go":    "measures on request",
	"web/cli/systemtest/performance/site_test.go":      "measures on request",
	"web/cli/systemtest/performance/tasks_test.go":     "measures on request",
	"web/cli/systemtest/performance/wire_test.go":      "measures on request",
	"web/cli/systemtest/performance/writes_test.go":    "measures on request",
	"web/webtest/network.go":                           "keeps waits for the browser from hanging",
	"web/webtest/tab.go":                               "keeps waits for the browser from hanging",
	"web/mail/mail_test.go":                            "reads when a delivery expires",
	"workers/delivery/dispatcher_test.go":              "runs in a bubble of simulated time: see bubble",
	"web/cli/systemtest/deliveries/kill_test.go":       "kills a process at a random time",
	"web/cli/systemtest/deliveries/fanout_test.go":     "kills a process at a random time",
	"web/cli/systemtest/deliveries/mailing_test.go":    "measures on request",
	"workers/delivery/turns_test.go":                   "runs in a bubble of simulated time: see bubble",
	"workers/mailing/fakes_test.go":                    "runs in a bubble of simulated time, if it waits at all",
	"web/cli/systemtest/commands/commands_test.go":     "polls a process, and keeps that from hanging",
	"web/cli/systemtest/imports/import_test.go":        "polls a process, and keeps that from hanging",
	"web/cli/systemtest/commands/kill_test.go":         "keeps the wait for a process from hanging",
	"web/cli/systemtest/storm/faultproxy_test.go":      "holds an answer back",
	"web/cli/systemtest/storm/storm_test.go":           "sets the length and the pace of a storm",
	"web/cli/systemtest/storm/client_test.go":          "lets clients give up, and keeps requests from hanging",
	"web/cli/systemtest/storm/state_test.go":           "notes when something happened",
	"cosmos/behind_test.go":                            "runs in a bubble of simulated time: see withRefusals",
	"cosmos/contract_test.go":                          "deletes a real account's database before go test's time limit",
	"cosmos/images_deletion_test.go":                   "runs in a bubble of simulated time: see inTime",
	"cosmos/invitations_crash_test.go":                 "runs in a bubble of simulated time: see inTime",
	"cosmos/subscriptions_crash_test.go":               "runs in a bubble of simulated time: see inTime",
	"cosmos/staleread_test.go":                         "runs in a bubble of simulated time: see inTime",
	"cosmos/embedded/crash_internal_test.go":           "kills a process at a random time",
	"cosmos/embedded/lifecycle_internal_test.go":       "keeps a wait for a goroutine from hanging",
}

// testHelpers names the folders whose files are used by tests only.
var testHelpers = map[string]bool{"harness": true, "webtest": true}

func TestNoTestDependsOnTheSpeedOfTheMachine(t *testing.T) {
	used := make(map[string]bool)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && strings.HasPrefix(name, "."):
			return filepath.SkipDir
		case strings.HasSuffix(name, "bench_test.go"):
			return nil
		case !strings.HasSuffix(path, "_test.go") && !testHelpers[filepath.Base(filepath.Dir(path))]:
			return nil
		}
		path = filepath.ToSlash(path)
		calls, err := clockCalls(path)
		if len(calls) == 0 {
			return err
		}
		if used[path] = true; clockUsers[path] == "" {
			t.Errorf("%s calls %s: use testing/synctest, count steps or wait for an event", path,
				strings.Join(calls, ", "))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range clockUsers {
		if !used[path] {
			t.Errorf("%s uses no clock: remove it from the list", path)
		}
	}
}

// clockCalls lists the calls in a test file that read the machine's clock or wait by it. A file
// that imports testing/synctest has none: it uses the bubble's fake clock.
func clockCalls(path string) (calls []string, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, i := range file.Imports {
		if i.Path.Value == strconv.Quote("testing/synctest") {
			return nil, nil
		}
	}
	clocks := map[string][]string{
		"time":    {"Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"},
		"context": {"WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause"},
	}
	benchmark := func(n ast.Node) bool {
		f, ok := n.(*ast.FuncDecl)
		return ok && strings.HasPrefix(f.Name.Name, "Benchmark")
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.SelectorExpr)
		if !ok {
			return !benchmark(n)
		}
		if pkg, ok := call.X.(*ast.Ident); ok && slices.Contains(clocks[pkg.Name], call.Sel.Name) {
			calls = append(calls, pkg.Name+"."+call.Sel.Name+" in line "+strconv.Itoa(set.Position(call.Pos()).Line))
		}
		return true
	})
	return calls, nil
}
