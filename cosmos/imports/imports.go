package imports

import (
	"context"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Operations that several methods carry out.
var (
	recordingImport     = client.WritesOnly("import-record", 0)
	keepingJob          = client.Writes("import-job")
	redirecting         = client.Writes("put-redirect")
	requestingAddresses = client.Writes("address-requests")
)

// Imports stores a record of each imported post in its user's partition of users. With the record, a repeated
// import knows whether the post was changed here since. The record also lists the former addresses of the post, so
// they can be found by the user.
type Imports struct {
	c         *client.Container // users
	redirects *Redirects
}

// NewImports returns the records of imports of a database.
func NewImports(db *client.Database, redirects *Redirects) *Imports {
	return &Imports{c: db.Container(schema.UsersContainer), redirects: redirects}
}

type importItem struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	UserID   string   `json:"userId"`
	PostID   string   `json:"postId"`
	Digest   string   `json:"digest"`
	Previous string   `json:"former,omitempty"`
	Done     bool     `json:"done"`
	Paths    []string `json:"paths"`
	// Publish is set for a draft that publishes itself.
	Publish *schema.Instant `json:"publishDate,omitempty"`
	// The fields below are set by imports in the browser only.
	Job       string `json:"job,omitempty"`
	ChangedBy string `json:"changedBy,omitempty"`
	Before    string `json:"before,omitempty"`
	// BeforePublish is set if the draft was scheduled before ChangedBy changed it.
	BeforePublish *schema.Instant `json:"beforePublishDate,omitempty"`
}

func importItemOf(i domain.Import) importItem {
	paths := i.Paths
	if paths == nil {
		paths = []string{}
	}
	return importItem{
		ID:        schema.ImportID(i.PostID),
		Type:      schema.TypeImport,
		UserID:    i.UserID,
		PostID:    i.PostID,
		Digest:    i.Digest,
		Previous:  i.Previous,
		Done:      i.Done,
		Paths:     paths,
		Publish:   schema.Optional(i.Publish),
		Job:       i.Job,
		ChangedBy: i.ChangedBy,
		Before:    i.Before,

		BeforePublish: schema.Optional(i.BeforePublish),
	}
}

func (i importItem) domain() domain.Import {
	return domain.Import{
		UserID:    i.UserID,
		PostID:    i.PostID,
		Digest:    i.Digest,
		Previous:  i.Previous,
		Done:      i.Done,
		Paths:     i.Paths,
		Publish:   i.Publish.Time(),
		Job:       i.Job,
		ChangedBy: i.ChangedBy,
		Before:    i.Before,

		BeforePublish: i.BeforePublish.Time(),
	}
}

// Get reads the record of a post with one point read. It returns NotFound if the user did not import the post.
func (s *Imports) Get(ctx context.Context, userID, postID string) (domain.Import, error) {
	item, err := client.Read[importItem](recordingImport.In(ctx), s.c, userID, schema.ImportID(postID))
	return item.domain(), client.Translate(err)
}

// Put writes a record, and replaces an existing one.
func (s *Imports) Put(ctx context.Context, i domain.Import) error {
	if !domain.IsOwnerID(i.UserID) || !domain.IsTextID(i.PostID) {
		return schema.ErrNoPost()
	}
	return client.Translate(s.c.Upsert(recordingImport.In(ctx), i.UserID, importItemOf(i)))
}

// Of lists the records of a user from the user's partition.
func (s *Imports) Of(ctx context.Context, userID string) ([]domain.Import, error) {
	items, err := client.Query[importItem](client.Reads("import-records").In(ctx), s.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'import'`, client.Parameters{"user": userID})
	records := client.Convert(items, importItem.domain)
	return records, client.Translate(err)
}

// Erase deletes the records of a user, and what the imports asked for. It deletes the redirects of a record before the
// record.
func (s *Imports) Erase(ctx context.Context, userID string) error {
	for more := true; more; {
		var err error
		if more, err = s.EraseSome(ctx, userID); err != nil {
			return err
		}
	}
	return nil
}

// erasedInStep is the maximum number of redirects and records in one step.
const erasedInStep = 1000

// EraseSome takes one bounded step of Erase and reports whether there is more to do. A record whose redirects take
// several steps names those that are left.
func (s *Imports) EraseSome(ctx context.Context, userID string) (more bool, err error) {
	err = s.redirects.requests.Delete(ctx, schema.AddressQueue, userID) // so that none is approved meanwhile
	if err != nil && !client.Missing(err) {
		return false, err
	}
	records, err := s.Of(ctx, userID)
	if err != nil {
		return false, err
	}
	left := erasedInStep
	for _, record := range records {
		if left <= 0 {
			return true, nil
		}
		part := min(left, len(record.Paths))
		for _, path := range record.Paths[:part] {
			if err := s.redirects.erase(ctx, path, userID); err != nil {
				return false, err
			}
		}
		if record.Paths = record.Paths[part:]; len(record.Paths) > 0 {
			return true, s.Put(ctx, record)
		}
		if err := s.c.Delete(ctx, userID, schema.ImportID(record.PostID)); err != nil && !client.Missing(err) {
			return false, err
		}
		left -= part + 1
	}
	return false, nil
}
