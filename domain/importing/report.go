package importing

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
)

// Report counts what an import did or, after a dry run, would have done.
type Report struct {
	Found int // posts in the export, including those that could not be read
	// New counts created posts and drafts. Drafts, Scheduled and Unlisted are parts of it.
	New, Drafts, Scheduled, Unlisted int
	// Held counts new drafts that were public posts, and are drafts because of template code in their text.
	Held int
	// Lacking counts new drafts that were public posts, and are drafts because of their missing pictures.
	Lacking int

	Changed   int // updated because their source has changed
	Unchanged int
	// Kept counts posts that were changed here since the import, while their source was not.
	Kept int
	// Left counts posts that were not imported; Problems has the reasons. Declined counts those of them that the author
	// has deleted or changed here.
	Left, Declined int

	Pictures    int // new pictures
	AllPictures int // new pictures and those that were here already
	Shown       int // pictures of the old blog that its posts show
	Missing     int // those of them that the export lacks
	Redirects   int // new redirects from former addresses
	Requested   int // former addresses that wait for an administrator's approval
	Comments    int // new comments
	AllComments int // new comments and those that were here already
	Problems    []portable.Problem
	// Written reports whether anything was written that views may show.
	Written bool
}

// refused returns the number of posts that could not be imported.
func (r Report) refused() int {
	return r.Found - r.New - r.Changed - r.Unchanged - r.Kept - r.Declined
}

// Check returns an error if nothing was imported, or less than half of the posts in the export. Posts that exist here
// already count as imported, and so do those that the author has changed or deleted here.
func (r Report) Check() error {
	const advice = "see the reasons above"
	imported := r.Found - r.refused()
	switch {
	case r.Found+r.AllComments+r.AllPictures == 0:
		why := []string{"the export has no posts"}
		for _, p := range r.Problems {
			if p.Where == "" {
				why = append(why, p.Text)
			}
		}
		return fmt.Errorf("nothing was imported: %s; name the folder or file that has the whole blog",
			strings.Join(why[:min(len(why), 4)], "; "))
	case r.Found > 0 && imported == 0:
		return fmt.Errorf("nothing was imported: none of the %s in the export could be imported; %s",
			plaintext.Count(r.Found, "post", "posts"), advice)
	case imported < r.Found-imported:
		return fmt.Errorf("only %s of the %s in the export were imported; %s",
			plaintext.Grouped(imported), plaintext.Count(r.Found, "post", "posts"), advice)
	}
	return nil
}

// WriteSummary writes the numbers of the report as a table.
func (r Report) WriteSummary(w io.Writer, dryRun bool) error {
	imported := "imported"
	if dryRun {
		imported = "would be imported"
	}
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', tabwriter.AlignRight)
	for _, row := range []struct {
		n         int
		one, many string
	}{
		{r.Found, "post found", "posts found"},
		{r.New, imported, imported},
		{r.New - r.Drafts - r.Scheduled - r.Unlisted, "  as a post", "  as posts"},
		{r.Drafts, "  as a draft", "  as drafts"},
		{r.Scheduled, "  as a scheduled post", "  as scheduled posts"},
		{r.Unlisted, "  as an unlisted post", "  as unlisted posts"},
		{r.Changed, "changed", "changed"},
		{r.Unchanged, "unchanged", "unchanged"},
		{r.Kept, "left as changed here", "left as changed here"},
		{r.Found - r.New - r.Changed - r.Unchanged - r.Kept, "not imported", "not imported"},
		{r.Pictures, "new picture", "new pictures"},
		{r.Redirects, "new redirect", "new redirects"},
		{r.Comments, "new comment", "new comments"},
	} {
		number, what, _ := strings.Cut(plaintext.Count(row.n, row.one, row.many), " ")
		fmt.Fprintf(t, "%s\t %s\n", number, what)
	}
	return t.Flush()
}

// WriteProblems writes one line for each kind of problem.
func (r Report) WriteProblems(w io.Writer) error {
	for _, g := range portable.GroupProblems(r.Problems) {
		if _, err := fmt.Fprintf(w, "- %s\n", g); err != nil {
			return err
		}
	}
	return nil
}

// WriteAllProblems writes one line for each problem.
func (r Report) WriteAllProblems(w io.Writer) error {
	for _, p := range r.Problems {
		if _, err := fmt.Fprintf(w, "- %s\n", p); err != nil {
			return err
		}
	}
	return nil
}

// leave reports why a post is not imported.
func (r *run) leave(n int, format string, args ...any) {
	r.addProblem(n, format, args...)
	r.count(&r.report.Left)
}

// decline reports that a post is not imported because its author has changed or deleted it here.
func (r *run) decline(n int, format string, args ...any) {
	r.leave(n, format, args...)
	r.count(&r.report.Declined)
}

// addBlogProblem reports a problem of the export as a whole.
func (r *run) addBlogProblem(format string, args ...any) {
	r.report.Problems = append(r.report.Problems, portable.NewProblem("", format, args...))
}

// countNew counts a created post by its status.
func (r *run) countNew(n int) {
	r.count(&r.report.New)
	switch {
	case r.lacking[n] > 0:
		r.count(&r.report.Lacking)
	case r.blog.Posts[n].Held:
		r.count(&r.report.Held)
	}
	switch r.blog.Posts[n].Status {
	case portable.Draft, portable.Unpublished:
		r.count(&r.report.Drafts)
	case portable.Scheduled:
		r.count(&r.report.Scheduled)
	case portable.Unlisted:
		r.count(&r.report.Unlisted)
	}
}
