package search

import (
	"context"
	"database/sql"
	"strings"

	"inkfeed/domain"
)

// Tags lists at most limit tags of listed posts whose keys begin with the key of prefix, the most used first. An empty
// prefix matches every tag.
func (x *Index) Tags(ctx context.Context, prefix string, limit int) ([]domain.TagUse, error) {
	key := domain.TagKey(strings.TrimLeft(prefix, "# "))
	return x.tagUses(ctx, `WHERE key >= ? AND key < ? GROUP BY key ORDER BY uses DESC, key LIMIT ?`,
		key, key+"\U0010ffff", limit)
}

// TagsByName lists a page of the tags of listed posts, by their keys. The first page is 1.
func (x *Index) TagsByName(ctx context.Context, page int) (domain.ListPage[domain.TagUse], error) {
	const size = domain.TagsPerPage
	uses, err := x.tagUses(ctx, `GROUP BY key ORDER BY key LIMIT ? OFFSET ?`, size+1, (page-1)*size)
	return domain.Cut(uses, page, size), err
}

// tagUses reads tags with the rest of a query and its arguments.
func (x *Index) tagUses(ctx context.Context, rest string, arguments ...any) ([]domain.TagUse, error) {
	var uses []domain.TagUse
	err := x.read(ctx, func(db *sql.DB) error {
		uses = nil
		// If a tag is spelt in several ways, max(posts) makes SQLite return the most frequent spelling.
		rows, err := db.QueryContext(ctx, `SELECT name, max(posts), sum(posts) AS uses FROM tags `+rest, arguments...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var use domain.TagUse
			var most int
			if err := rows.Scan(&use.Name, &most, &use.Posts); err != nil {
				return err
			}
			uses = append(uses, use)
		}
		return rows.Err()
	})
	return uses, err
}

// indexedTags returns the terms of tags: each as a whole, and its words.
func indexedTags(tags domain.Tags) string {
	var terms []string
	for _, name := range tags.List() {
		terms = append(terms, tagTerm(domain.TagKey(name)), indexed(name))
	}
	return strings.Join(terms, " ")
}
