package imports

import (
	"context"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Imports are records of what users imported, one a post, each in its user's partition
// of users. So an import that is repeated knows whether a post was changed here since,
// and the addresses that lead to a user's posts are found with the user.
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
	}
}

// Get reads the record of a post: one point read. NotFound says that the user did not
// import it.
func (s *Imports) Get(ctx context.Context, userID, postID string) (domain.Import, error) {
	item, err := client.Read[importItem](client.Operation(ctx, "import-record"), s.c, userID, schema.ImportID(postID))
	return item.domain(), client.Translate(err)
}

// Put writes a record, in place of the one there is.
func (s *Imports) Put(ctx context.Context, i domain.Import) error {
	if !domain.IsUserID(i.UserID) || !domain.IsID(i.PostID) {
		return schema.ErrNoPost()
	}
	return client.Translate(s.c.Upsert(client.Operation(ctx, "import-record"), i.UserID, importItemOf(i)))
}

// Of lists the records of a user, from the user's partition.
func (s *Imports) Of(ctx context.Context, userID string) ([]domain.Import, error) {
	items, err := client.Query[importItem](client.Operation(ctx, "import-records"), s.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'import'`, client.Parameters{"user": userID})
	records := make([]domain.Import, len(items))
	for i, item := range items {
		records[i] = item.domain()
	}
	return records, client.Translate(err)
}

// Erase takes the records of a user away, each after the addresses that it names.
func (s *Imports) Erase(ctx context.Context, userID string) error {
	records, err := s.Of(ctx, userID)
	for _, record := range records {
		for _, path := range record.Paths {
			if err == nil {
				err = s.redirects.erase(ctx, path, userID)
			}
		}
		if err == nil {
			if err = s.c.Delete(ctx, userID, schema.ImportID(record.PostID)); client.Missing(err) {
				err = nil
			}
		}
	}
	return err
}
