package commands

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

// benchCell is a cell of the table of bench-model: a charge and a number of requests.
var benchCell = regexp.MustCompile(`^([0-9.]+) \(([0-9]+)\)$`)

func TestBenchModelComparesTheModelsOnTheData(t *testing.T) {
	t.Parallel()
	env := harness.NewBlog(t)
	harness.RunCommand(t, env, "seed", "--users", "2")
	out := harness.RunCommand(t, env, "bench-model", "--ranges", "3")
	charges, requests := map[string][]float64{}, map[string][]int{}
	for line := range strings.Lines(out) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		name := strings.TrimSpace(cells[0])
		if len(cells) < 6 || len(name) != 2 {
			continue
		}
		for _, cell := range cells[2:6] {
			found := benchCell.FindStringSubmatch(strings.TrimSpace(cell))
			if found == nil {
				t.Fatalf("cell %q of %s", cell, name)
			}
			charge, _ := strconv.ParseFloat(found[1], 64)
			n, _ := strconv.Atoi(found[2])
			charges[name], requests[name] = append(charges[name], charge), append(requests[name], n)
		}
	}
	if len(charges) != 10 {
		t.Fatalf("%d requests in:\n%s", len(charges), out)
	}
	t.Run("with one request for each query of V3", func(t *testing.T) {
		for name, n := range requests {
			if strings.HasPrefix(name, "Q") && (n[2] != 1 || n[3] != 1) {
				t.Errorf("%s of V3 and the site takes %v requests", name, n)
			}
		}
	})
	t.Run("with a fan-out to each feed range in V2", func(t *testing.T) {
		if n := requests["Q6"][1]; n < 3 {
			t.Errorf("Q6 of V2 takes %d requests on 3 feed ranges", n)
		}
	})
	t.Run("with lists that get cheaper from version to version", func(t *testing.T) {
		for _, name := range []string{"Q3", "Q6"} {
			if c := charges[name]; c[0] <= c[1] || c[1] <= c[2] {
				t.Errorf("%s costs %v", name, c)
			}
		}
	})
	t.Run("and changes nothing", func(t *testing.T) { harness.Verify(t, env) })
	t.Run("refuses a blog without posts", func(t *testing.T) {
		_, err := harness.Try(t, harness.BlogOf(t, "ada"), "bench-model")
		if err == nil || !strings.Contains(err.Error(), "no posts") {
			t.Errorf("error %v", err)
		}
	})
}
