package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows is the table of docs/architecture.md: what each room may import of
// ours, directly or through others. Tests of a room may import more.
var arrows = map[string][]string{
	"domain":                      {},
	"domain/picture":              {"domain"},
	"domain/importing":            {"domain", "domain/picture", "domain/portable"},
	"domain/importing/jobs":       {"domain", "domain/importing", "domain/picture", "domain/portable"},
	"domain/portable":             {"domain"},
	"domain/sample":               {"domain"},
	"static":                      {},
	"views":                       {"domain", "static"},
	"web":                         {"domain", "domain/picture", "domain/portable", "static", "views", "web/factor"},
	"web/factor":                  {"domain"},
	"web/graceful":                {},
	"web/garbage":                 {},
	"web/ops":                     {},
	"web/mail":                    {},
	"workers":                     {"domain", "workers/changefeed", "workers/loop"},
	"workers/changefeed":          {"domain", "workers/loop"},
	"workers/changefeed/feedtest": {"domain"},
	"workers/loop":                {},
	"workers/progress":            {},
	"workers/projection":          {"cosmos", "domain", "workers/changefeed", "workers/loop", "workers/progress"},
	"workers/schedule":            {"domain", "workers/loop"},
	"workers/search":              {"domain", "workers/changefeed", "workers/loop", "workers/tailer"},
	"workers/tailer":              {"domain", "workers/changefeed", "workers/loop"},
	"cosmos":                      {"domain"},
	"cosmos/embedded":             {},
	"cosmos/cosmostest":           {"cosmos", "domain"},
	"cosmos/media":                {"domain"},
	"cosmos/media/mediatest":      {"domain"},
	"web/config": {"cosmos", "cosmos/embedded", "cosmos/media", "domain", "domain/picture", "domain/portable", "static", "views",
		"web", "web/factor", "web/graceful", "web/mail", "workers/changefeed", "workers/loop"},
}

func TestArrows(t *testing.T) {
	for _, pkg := range goList(t, "-f", "{{.ImportPath}}", "./...") {
		room, ok := roomOf(pkg)
		if !ok {
			continue
		}
		allowed, known := arrows[room]
		if !known {
			t.Errorf("%s is not in the table of rooms", pkg)
			continue
		}
		for _, dep := range goList(t, "-deps", pkg) {
			other, ok := roomOf(dep)
			if ok && other != room && !slices.Contains(allowed, other) {
				t.Errorf("%s must not import %s", room, other)
			}
		}
	}
}

// Whoever looks for a command finds it by its name: at the root there are main.go and
// one file a command.
func TestTheRootHasAFileACommand(t *testing.T) {
	want := []string{"main.go"}
	for name := range commands() {
		word, _, _ := strings.Cut(name, " ")
		want = append(want, word+".go")
	}
	slices.Sort(want)
	if got := goList(t, "-f", `{{join .GoFiles "\n"}}`, "."); !slices.Equal(got, slices.Compact(want)) {
		t.Errorf("the root has %v, want %v", got, slices.Compact(want))
	}
}

// The names at the top are what people find their way by: a new room is within one of them.
func TestTheTopLevelStaysAsItIs(t *testing.T) {
	fixed := []string{"cosmos", "domain", "static", "views", "web", "workers"}
	for room := range arrows {
		if top, _, _ := strings.Cut(room, "/"); !slices.Contains(fixed, top) {
			t.Errorf("%s is at the top level, where there are %v only", room, fixed)
		}
	}
}

// roomOf is the room a package of ours is in. A room's internal packages belong
// to it, and main is free.
func roomOf(pkg string) (string, bool) {
	room, ours := strings.CutPrefix(pkg, "inkfeed/")
	room, _, _ = strings.Cut(room, "/internal/")
	return room, ours
}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return strings.Fields(string(out))
}
