package search

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"inkfeed/domain"
)

const (
	// maxFound is the number of matches that are counted and can be paged through, the newest first.
	maxFound = 10_000
	// maxRanked is the maximum number of matches that are ranked, because ranking takes longer than finding. A query
	// that matches more posts says little about each of them.
	maxRanked = 3000
)

// Search finds listed posts and published static pages, the best first. A match in a title counts most, and so do terms
// that are rare in other posts and frequent in this one. Of equal posts the newer comes first. If more than maxRanked
// posts match, those with matches in their titles come first, and then the newest. A page beyond the last is empty.
// Search fails only if the index cannot be read.
func (x *Index) Search(ctx context.Context, text string, page int) (domain.Found, error) {
	q := parse(text)
	found := domain.Found{Posts: domain.Page[domain.Hit]{Number: page}, Empty: len(q.all) == 0}
	err := x.read(ctx, func(db *sql.DB) error {
		// In one transaction, so that the posts found are still there when they are read.
		tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if err := tx.QueryRowContext(ctx,
			`SELECT NOT coalesce(min(complete), 0) FROM marks`).Scan(&found.Building); err != nil || found.Empty {
			return err
		}
		docs, err := ranked(ctx, tx, q)
		if err != nil {
			return err
		}
		found.Total, found.More = min(len(docs), maxFound), len(docs) > maxFound
		docs = docs[:found.Total]
		from := min((page-1)*domain.SearchPerPage, len(docs))
		end := min(from+domain.SearchPerPage, len(docs))
		found.Posts.More = end < len(docs)
		for _, doc := range docs[from:end] {
			hit, err := hitOf(ctx, tx, q, doc)
			if err != nil {
				return err
			}
			found.Posts.Items = append(found.Posts.Items, hit)
		}
		return nil
	})
	return found, err
}

// ranked returns the matches in their order, up to one more than maxFound.
func ranked(ctx context.Context, tx *sql.Tx, q query) ([]int64, error) {
	docs, err := newest(ctx, tx, q)
	if err != nil {
		return nil, err
	}
	if len(docs) <= maxRanked {
		return best(ctx, tx, q.expression())
	}
	titled, err := best(ctx, tx, q.inTitles())
	if err != nil {
		return nil, err
	}
	first := make(map[int64]bool, len(titled))
	for _, doc := range titled {
		first[doc] = true
	}
	docs = slices.DeleteFunc(docs, func(doc int64) bool { return first[doc] })
	docs = append(titled, docs...)
	return docs[:min(len(docs), maxFound+1)], nil
}

// newest returns the matches, the newest first, up to one more than maxFound.
func newest(ctx context.Context, tx *sql.Tx, q query) ([]int64, error) {
	rows, err := tx.QueryContext(ctx, `SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?`,
		q.expression(), maxFound+1)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var docs []int64
	for rows.Next() {
		var doc int64
		if err := rows.Scan(&doc); err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, rows.Err()
}

// best ranks the newest maxRanked matches of an expression and returns them, the best first.
func best(ctx context.Context, tx *sql.Tx, expression string) ([]int64, error) {
	rows, err := tx.QueryContext(ctx,
		`SELECT rowid, bm25(words, `+weights+`) FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?`,
		expression, maxRanked)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	type scored struct {
		doc   int64
		score float64 // the lower, the better
	}
	var all []scored
	for rows.Next() {
		var s scored
		if err := rows.Scan(&s.doc, &s.score); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.score, b.score),
			cmp.Compare(b.doc, a.doc))
	})
	docs := make([]int64, len(all))
	for i, s := range all {
		docs[i] = s.doc
	}
	return docs, nil
}

// hitOf reads a post from the index and marks the matches of the query.
func hitOf(ctx context.Context, tx *sql.Tx, q query, doc int64) (domain.Hit, error) {
	var hit domain.Hit
	var tags, cover, text string
	var created, edited int64
	err := tx.QueryRowContext(ctx,
		`SELECT id, version, author_id, author, called, avatar, title, slug, tags, created, edited, comments, likes,
			words, ideographs, cover, cover_alt, language, text
		FROM posts JOIN texts USING (doc) WHERE doc = ?`, doc).
		Scan(&hit.PostID, &hit.Version, &hit.AuthorID, &hit.AuthorName, &hit.AuthorDisplayName,
			&hit.AuthorAvatar, &hit.Title, &hit.Slug, &tags, &created, &edited, &hit.CommentCount, &hit.LikeCount,
			&hit.Length.Words, &hit.Length.Ideographs, &cover, &hit.Cover.Alt,
			&hit.Details.Language, &text)
	if err != nil {
		return hit, err
	}
	hit.Tags, hit.Created, hit.Edited = domain.Tags(tags), fromMillis(created), fromMillis(edited)
	hit.Cover.Image, _ = domain.ParseImageName(cover)
	hit.Headline, hit.Extract = q.headline(hit.Title), q.extract(strings.TrimSpace(text))
	return hit, nil
}
