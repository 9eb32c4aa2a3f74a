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
	Bytes    int64  // while the file arrives, its declared size
	// Network is a digest of the network that the upload came from; empty: none that is limited.
	Network  string
	Created  time.Time
	Changed  time.Time // when the state last changed
	Finished time.Time // when everything was imported, or the user stopped it; zero: not yet
	// Templates is the rule for template code that the import does not know.
	Templates string
	// MissingPictures is the rule for public posts with pictures that the upload lacks. Empty: the proposed one.
	MissingPictures string
	// Undone is the number of the user's imports that were undone. The ids of imported posts depend on it.
	Undone int

	// Owner is the instance that works on the job. Renewed is the time of its last renewal.
	Owner   string
	Renewed time.Time
	// Attempts counts those in this state. An attempt counts before it begins. It does not count if the instance
	// stopped or lost the job, except while it was reading the upload.
	Attempts int

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
	Requested int // former addresses that wait for an administrator's approval
	Comments  int
	Shown     int          // pictures of the old blog that its posts show
	Missing   int          // those of them that the upload lacks
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

// ImportEntry tells instances to look at a user's ImportJob. Bytes, Network and State are those of the job when the
// entry was written.
type ImportEntry struct {
	UserID  string
	Created time.Time
	Bytes   int64
	Network string
	State   ImportState
	ETag    string
}

// AddressRequests are the former addresses that a user's imports ask administrators for. They redirect nowhere yet,
// and do not keep others from asking for the same addresses.
type AddressRequests struct {
	UserID    string
	Since     time.Time  // when the user's imports first asked for an address or claimed one
	Count     int        // number of Addresses
	Examples  []string   // the first Addresses
	Addresses []Redirect // absent in lists
	ETag      string     // empty if nothing is stored
}

// RequestsPerPage is the number of users on a page of requests.
const RequestsPerPage = 20

// Limits of AddressRequests, which are one item.
const (
	maxRequestBytes = 1 << 20
	maxExamples     = 5
)

// Add adds addresses that are not asked for yet. It returns the number of those for which there is no room.
func (a *AddressRequests) Add(list []Redirect) (left int) {
	at, size := make(map[string]int), 0
	for i, r := range a.Addresses {
		at[r.Path] = i
		size += requestSize(r)
	}
	for _, r := range list {
		i, there := at[r.Path]
		switch {
		case there:
			a.Addresses[i] = r
		case size+requestSize(r) > maxRequestBytes:
			left++
		default:
			size += requestSize(r)
			at[r.Path] = len(a.Addresses)
			a.Addresses = append(a.Addresses, r)
		}
	}
	a.count()
	return left
}

// requestSize is about the size of a request in its item, in bytes.
func requestSize(r Redirect) int { return len(r.Path) + len(r.To) + len(r.PostID) + 40 }

// Remove removes the addresses for which done returns true.
func (a *AddressRequests) Remove(done func(Redirect) bool) {
	a.Addresses = slices.DeleteFunc(slices.Clone(a.Addresses), done)
	a.count()
}

func (a *AddressRequests) count() {
	a.Count, a.Examples = len(a.Addresses), nil
	for _, r := range a.Addresses[:min(len(a.Addresses), maxExamples)] {
		a.Examples = append(a.Examples, r.Path)
	}
}

// Limits of the uploads that a site keeps, and of those that it keeps from one network. A user has one upload.
const (
	maxStoredImports  = 500
	maxStoredBytes    = 50 * MaxImportUpload
	maxNetworkImports = 10
	maxNetworkBytes   = 4 * MaxImportUpload
	// importRoomTime is how long an upload whose user has not decided about it is kept if others need its room.
	importRoomTime = time.Hour
)

// RoomForImport reports whether there is room for the upload of j beside those that are stored. The uploads of
// displaced must be deleted for that: the oldest ones about which their users have not decided for an hour.
func RoomForImport(stored []ImportEntry, j ImportJob, now time.Time) (displaced []ImportEntry, ok bool) {
	others := slices.DeleteFunc(slices.Clone(stored), func(e ImportEntry) bool { return e.UserID == j.UserID })
	slices.SortFunc(others, func(a, b ImportEntry) int { return a.Created.Compare(b.Created) })
	for {
		crowded := func(ImportEntry) bool { return true } // entries of which one must go
		switch {
		case j.Network != "" && !fits(others, j.fromNetwork, j.Bytes, maxNetworkImports, maxNetworkBytes):
			crowded = j.fromNetwork
		case fits(others, crowded, j.Bytes, maxStoredImports, maxStoredBytes):
			return displaced, true
		}
		oldest := slices.IndexFunc(others, func(e ImportEntry) bool {
			return crowded(e) && e.State != ImportRunning && e.State != ImportUndoing &&
				now.Sub(e.Created) > importRoomTime
		})
		if oldest < 0 {
			return nil, false
		}
		displaced = append(displaced, others[oldest])
		others = slices.Delete(others, oldest, oldest+1)
	}
}

func (j ImportJob) fromNetwork(e ImportEntry) bool { return e.Network == j.Network }

// fits reports whether one more upload fits among the entries that count.
func fits(entries []ImportEntry, counts func(ImportEntry) bool, size int64, most int, mostBytes int64) bool {
	for _, e := range entries {
		if counts(e) {
			most--
			size += e.Bytes
		}
	}
	return most > 0 && size <= mostBytes
}
