package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"inkfeed/cosmos/schema"
)

func TestDocumentListsTheRulesOfVerify(t *testing.T) {
	document, err := os.ReadFile("../../docs/data-model.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(document), "\n## `verify`\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed, want []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|`).FindAllStringSubmatch(section,
		-1)[2:] { // after the head
		listed = append(listed, row[1])
	}
	for r := range numRules {
		want = append(want, r.String())
	}
	if !slices.Equal(listed, want) {
		t.Errorf("docs/data-model.md lists\n%q, the rules are\n%q", listed, want)
	}
}

func TestViolationsAreOrdered(t *testing.T) {
	w := newWorld(t)
	w.must(t, inTurn(t.Context(), w, fillFeed, func(ctx context.Context, w *world) error {
		return w.Container(schema.UsersContainer).Delete(ctx, w.bob.ID, w.bob.ID) // the author of a hundred posts
	}, func(ctx context.Context, w *world) error {
		return w.setLease(ctx, "posts", anyItem{"container": "other", "owner": "one"})
	}))
	first := w.violations(t)
	if len(first) < 100 {
		t.Fatalf("got %d violations", len(first))
	}
	if again := w.violations(t); !slices.Equal(first, again) {
		t.Errorf("violations are first\n%v, then\n%v", first, again)
	}
}

func TestFirstViolationsAreReported(t *testing.T) {
	const more = 2500
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var f findings
	f.add(ruleTypes, "x", "one alone")
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(mostReported + more) {
		f.add(ruleCounts, fmt.Sprintf("post %04d", i), "wrong")
	}
	var found []Violation
	total := f.report(func(v Violation) { found = append(found, v) })
	if total != 1+mostReported+more || len(found) != 1+mostReported+1 {
		t.Fatalf("%d violations, %d reported", total, len(found))
	}
	if found[0].Rule != ruleTypes.String() || found[0].Detail != "one alone" {
		t.Errorf("first is %s", found[0])
	}
	for i := range mostReported {
		if want := fmt.Sprintf("post %04d", i); found[1+i].Subject != want {
			t.Fatalf("violation %d is %s, want one of %s", i, found[1+i], want)
		}
	}
	if last := found[1+mostReported]; last.Rule != ruleCounts.String() || last.Detail != "2500 more" {
		t.Errorf("last is %s", last)
	}
}
