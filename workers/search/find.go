package search

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"inkfeed/domain"
)

// maxFound is the number of matches that are counted and ranked and that can be paged through. A query that matches
// more posts says little about each of them, and counting and ranking all would hold up the first results.
const maxFound = 1000

// maxAuthors is the number of authors that a search lists.
const maxAuthors = 5

// Search finds listed posts and published static pages, the best first. A match in a title counts most, and so do
// terms that are rare in other posts and frequent in this one. Of equal posts the newer comes first. If more than
// maxFound posts match, those with every word in their titles come first, and then the others, the newest first. The
// last word finds longer words too, unless more than maxFound posts match without them. A page beyond the last is
// empty. The first page has the matching authors, too. If few posts match, misspelt words are looked for. Search fails
// only if the index cannot be read.
func (x *Index) Search(ctx context.Context, text string, page int) (domain.Found, error) {
	var found domain.Found
	err := x.read(ctx, func(db *sql.DB) error {
		// In one transaction, so that the posts found are still there when they are read.
		tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if found, err = find(ctx, tx, text, page); err == nil && page == 1 && found.Total <= fewMatches {
			found, err = corrected(ctx, tx, text, found)
		}
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, building).Scan(&found.Building)
	})
	return found, err
}

// corrected adds to the results of a query a better one, if that finds more. It replaces the results if there are none.
func corrected(ctx context.Context, tx *sql.Tx, text string, found domain.Found) (domain.Found, error) {
	better, err := suggestion(ctx, tx, text)
	if err != nil || better == text {
		return found, err
	}
	other, err := find(ctx, tx, better, 1)
	if err != nil || other.Total <= found.Total {
		return found, err
	}
	if found.Total == 0 {
		found, found.Corrected = other, true
	}
	found.Suggestion = better
	return found, nil
}

// find returns a page of the results of a query.
func find(ctx context.Context, tx *sql.Tx, text string, page int) (domain.Found, error) {
	asked := parse(text)
	found := domain.Found{Posts: domain.ListPage[domain.Hit]{Number: page}, Empty: len(asked.all) == 0}
	if found.Empty {
		return found, nil
	}
	from := min((page-1)*domain.SearchPerPage, maxFound)
	end := min(from+domain.SearchPerPage, maxFound)
	q := asked.whole()
	docs, matches, err := newest(ctx, tx, q, 2*end)
	if err == nil && matches <= maxFound && q.expression() != asked.expression() {
		q = asked
		docs, matches, err = newest(ctx, tx, q, 2*end)
	}
	if err != nil || matches == 0 {
		return found, err
	}
	found.Total, found.More = min(matches, maxFound), matches > maxFound
	from, end = min(from, found.Total), min(end, found.Total)
	found.Posts.More = end < found.Total
	if found.More {
		docs, err = titledFirst(ctx, tx, q, docs, from, end)
	} else {
		docs, err = best(ctx, tx, q, from, end)
	}
	if err == nil && page == 1 {
		found.Authors, err = authors(ctx, tx, asked.whole())
	}
	if err == nil && page == 1 && len(found.Authors) == 0 {
		found.Authors, err = authors(ctx, tx, asked)
	}
	if err == nil {
		found.Posts.Items, err = hits(ctx, tx, q, docs)
	}
	return found, err
}

// newest returns the first matches of a query, the newest first, and the number of all matches, but at most one more
// than maxFound.
func newest(ctx context.Context, tx *sql.Tx, q query, first int) (docs []int64, matches int, err error) {
	rows, err := tx.QueryContext(ctx, `WITH found AS MATERIALIZED
		(SELECT rowid AS doc FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?)
		SELECT doc, (SELECT count(*) FROM found) FROM found LIMIT ?`, q.expression(), maxFound+1, first)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var doc int64
		if err := rows.Scan(&doc, &matches); err != nil {
			return nil, 0, err
		}
		docs = append(docs, doc)
	}
	return docs, matches, rows.Err()
}

// titledFirst returns the matches at the places from to end, if those with every word in their titles come before the
// others, and the newest first among both. It takes the newest matches, twice as many as end or all that are counted.
func titledFirst(ctx context.Context, tx *sql.Tx, q query, newest []int64, from, end int) ([]int64, error) {
	titled, err := documents(ctx, tx, `SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?`,
		q.inTitles(), end)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(newest, func(doc int64) bool {
		_, found := slices.BinarySearchFunc(titled, doc, func(a, b int64) int { return cmp.Compare(b, a) })
		return found
	})
	return append(titled, others...)[from:end], nil
}

// best returns the matches at the places from to end, the best first.
func best(ctx context.Context, tx *sql.Tx, q query, from, end int) ([]int64, error) {
	return documents(ctx, tx, `SELECT rowid FROM words WHERE words MATCH ?
		ORDER BY bm25(words, `+weights+`), rowid DESC LIMIT ? OFFSET ?`, q.expression(), end-from, from)
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

// hits reads posts from the index, in the order of their numbers, and marks the matches of the query.
func hits(ctx context.Context, tx *sql.Tx, q query, docs []int64) ([]domain.Hit, error) {
	list, err := json.Marshal(docs)
	if err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx,
		`SELECT posts.id, version, author_id, author, called, avatar, title, slug, tags, created, edited, comments,
			likes, words, ideographs, cover, cover_alt, cover_focus, language, text
		FROM json_each(?) AS place CROSS JOIN posts ON posts.doc = place.value JOIN texts USING (doc)
		ORDER BY place.key`, string(list))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []domain.Hit
	for rows.Next() {
		var hit domain.Hit
		var tags, cover, text string
		var created, edited int64
		if err := rows.Scan(&hit.PostID, &hit.Version, &hit.AuthorID, &hit.AuthorName, &hit.AuthorDisplayName,
			&hit.AuthorAvatar, &hit.Title, &hit.Slug, &tags, &created, &edited, &hit.CommentCount, &hit.LikeCount,
			&hit.Length.Words, &hit.Length.Ideographs, &cover, &hit.Cover.Alt,
			&hit.Cover.Focus, &hit.Details.Language, &text); err != nil {
			return nil, err
		}
		hit.Tags, hit.Created, hit.Edited = domain.Tags(tags), fromMillis(created), fromMillis(edited)
		hit.Cover.Image, _ = domain.ParseImageName(cover)
		hit.Headline, hit.Extract = q.headline(hit.Title), q.extract(text)
		all = append(all, hit)
	}
	return all, rows.Err()
}

// authors returns authors with every word of the query in their names, by the number of their posts among the newest
// maxFound of all such authors. A query for tags, or one that excludes posts, is not one for authors.
func authors(ctx context.Context, tx *sql.Tx, q query) (found []domain.User, err error) {
	if len(q.none) > 0 || slices.ContainsFunc(q.all, func(t term) bool { return t.column == columnTags }) {
		return nil, nil
	}
	rows, err := tx.QueryContext(ctx, `SELECT author_id, author, called, avatar, max(doc) FROM posts
		WHERE doc IN (SELECT rowid FROM people WHERE people MATCH ? ORDER BY rowid DESC LIMIT ?)
		GROUP BY author_id ORDER BY count(*) DESC, author LIMIT ?`, q.expression(), maxFound, maxAuthors)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var u domain.User
		if err := rows.Scan(&u.ID, &u.Username, &u.DisplayName, &u.Avatar, new(int64)); err != nil {
			return nil, err
		}
		found = append(found, u)
	}
	return found, rows.Err()
}

// fromMillis is the inverse of millis.
func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
