package formats_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"inkfeed/domain/portable"
)

func TestProblemsAreGroupedByKind(t *testing.T) {
	var list []portable.Problem
	for n := range 1200 {
		list = append(list, portable.NewProblem(fmt.Sprintf("posts/%d.md", n), "the picture %s is not in the export",
			fmt.Sprintf("/p%d.png", n)))
	}
	list = append(list,
		portable.NewProblem("posts/x.md", "its date, %s, is in the future", "2030-01-01"),
		portable.NewProblem("posts/y.md", "not imported: %v", errors.New("it has no text")),
		portable.NewProblem("posts/z.md", "not imported: %s", portable.Reason("it has no text")),
		portable.NewProblem("posts/z.md", "not imported: %v", errors.New("it is too long")))
	var lines []string
	for _, g := range portable.GroupProblems(list) {
		lines = append(lines, g.String())
	}
	want := []string{
		"2 times: not imported: it has no text – posts/y.md; posts/z.md",
		"posts/z.md: not imported: it is too long",
		"1,200 times: the picture … is not in the export – posts/0.md (/p0.png); posts/1.md (/p1.png); posts/2.md " +
			"(/p2.png); and 1,197 more",
		"posts/x.md: its date, 2030-01-01, is in the future",
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("groups\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestLossesThatDifferInAddressesAreOneKind(t *testing.T) {
	b := read(t, map[string]string{"hugo.toml": "",
		"content/a.md": "---\ntitle: A\ndate: 2020-01-02\n---\n{{< youtube aaa >}}\n",
		"content/b.md": "---\ntitle: B\ndate: 2020-01-02\n---\n{{< vimeo 12 >}}\n"})
	groups := portable.GroupProblems(b.Problems)
	if len(groups) != 1 || groups[0].Count != 2 || !strings.Contains(groups[0].String(),
		"content/b.md (https://vimeo.com/12)") {
		t.Errorf("groups %v", groups)
	}
}
