package settings

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	"inkfeed/views"
)

// ImportPage is the model of Import and ImportUndo.
type ImportPage struct {
	views.Page
	Job domain.ImportJob // only its user is set before the first import
	views.FormErrors
	Now time.Time
}

// ImportTitle is the title of the page for a state of the job.
func ImportTitle(s domain.ImportState) string {
	switch s {
	case domain.ImportReading:
		return "Reading your file"
	case domain.ImportReady:
		return "Preview of your import"
	case domain.ImportRunning:
		return "Importing your blog"
	case domain.ImportDone:
		return "Import finished"
	case domain.ImportFailed:
		return "Import interrupted"
	case domain.ImportUndoing:
		return "Undoing the import"
	case domain.ImportUndone:
		return "Import undone"
	}
	return "Import a blog"
}

// row is a line of the table in a preview or result.
type row struct {
	label  string
	number int
}

// rows are the lines of the table whose numbers are not zero; the first is always shown.
func (p ImportPage) rows() []row {
	r := p.Job.Result
	all := []row{
		{"Posts found", r.Found},
		{"New public posts", r.Published()}, {"New unlisted posts", r.Unlisted},
		{"New drafts", r.Drafts}, {"New scheduled posts", r.Scheduled},
		{"Posts to update", r.Changed}, {"Already imported, unchanged", r.Unchanged},
		{"Not updated, because you edited them here", r.Kept}, {"Not imported", r.Left},
		{"New pictures", r.Pictures}, {"Old addresses that redirect", r.Redirects}, {"New comments", r.Comments},
	}
	if p.Job.State == domain.ImportDone {
		all[5].label = "Posts updated"
	}
	shown := all[:1]
	for _, each := range all[1:] {
		if each.number > 0 {
			shown = append(shown, each)
		}
	}
	return shown
}

// writes reports whether an import would write anything.
func (p ImportPage) writes() bool {
	r := p.Job.Result
	return r.New+r.Changed+r.Pictures+r.Redirects+r.Comments > 0
}

// waiting reports whether no instance has begun to work on the job.
func (p ImportPage) waiting() bool { return p.Job.Owner == "" }

// rate is the number of posts per second; 0 if it is too early to tell.
func (p ImportPage) rate() float64 {
	passed := p.Now.Sub(p.Job.Progress.Started).Seconds()
	if p.Job.Progress.Started.IsZero() || passed < 1 {
		return 0
	}
	return float64(p.Job.Progress.Posts) / passed
}

// remaining estimates the remaining time; empty if it is not known yet.
func (p ImportPage) remaining() string {
	rate, left := p.rate(), p.Job.Progress.Of-p.Job.Progress.Posts
	if rate <= 0 || left <= 0 {
		return ""
	}
	switch rest := time.Duration(float64(left)/rate) * time.Second; {
	case rest < 10*time.Second:
		return "a few seconds left"
	case rest < 2*time.Minute:
		return "about " + plaintext.Count(int(rest/(10*time.Second))*10, "second", "seconds") + " left"
	default:
		return "about " + plaintext.Count(int((rest+time.Minute-1)/time.Minute), "minute", "minutes") + " left"
	}
}

// progress returns the attributes of the progress bar. It is indeterminate until the number of posts is known.
func (p ImportPage) progress() templ.Attributes {
	if p.waiting() || p.Job.Progress.Of == 0 {
		return templ.Attributes{"aria-label": "Working"}
	}
	return templ.Attributes{"aria-label": "Posts done", "max": strconv.Itoa(p.Job.Progress.Of),
		"value": strconv.Itoa(p.Job.Progress.Posts)}
}

// progressText describes the progress: "40 of 120 posts, 8 a second, about 10 seconds left".
func (p ImportPage) progressText() string {
	switch {
	case p.waiting():
		return "Waiting to start: another import may be running."
	case p.Job.Progress.Of == 0:
		return "Counting the posts…"
	}
	text := plaintext.Grouped(p.Job.Progress.Posts) + " of " + plaintext.Count(p.Job.Progress.Of, "post", "posts")
	if rate := p.rate(); rate > 0 {
		text += ", " + strconv.FormatFloat(rate, 'f', 0, 64) + " a second"
	}
	if left := p.remaining(); left != "" {
		text += ", " + left
	}
	return text
}

// openNotes is the number of notes that a page shows without expanding the list.
const openNotes = 8

func (p ImportPage) notes() []domain.ImportNote {
	return p.Job.Result.Notes[:min(openNotes, len(p.Job.Result.Notes))]
}

func (p ImportPage) moreNotes() []domain.ImportNote { return p.Job.Result.Notes[len(p.notes()):] }

// sentence starts a text with a capital letter and ends it with a full stop.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}

// importFields are the fields of the form with which a file is uploaded.
var importFields = []string{"file"}

// templatePolicy is an option for template code that cannot be translated.
type templatePolicy struct{ name, label string }

var templatePolicies = []templatePolicy{
	{"draft", "Import the post as a draft"},
	{"keep", "Keep it as text"},
	{"remove", "Remove it"},
}
