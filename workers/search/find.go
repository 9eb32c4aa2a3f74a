package search

import (
	"context"
	"database/sql"
	"strings"

	"inkfeed/domain"
)

// maxFound is the number of matches that are counted and ranked and that can be paged through. A query that matches
// more posts says little about each of them, and counting and ranking all would hold up the first results.
const maxFound = 1000

// Search finds listed posts and published static pages, the best first. A match in a title counts most, and so do
// terms that are rare in other posts and frequent in this one. Of equal posts the newer comes first. If more than
// maxFound posts match, those with every word in their titles come first, and then the others, the newest first. A page
// beyond the last is empty. Search fails only if the index cannot be read.
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
		matches, err := count(ctx, tx, q.expression(), maxFound+1)
		if err != nil {
			return err
		}
		found.Total, found.More = min(matches, maxFound), matches > maxFound
		from := min((page-1)*domain.SearchPerPage, found.Total)
		end := min(from+domain.SearchPerPage, found.Total)
		found.Posts.More = end < found.Total
		var docs []int64
		if found.More {
			docs, err = titledFirst(ctx, tx, q, from, end)
		} else {
			docs, err = best(ctx, tx, q.expression(), from, end)
		}
		if err != nil {
			return err
		}
		for _, doc := range docs {
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

// count returns the number of matches of an expression, or the limit if there are more.
func count(ctx context.Context, tx *sql.Tx, expression string, limit int) (n int, err error) {
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)`,
		expression, limit).Scan(&n)
	return n, err
}

// titledFirst returns the matches at the places from to end, if those with every word in their titles come before the
// others, and the newest first among both.
func titledFirst(ctx context.Context, tx *sql.Tx, q query, from, end int) ([]int64, error) {
	docs, err := newest(ctx, tx, q.inTitles(), from, end)
	if err != nil || len(docs) == end-from {
		return docs, err
	}
	titled := from + len(docs)
	if len(docs) == 0 && from > 0 { // perhaps there are fewer
		if titled, err = count(ctx, tx, q.inTitles(), from); err != nil {
			return nil, err
		}
	}
	others, err := newest(ctx, tx, "("+q.expression()+") NOT ("+q.inTitles()+")", max(from-titled, 0), end-titled)
	return append(docs, others...), err
}

// newest returns the matches of an expression at the places from to end, the newest first.
func newest(ctx context.Context, tx *sql.Tx, expression string, from, end int) ([]int64, error) {
	return documents(ctx, tx, `SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ? OFFSET ?`,
		expression, end-from, from)
}

// best returns the matches of an expression at the places from to end, the best first.
func best(ctx context.Context, tx *sql.Tx, expression string, from, end int) ([]int64, error) {
	return documents(ctx, tx, `SELECT rowid FROM words WHERE words MATCH ?
		ORDER BY bm25(words, `+weights+`), rowid DESC LIMIT ? OFFSET ?`, expression, end-from, from)
}

// documents returns the numbers of posts that a query selects.
func documents(ctx context.Context, tx *sql.Tx, selection string, args ...any) (docs []int64, err error) {
	rows, err := tx.QueryContext(ctx, selection, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var doc int64
		if err := rows.Scan(&doc); err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, rows.Err()
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
