package search

import (
	"cmp"
	"context"
	"database/sql"

	"inkfeed/domain"
)

// building is the query for whether a range of the feed has not been read to its end.
const building = `SELECT NOT coalesce(min(complete), 0) FROM marks`

// Building reports whether the index may lack posts, because since it was opened it has not read the change feed to its
// end.
func (x *Index) Building(ctx context.Context) (yes bool, err error) {
	err = x.read(ctx, func(db *sql.DB) error { return db.QueryRowContext(ctx, building).Scan(&yes) })
	return yes, err
}

// CountPosts returns the number of listed posts without a canonical address on another site.
func (x *Index) CountPosts(ctx context.Context) (count int, err error) {
	err = x.read(ctx, func(db *sql.DB) error {
		return db.QueryRowContext(ctx,
			`SELECT count(*) FROM posts INDEXED BY own WHERE listed AND NOT page AND NOT elsewhere`).Scan(&count)
	})
	return count, err
}

// Posts lists a page of the posts that CountPosts counts, the oldest first. The first page is 1. The order is that of
// creation, to the second. So a full page changes only if one of its posts changes, or an earlier post is deleted.
func (x *Index) Posts(ctx context.Context, page, size int) ([]domain.Listing, error) {
	var list []domain.Listing
	err := x.read(ctx, func(db *sql.DB) error {
		list = nil
		rows, err := db.QueryContext(ctx,
			`SELECT id, title, slug, author, author_id, created, edited FROM posts WHERE doc IN
			(SELECT doc FROM posts INDEXED BY own WHERE listed AND NOT page AND NOT elsewhere
				ORDER BY doc LIMIT ? OFFSET ?)
			ORDER BY doc`,
			size, (page-1)*size)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var l domain.Listing
			var created, edited int64
			if err := rows.Scan(&l.Post.PostID, &l.Post.Title, &l.Post.Slug, &l.Post.AuthorName, &l.Post.AuthorID,
				&created, &edited); err != nil {
				return err
			}
			l.Post.Created, l.Post.Edited = fromMillis(created), fromMillis(edited)
			l.Changed = fromMillis(cmp.Or(edited, created))
			list = append(list, l)
		}
		return rows.Err()
	})
	return list, err
}

// Authors lists a page of the authors of listed posts, those with the most posts first. The first page is 1.
func (x *Index) Authors(ctx context.Context, page int) (domain.ListPage[domain.AuthorUse], error) {
	const size = domain.AuthorsPerPage
	var list []domain.AuthorUse
	err := x.read(ctx, func(db *sql.DB) error {
		list = nil
		// With max(doc), SQLite returns the names in the newest post.
		rows, err := db.QueryContext(ctx, `SELECT author_id, author, called, avatar, count(*) AS posts, max(doc)
			FROM posts WHERE listed AND NOT page GROUP BY author_id ORDER BY posts DESC, author LIMIT ? OFFSET ?`,
			size+1, (page-1)*size)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var a domain.AuthorUse
			var newest int64
			if err := rows.Scan(&a.ID, &a.Username, &a.DisplayName, &a.Avatar, &a.Posts, &newest); err != nil {
				return err
			}
			list = append(list, a)
		}
		return rows.Err()
	})
	return domain.Cut(list, page, size), err
}
