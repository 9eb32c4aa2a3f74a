package cosmos

import (
	"context"

	"inkfeed/domain"
)

// Imports are records of what users imported, one a post, each in its user's partition
// of users. So an import that is repeated knows whether a post was changed here since,
// and the addresses that lead to a user's posts are found with the user.
type Imports struct {
	c         *container // users
	redirects *Redirects
}

// newImports returns the records of imports of a database.
func newImports(db *Database, redirects *Redirects) *Imports {
	return &Imports{c: db.Container(usersContainer), redirects: redirects}
}

type importItem struct {
	ID     string   `json:"id"`
	Type   string   `json:"type"`
	UserID string   `json:"userId"`
	PostID string   `json:"postId"`
	Digest string   `json:"digest"`
	Former string   `json:"former,omitempty"`
	Done   bool     `json:"done"`
	Paths  []string `json:"paths"`
	// Publish is set for a draft that publishes itself.
	Publish *instant `json:"publishDate,omitempty"`
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
	return importItem{ID: importID(i.PostID), Type: typeImport, UserID: i.UserID, PostID: i.PostID,
		Digest: i.Digest, Former: i.Former, Done: i.Done, Paths: paths, Publish: optional(i.Publish),
		Job: i.Job, ChangedBy: i.ChangedBy, Before: i.Before}
}

func (i importItem) domain() domain.Import {
	return domain.Import{UserID: i.UserID, PostID: i.PostID, Digest: i.Digest, Former: i.Former, Done: i.Done, Paths: i.Paths, Publish: i.Publish.time(),
		Job: i.Job, ChangedBy: i.ChangedBy, Before: i.Before}
}

// Get reads the record of a post: one point read. NotFound says that the user did not
// import it.
func (s *Imports) Get(ctx context.Context, userID, postID string) (domain.Import, error) {
	item, err := read[importItem](operation(ctx, "import-record"), s.c, userID, importID(postID))
	return item.domain(), translate(err)
}

// Put writes a record, in place of the one there is.
func (s *Imports) Put(ctx context.Context, i domain.Import) error {
	if !domain.IsUserID(i.UserID) || !domain.IsID(i.PostID) {
		return errNoPost()
	}
	return translate(s.c.upsert(operation(ctx, "import-record"), i.UserID, importItemOf(i)))
}

// Of lists the records of a user, from the user's partition.
func (s *Imports) Of(ctx context.Context, userID string) ([]domain.Import, error) {
	items, err := query[importItem](operation(ctx, "import-records"), s.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'import'`, parameters{"user": userID})
	records := make([]domain.Import, len(items))
	for i, item := range items {
		records[i] = item.domain()
	}
	return records, translate(err)
}

// erase takes the records of a user away, each after the addresses that it names.
func (s *Imports) erase(ctx context.Context, userID string) error {
	records, err := s.Of(ctx, userID)
	for _, record := range records {
		for _, path := range record.Paths {
			if err == nil {
				err = s.redirects.erase(ctx, path, userID)
			}
		}
		if err == nil {
			if err = s.c.delete(ctx, userID, importID(record.PostID)); missing(err) {
				err = nil
			}
		}
	}
	return err
}
