package imports

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// ImportJobs stores the imports that users make in the browser. Each user has one job, an item in the user's
// partition of users. A new upload replaces it.
//
// The container schedule has an entry for each job, in the partition "importing". Through it an instance finds
// the jobs without a query over all partitions. The entry is written before the job and deleted after the job's
// file, so an interrupted call leaves nothing that has no entry.
type ImportJobs struct {
	users    *client.Container
	schedule *client.Container
	files    fileDeleter
}

// NewImportJobs returns the import jobs of a database.
func NewImportJobs(db *client.Database, files fileDeleter) *ImportJobs {
	return &ImportJobs{users: db.Container(schema.UsersContainer), schedule: db.Container(schema.ScheduleContainer),
		files: files}
}

type importJobItem struct {
	ID        string             `json:"id"`
	Type      string             `json:"type"`
	UserID    string             `json:"userId"`
	Job       string             `json:"job"`
	State     domain.ImportState `json:"state"`
	FileName  string             `json:"fileName"`
	Bytes     int64              `json:"bytes"`
	Network   string             `json:"network,omitempty"`
	Templates string             `json:"templates,omitempty"`
	Missing   string             `json:"missingPictures,omitempty"`
	Created   schema.Instant     `json:"creationDate"`
	Changed   schema.Instant     `json:"changeDate"`
	Finished  *schema.Instant    `json:"finishDate,omitempty"`
	Undone    int                `json:"undone,omitempty"`
	Owner     string             `json:"owner,omitempty"`
	Renewed   *schema.Instant    `json:"renewed,omitempty"`
	Attempts  int                `json:"attempts,omitempty"`
	Budget    *schema.Instant    `json:"budgetDate,omitempty"`
	Progress  importProgressItem `json:"progress"`
	Result    importResultItem   `json:"result"`
	Problem   locale.Stored      `json:"problem,omitempty"`
	ETag      string             `json:"_etag,omitempty"`
}

type importProgressItem struct {
	Posts   int             `json:"posts"`
	Of      int             `json:"of"`
	Started *schema.Instant `json:"startDate,omitempty"`
	Charge  float64         `json:"charge,omitempty"`
	Ends    *schema.Instant `json:"endDate,omitempty"`
}

type importResultItem struct {
	Format    string              `json:"format,omitempty"`
	Found     int                 `json:"found"`
	New       int                 `json:"new"`
	Drafts    int                 `json:"drafts"`
	Scheduled int                 `json:"scheduled"`
	Unlisted  int                 `json:"unlisted"`
	Changed   int                 `json:"changed"`
	Unchanged int                 `json:"unchanged"`
	Kept      int                 `json:"kept"`
	Left      int                 `json:"left"`
	Pictures  int                 `json:"pictures"`
	Redirects int                 `json:"redirects"`
	Requested int                 `json:"requestedAddresses,omitempty"`
	Comments  int                 `json:"comments"`
	Shown     int                 `json:"shownPictures,omitempty"`
	Missing   int                 `json:"missingPictures,omitempty"`
	Notes     []domain.ImportNote `json:"notes,omitempty"`
	MoreNotes int                 `json:"moreNotes,omitempty"`
	KeptPosts []domain.ImportKept `json:"keptPosts,omitempty"`
	MoreKept  int                 `json:"moreKept,omitempty"`
}

func importJobItemOf(j domain.ImportJob) importJobItem {
	return importJobItem{
		ID:        schema.ImportJobID,
		Type:      schema.TypeImportJob,
		UserID:    j.UserID,
		Job:       j.ID,
		State:     j.State,
		FileName:  j.FileName,
		Bytes:     j.Bytes,
		Network:   j.Network,
		Templates: j.Templates,
		Missing:   j.MissingPictures,
		Created:   schema.Instant(j.Created),
		Changed:   schema.Instant(j.Changed),
		Finished:  schema.Optional(j.Finished),
		Undone:    j.Undone,
		Owner:     j.Owner,
		Renewed:   schema.Optional(j.Renewed),
		Attempts:  j.Attempts,
		Budget:    schema.Optional(j.Budget),
		Progress: importProgressItem{j.Progress.Posts, j.Progress.Of, schema.Optional(j.Progress.Started),
			j.Progress.Charge, schema.Optional(j.Progress.Ends)},
		Result:  importResultItem(j.Result),
		Problem: j.Problem,
	}
}

func (i importJobItem) domain() domain.ImportJob {
	return domain.ImportJob{
		ID:              i.Job,
		UserID:          i.UserID,
		State:           i.State,
		FileName:        i.FileName,
		Bytes:           i.Bytes,
		Network:         i.Network,
		Templates:       i.Templates,
		MissingPictures: i.Missing,
		Created:         time.Time(i.Created),
		Changed:         time.Time(i.Changed),
		Finished:        i.Finished.Time(),
		Undone:          i.Undone,
		Owner:           i.Owner,
		Renewed:         i.Renewed.Time(),
		Attempts:        i.Attempts,
		Budget:          i.Budget.Time(),
		Progress: domain.ImportProgress{Posts: i.Progress.Posts, Of: i.Progress.Of,
			Started: i.Progress.Started.Time(), Charge: i.Progress.Charge, Ends: i.Progress.Ends.Time()},
		Result:  domain.ImportResult(i.Result),
		Problem: i.Problem,
		ETag:    i.ETag,
	}
}

type importingItem struct {
	ID      string             `json:"id"`
	Type    string             `json:"type"`
	UserID  string             `json:"userId"`
	Created schema.Instant     `json:"creationDate"`
	Bytes   int64              `json:"bytes,omitempty"`
	Network string             `json:"network,omitempty"`
	State   domain.ImportState `json:"state,omitempty"`
	ETag    string             `json:"_etag,omitempty"`
}

// Get reads a user's job with one point read. It returns NotFound if the user has never had one.
func (s *ImportJobs) Get(ctx context.Context, userID string) (domain.ImportJob, error) {
	if !domain.IsUserID(userID) {
		return domain.ImportJob{}, schema.ErrNoUser()
	}
	item, err := client.Read[importJobItem](keepingJob.In(ctx), s.users, userID, schema.ImportJobID)
	return item.domain(), client.Translate(err)
}

// Put writes a job over the version that its ETag names. With an empty ETag it creates the job. It returns the
// job with its new ETag, or Conflict if another writer has changed the job.
func (s *ImportJobs) Put(ctx context.Context, j domain.ImportJob) (domain.ImportJob, error) {
	ctx = keepingJob.In(ctx)
	if !domain.IsUserID(j.UserID) || !domain.IsID(j.ID) {
		return domain.ImportJob{}, schema.ErrNoUser()
	}
	item, match, key := importJobItemOf(j), azcore.ETag(j.ETag), client.Key(j.UserID)
	body := client.Encode(item)
	resp, err := client.Returning(ctx, func() (azcosmos.ItemResponse, error) {
		if j.ETag == "" {
			return s.users.Client.CreateItem(ctx, key, body, nil)
		}
		return s.users.Client.ReplaceItem(ctx, key, schema.ImportJobID, body,
			&azcosmos.ItemOptions{IfMatchEtag: &match})
	})
	if err == nil {
		j.ETag = string(resp.ETag)
		return j, nil
	}
	if lost := client.StatusOf(err); lost != http.StatusConflict && lost != http.StatusPreconditionFailed {
		return domain.ImportJob{}, client.Translate(err)
	}
	stored, err := client.Read[importJobItem](ctx, s.users, j.UserID, schema.ImportJobID)
	if err != nil {
		return domain.ImportJob{}, client.Translate(err)
	}
	if !sameImportJob(stored, item) { // otherwise it is this call's own earlier attempt
		return domain.ImportJob{}, domain.NewError(domain.Conflict,
			"The import was changed in another tab or on another device.")
	}
	return stored.domain(), nil
}

func sameImportJob(a, b importJobItem) bool {
	a.ETag, b.ETag = "", ""
	return string(client.Encode(a)) == string(client.Encode(b))
}

// PutEntry adds an entry for a job, so that an instance looks at it.
func (s *ImportJobs) PutEntry(ctx context.Context, j domain.ImportJob) error {
	return client.Translate(s.schedule.Upsert(keepingJob.In(ctx), schema.TypeImporting,
		importingItem{ID: j.UserID, Type: schema.TypeImporting, UserID: j.UserID,
			Created: schema.Instant(domain.Timestamp(time.Now())), Bytes: j.Bytes, Network: j.Network, State: j.State}))
}

// Entries lists the users whose jobs have an entry, with one query in one partition.
func (s *ImportJobs) Entries(ctx context.Context) ([]domain.ImportEntry, error) {
	items, err := client.Query[importingItem](client.Reads("import-jobs").In(ctx), s.schedule, schema.TypeImporting,
		`SELECT * FROM c WHERE c.type = 'importing'`, client.Parameters{})
	entries := make([]domain.ImportEntry, len(items))
	for i, item := range items {
		entries[i] = domain.ImportEntry{UserID: item.UserID, Created: time.Time(item.Created), Bytes: item.Bytes,
			Network: item.Network, State: item.State, ETag: item.ETag}
	}
	return entries, client.Translate(err)
}

// DeleteEntry deletes an entry, unless it was written again since it was listed.
func (s *ImportJobs) DeleteEntry(ctx context.Context, e domain.ImportEntry) error {
	err := s.schedule.DeleteVersion(keepingJob.In(ctx), schema.TypeImporting, e.UserID, e.ETag)
	if client.ConditionFailed(err) || client.Missing(err) {
		return nil
	}
	return client.Translate(err)
}

// Erase deletes a user's job and its file when the account is deleted. An instance deletes the entry when it
// looks at it next.
func (s *ImportJobs) Erase(ctx context.Context, userID string) error {
	item, err := client.Read[importJobItem](ctx, s.users, userID, schema.ImportJobID)
	if client.Missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if item.State.HasFile() && s.files != nil {
		if err := s.files.Delete(ctx, domain.ImportFile(item.Job)); err != nil {
			return err
		}
	}
	if err := s.users.Delete(ctx, userID, schema.ImportJobID); err != nil && !client.Missing(err) {
		return err
	}
	return nil
}

// Undone returns how many imports of a user were undone, with one point read.
func (s *Imports) Undone(ctx context.Context, userID string) (int, error) {
	item, err := client.Read[importJobItem](keepingJob.In(ctx), s.c, userID, schema.ImportJobID)
	if client.Missing(err) {
		return 0, nil
	}
	return item.Undone, client.Translate(err)
}

// Delete deletes a record. Before that it deletes the redirects that the record names, if they lead to its post
// or to lists.
func (s *Imports) Delete(ctx context.Context, record domain.Import) error {
	ctx = recordingImport.In(ctx)
	for _, path := range record.Paths {
		to, err := s.redirects.Find(ctx, path)
		if domain.Is(err, domain.NotFound) || err == nil && to.PostID != "" && to.PostID != record.PostID {
			continue
		}
		if err != nil {
			return err
		}
		if err := s.redirects.erase(ctx, path, record.UserID); err != nil {
			return client.Translate(err)
		}
	}
	if err := s.c.Delete(ctx, record.UserID, schema.ImportID(record.PostID)); err != nil && !client.Missing(err) {
		return client.Translate(err)
	}
	return nil
}

// EraseOf deletes everything that an import wrote for a user whose account was deleted during the import.
func (s *Imports) EraseOf(ctx context.Context, userID string) error {
	return client.Translate(s.Erase(client.Erasing.In(ctx), userID))
}

// fileDeleter deletes the file of a job. It ignores a missing file.
type fileDeleter interface {
	Delete(ctx context.Context, name string) error
}
