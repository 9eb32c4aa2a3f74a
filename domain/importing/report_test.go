package importing_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"inkfeed/domain/importing"
	"inkfeed/domain/portable"
)

func TestCheckFailsIfLittleWasImported(t *testing.T) {
	for name, c := range map[string]struct {
		report importing.Report
		says   string // empty: no error
	}{
		"everything is new":                  {importing.Report{Found: 4, New: 4}, ""},
		"half of it is new":                  {importing.Report{Found: 4, New: 2, Left: 2}, ""},
		"everything is here already":         {importing.Report{Found: 4, Unchanged: 3, Kept: 1}, ""},
		"the author deleted everything here": {importing.Report{Found: 4, Left: 4, Declined: 4}, ""},
		"there are comments and no posts":    {importing.Report{AllComments: 1}, ""},
		"there are pictures and no posts":    {importing.Report{AllPictures: 1}, ""},
		"nothing is found": {importing.Report{Problems: []portable.Problem{{Text: "no post in content"}}},
			"no post in content"},
		"no post could be imported": {importing.Report{Found: 4, Left: 1}, "none of the 4 posts"},
		"less than half could be imported": {importing.Report{Found: 2001, New: 500, Changed: 500},
			"only 1,000 of the 2,001 posts"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.report.Check()
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
}

func TestSummaryIsATable(t *testing.T) {
	r := importing.Report{Found: 1300, New: 1210, Drafts: 1, Scheduled: 2, Unlisted: 3, Changed: 4, Unchanged: 5,
		Kept: 6, Left: 7, Pictures: 1, Redirects: 2400}
	var b strings.Builder
	if err := r.WriteSummary(&b, false); err != nil {
		t.Fatal(err)
	}
	want := ` 1,300 posts found
 1,210 imported
 1,204   as posts
     1   as a draft
     2   as scheduled posts
     3   as unlisted posts
     4 changed
     5 unchanged
     6 left as changed here
    75 not imported
     1 new picture
 2,400 new redirects
     0 new comments
`
	if b.String() != want {
		t.Errorf("summary\n%s\nwant\n%s", b.String(), want)
	}
}

func TestProblemsAreWrittenByKindOrIndividually(t *testing.T) {
	var r importing.Report
	for n := range 20 {
		r.Problems = append(r.Problems, portable.NewProblem(fmt.Sprintf("%d.md", n), "the shortcode %s is not known",
			portable.Reason("tide")))
	}
	var kinds, all strings.Builder
	if err := errors.Join(r.WriteProblems(&kinds), r.WriteAllProblems(&all)); err != nil {
		t.Fatal(err)
	}
	if want := "- 20 times: the shortcode tide is not known – 0.md; 1.md; 2.md; and 17 more\n"; kinds.String() != want {
		t.Errorf("kinds %q, want %q", kinds.String(), want)
	}
	if lines := strings.Count(all.String(), "\n"); lines != 20 ||
		!strings.Contains(all.String(), "- 19.md: the shortcode tide is not known\n") {
		t.Errorf("%d lines: %s", lines, all.String())
	}
}

func TestReportCountsPostsByTheirStatus(t *testing.T) {
	source := map[string]string{"hugo.toml": "",
		"content/a.md": "---\ntitle: A\ndate: 2020-01-01\naliases: [/old, /older]\n---\nText.\n",
		"content/b.md": "---\ntitle: B\ndraft: true\n---\nText.\n", "content/c.md": "---\ntitle: C\npublishDate: " +
			"2030-01-01T00:00:00Z\n---\nText.\n",
		"content/d.md": "---\ntitle: D\nhidden: true\n---\nText.\n", "content/e.md": "---\ntitle: [\n---\n",
		"notes/f.md": "---\ndate: 2020-01-01\n---\nText.\n"}
	type counts struct{ found, fresh, drafts, scheduled, unlisted, unchanged, redirects int }
	of := func(r importing.Report) counts {
		return counts{r.Found, r.New, r.Drafts, r.Scheduled, r.Unlisted, r.Unchanged, r.Redirects}
	}
	m := newStore()
	want := counts{6, 5, 2, 1, 1, 0, 5}
	dry, err := importFiles(t, m, source, true)
	if err != nil || of(dry) != want {
		t.Errorf("the dry run counts %+v, want %+v, error %v", of(dry), want, err)
	}
	if got := of(mustImport(t, m, source)); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
	if got, want := of(mustImport(t, m, source)), (counts{found: 6, unchanged: 5}); got != want {
		t.Errorf("the second import counts %+v, want %+v", got, want)
	}
}
