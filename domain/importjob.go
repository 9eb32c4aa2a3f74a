package domain

import (
	"slices"
	"strings"
	"time"

	"inkfeed/domain/locale"
)

// Limits of importing in the browser.
const (
	// MaxImportUpload is the maximum size of an uploaded export, in bytes.
	MaxImportUpload = 256 << 20
	// MaxImportPosts is the maximum number of posts in an upload.
	MaxImportPosts = 10_000
	// ImportUploadTime is how long an upload is kept if its user does not import it.
	ImportUploadTime = 24 * time.Hour
	// ImportLease is how long an instance may go without renewing its job. After that another instance takes
	// the job over.
	ImportLease = time.Minute
)

// ImportState is the state of an import in the browser.
type ImportState string

const (
	ImportReceiving ImportState = "receiving" // the file is being uploaded
	ImportReading   ImportState = "reading"   // the preview is being made
	ImportReady     ImportState = "ready"     // the preview waits for the user's decision
	ImportRefused   ImportState = "refused"   // the file cannot be imported: Problem says why
	ImportRunning   ImportState = "running"   // the posts are being written
	ImportFailed    ImportState = "failed"    // it stopped in the middle: Problem says why
	ImportDone      ImportState = "done"      // everything was imported, or the user stopped the import
	ImportUndoing   ImportState = "undoing"   // the import is being undone
	ImportUndone    ImportState = "undone"    // the import has been undone
	ImportDiscarded ImportState = "discarded" // by the user
	ImportExpired   ImportState = "expired"   // the upload was deleted after ImportUploadTime
)

// Works reports whether an instance has to work on an import in this state.
func (s ImportState) Works() bool {
	return s == ImportReading || s == ImportRunning || s == ImportUndoing
}

// Received reports whether an import reaches this state only after its upload was completed.
func (s ImportState) Received() bool {
	return s != ImportReceiving && s != ImportDiscarded && s != ImportExpired
}

// HasFile reports whether an import in this state may have an uploaded file that is still needed.
func (s ImportState) HasFile() bool {
	return slices.Contains([]ImportState{ImportReceiving, ImportReading, ImportReady, ImportRunning, ImportFailed}, s)
}

// Undoable reports whether an import in this state may have written something that can be undone.
func (s ImportState) Undoable() bool {
	return s == ImportRunning || s == ImportFailed || s == ImportDone
}

// ImportJob is an import that a user makes in the browser. A user has one at a time.
type ImportJob struct {
	ID       string // new for each upload; the uploaded file has this name
	UserID   string
	State    ImportState
	FileName string // as the browser names the file
	Bytes    int64
	Created  time.Time
	Changed  time.Time // when the state last changed
	Finished time.Time // when everything was imported, or the user stopped it; zero: not yet
	// Templates is the rule for template code that the import does not know.
	Templates string
	// Undone is the number of the user's imports that were undone. The ids of imported posts depend on it.
	Undone int

	// Owner is the instance that works on the job. Renewed is the time of its last renewal.
	Owner    string
	Renewed  time.Time
	Attempts int // in this state, except those that ended because the instance stopped or lost the job

	// Budget is when the user's budget for work in the background is full again: see throttle.Pace.
	Budget time.Time

	Progress ImportProgress
	Result   ImportResult
	Problem  locale.Stored // why the job was refused or has failed
	ETag     string
}

// Change moves a job to another state in which no instance has worked on it yet. An instance that works on it
// stops when it next renews the job.
func (j ImportJob) Change(to ImportState, now time.Time) ImportJob {
	j.State, j.Changed, j.Attempts, j.Problem, j.Progress = to, Timestamp(now), 0, "", ImportProgress{}
	return j
}

// Held reports whether an instance has a valid lease on the job.
func (j ImportJob) Held(now time.Time) bool {
	return j.Owner != "" && now.Sub(j.Renewed) < ImportLease
}

// ImportProgress is how much of a job's work is done.
type ImportProgress struct {
	Posts int // done
	Of    int // 0: not known yet
	// Started is the time when this work began. The remaining time is estimated from it.
	Started time.Time
	// Charge is what the work has cost so far, in request units. Ends is when the pace of imports lets the work end, or
	// zero if it does not slow it down.
	Charge float64
	Ends   time.Time
}

// ImportResult is the outcome of an import or, for a preview, the expected outcome.
type ImportResult struct {
	Format string // of the export, such as "Hugo"
	Found  int    // posts that the export has
	// New counts created posts and drafts. Drafts, Scheduled and Unlisted are parts of it.
	New, Drafts, Scheduled, Unlisted int

	Changed   int // posts here that the import changes
	Unchanged int
	Kept      int // changed here since they were imported, and left as they are
	Left      int // not imported
	Pictures  int // that are new here
	Redirects int // former addresses that begin to lead here
	Comments  int
	Notes     []ImportNote // what was left out or changed
	MoreNotes int          // the number of kinds beyond those in Notes

	// KeptPosts are the posts that stay when the import is undone, because of changes
	// or comments here.
	KeptPosts []ImportKept
	MoreKept  int
}

// Published is the number of new posts that readers find in lists.
func (r ImportResult) Published() int { return r.New - r.Drafts - r.Scheduled - r.Unlisted }

// ImportNote is one kind of thing that an import could not keep, or changed.
type ImportNote struct {
	Text     locale.Stored `json:"text"`
	Count    int           `json:"count"`
	Examples []string      `json:"examples,omitempty"`
}

// ImportKept is a post that stayed when its import was undone.
type ImportKept struct {
	PostID string        `json:"postId"`
	Title  string        `json:"title"`
	Why    locale.Stored `json:"why"`
	Draft  bool          `json:"draft,omitempty"`
}

// importSuffix ends the name of an uploaded export. No picture has this ending, so exports are never served.
const importSuffix = ".import"

// ImportFile returns the name of the file that was uploaded for a job.
func ImportFile(jobID string) string { return jobID + importSuffix }

// IsImportFile reports whether a name is a result of ImportFile.
func IsImportFile(name string) bool {
	id, ok := strings.CutSuffix(name, importSuffix)
	return ok && IsID(id)
}

// ImportEntry tells instances to look at a user's ImportJob.
type ImportEntry struct {
	UserID  string
	Created time.Time
	ETag    string
}
