package importing

import (
	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
)

// Limits of a report, which is stored with the job.
const (
	maxNotes    = 50
	maxNoteText = 300
	maxExample  = 120
)

// Result returns the part of the report that is stored. Format is that of the export.
func (report Report) Result(format string) domain.ImportResult {
	r := domain.ImportResult{Format: format, Found: report.Found, New: report.New, Drafts: report.Drafts,
		Scheduled: report.Scheduled, Unlisted: report.Unlisted, Changed: report.Changed, Unchanged: report.Unchanged,
		Kept: report.Kept, Pictures: report.Pictures, Redirects: report.Redirects, Requested: report.Requested,
		Comments: report.Comments, Shown: report.Shown, Missing: report.Missing}
	r.Left = max(0, r.Found-r.New-r.Changed-r.Unchanged-r.Kept)
	groups := portable.GroupProblems(report.Problems)
	r.MoreNotes = max(0, len(groups)-maxNotes)
	for _, g := range groups[:len(groups)-r.MoreNotes] {
		r.Notes = append(r.Notes, noteOf(g))
	}
	return r
}

func noteOf(g portable.ProblemGroup) domain.ImportNote {
	text, message := g.Kind, g.Examples[0].KindMessage
	if g.Count == 1 {
		text, message = g.Examples[0].Text, g.Examples[0].Message
	}
	if plaintext.Characters(text) > maxNoteText { // it is shown in English
		message = locale.Verbatim(plaintext.Truncate(text, maxNoteText))
	}
	note := domain.ImportNote{Text: message.Stored(), Count: g.Count}
	for _, p := range g.Examples {
		example := p.Where
		if g.Count > 1 && p.Particulars != "" {
			if example != "" {
				example += ": "
			}
			example += p.Particulars
		}
		if example != "" {
			note.Examples = append(note.Examples, plaintext.Truncate(example, maxExample))
		}
	}
	return note
}
