package settings

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
)

// ImportPage is the model of Import and ImportUndo.
type ImportPage struct {
	views.LayoutData
	Job domain.ImportJob // only its user is set before the first import
	views.FormErrors
	Now time.Time
	// PicturePolicy is the one that the preview follows for posts with missing pictures: "publish" or "draft".
	PicturePolicy string
}

// ImportTitle is the title of the page for a state of the job.
func ImportTitle(s domain.ImportState) locale.Message {
	switch s {
	case domain.ImportReading:
		return locale.M("Reading your file")
	case domain.ImportReady:
		return locale.M("Preview of your import")
	case domain.ImportRunning:
		return locale.M("Importing your blog")
	case domain.ImportDone:
		return locale.M("Import finished")
	case domain.ImportFailed:
		return locale.M("Import interrupted")
	case domain.ImportUndoing:
		return locale.M("Undoing the import")
	case domain.ImportUndone:
		return locale.M("Import undone")
	}
	return locale.M("Import a blog")
}

// rows are the lines of the table whose numbers are not zero; the first is always shown.
func (p ImportPage) rows() []views.ImportRow {
	r := p.Job.Result
	all := []views.ImportRow{
		{Label: locale.M("Posts found"), Number: r.Found},
		{Label: locale.M("New public posts"), Number: r.Published()},
		{Label: locale.M("New unlisted posts"), Number: r.Unlisted},
		{Label: locale.M("New drafts"), Number: r.Drafts},
		{Label: locale.M("New scheduled posts"), Number: r.Scheduled},
		{Label: locale.M("Posts to update"), Number: r.Changed},
		{Label: locale.M("Already imported, unchanged"), Number: r.Unchanged},
		{Label: locale.M("Not updated, because you edited them here"), Number: r.Kept},
		{Label: locale.M("Not imported"), Number: r.Left},
		{Label: locale.M("New pictures"), Number: r.Pictures},
		{Label: locale.M("Old addresses that redirect"), Number: r.Redirects},
		{Label: locale.M("Old addresses for an administrator to approve"), Number: r.Requested},
		{Label: locale.M("New comments"), Number: r.Comments},
	}
	if p.Job.State == domain.ImportDone {
		all[5].Label = locale.M("Posts updated")
	}
	return views.ShownImportRows(all)
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
func (p ImportPage) remaining() locale.Message {
	rate, left := p.rate(), p.Job.Progress.Of-p.Job.Progress.Posts
	if left <= 0 || rate <= 0 && p.Job.Progress.Ends.IsZero() {
		return locale.Message{}
	}
	rest := time.Duration(float64(left)/rate) * time.Second
	if !p.Job.Progress.Ends.IsZero() { // it began faster than it can go on
		rest = max(0, p.Job.Progress.Ends.Sub(p.Now))
	}
	switch {
	case rest < 10*time.Second:
		return locale.M("a few seconds left")
	case rest < 2*time.Minute:
		return locale.M("about {n} seconds left", "n", int(rest/(10*time.Second))*10)
	case rest < 2*time.Hour:
		return locale.M("about {n} minutes left", "n", int((rest+time.Minute-1)/time.Minute))
	default:
		return locale.M("about {n} hours left", "n", int((rest+time.Hour-1)/time.Hour))
	}
}

// progress returns the attributes of the progress bar. It is indeterminate until the number of posts is known.
func (p ImportPage) progress(ctx context.Context) templ.Attributes {
	if p.waiting() || p.Job.Progress.Of == 0 {
		return templ.Attributes{"aria-label": locale.T(ctx, "Working")}
	}
	return templ.Attributes{"aria-label": locale.T(ctx, "Posts done"), "max": strconv.Itoa(p.Job.Progress.Of),
		"value": strconv.Itoa(p.Job.Progress.Posts)}
}

// progressText describes the progress: "40 of 120 posts, 8 a second, about 10 seconds left".
func (p ImportPage) progressText(ctx context.Context) string {
	switch {
	case p.waiting() && p.Job.Progress.Ends.IsZero():
		return locale.T(ctx, "Waiting to start: another import may be running.")
	case p.Job.Progress.Of == 0:
		return locale.T(ctx, "Counting the posts…")
	}
	done := locale.M("{done} of {n} posts", "done", p.Job.Progress.Posts, "n", p.Job.Progress.Of)
	rate, left := int(math.RoundToEven(p.rate())), p.remaining()
	switch {
	case p.rate() <= 0 && p.Job.Progress.Ends.IsZero():
		return done.In(ctx)
	case !p.Job.Progress.Ends.IsZero() && !left.IsZero():
		return locale.T(ctx, "{done}, {left}. Large imports run slowly, so that the site stays fast for everybody.",
			"done", done, "left", left)
	case left.IsZero():
		return locale.T(ctx, "{done}, {rate} a second", "done", done, "rate", rate)
	}
	return locale.T(ctx, "{done}, {rate} a second, {left}", "done", done, "rate", rate, "left", left)
}

// importFields are the fields of the form with which a file is uploaded.
var importFields = []string{"file"}

// policy is an option for posts that the import cannot show as they were.
type policy struct {
	name  string
	label locale.Message
}

// templatePolicies are the options for template code that cannot be translated.
var templatePolicies = []policy{
	{"draft", locale.M("Import the post as a draft")},
	{"keep", locale.M("Keep it as text")},
	{"remove", locale.M("Remove it|template code")},
}

// picturePolicies are the options for public posts with missing pictures.
var picturePolicies = []policy{
	{"publish", locale.M("Publish the posts with placeholders")},
	{"draft", locale.M("Keep the posts as drafts")},
}

// exportHints say what to upload for each system, so that the pictures come along.
var exportHints = []struct {
	systems string
	hint    locale.Message
}{
	{"Ghost", locale.M("A zip with the JSON file and the folder content/images. The JSON file alone has no pictures.")},
	{"WordPress", locale.M("A zip with the XML file and the folder wp-content/uploads. The XML file alone has no " +
		"pictures.")},
	{"Hugo, Jekyll, Hexo, Eleventy, Astro, Zola, Pelican, Markdown", locale.M("A zip of the whole folder, with the " +
		"folder of the pictures, such as static or assets.")},
	{"Obsidian, Logseq, Notion", locale.M("A zip of all notes with their attachments.")},
	{"Blogger", locale.M("The zip of Google Takeout. The XML file alone has no pictures.")},
	{"Tumblr, Inkfeed", locale.M("The zip as you get it. It has the pictures.")},
	{"Medium, Substack, WriteFreely", locale.M("The file as you get it. It has no pictures: posts link to them at " +
		"their old place.")},
}
