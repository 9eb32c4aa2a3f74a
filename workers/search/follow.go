package search

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/tailer"
)

// Marks implements tailer.Follower. It returns no marks if the index was not updated for as long as the feed shows
// deletions.
func (x *Index) Marks(ctx context.Context) (container string, marks []tailer.Mark, err error) {
	err = x.write(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `SELECT value FROM meta WHERE name = 'container'`).Scan(&container)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `SELECT low, high, continuation, lsn, read, complete FROM marks`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var m tailer.Mark
			var read int64
			if err := rows.Scan(&m.Range.MinInclusive, &m.Range.MaxExclusive, &m.Continuation, &m.LSN, &read,
				&m.Complete); err != nil {
				return err
			}
			m.Read = fromMillis(read)
			marks = append(marks, m)
		}
		return rows.Err()
	})
	for _, m := range marks {
		if !m.Read.IsZero() && time.Since(m.Read) > domain.MarkerTime {
			x.log.Warn("the search index is too old, building a new one", "file", x.path, "last_read", m.Read)
			return "", nil, err
		}
	}
	return container, marks, err
}

// Begin implements tailer.Follower: it replaces the file by an empty one.
func (x *Index) Begin(ctx context.Context, container string) error {
	x.mu.Lock()
	err := x.beginLocked(ctx, container)
	x.mu.Unlock()
	return err
}

// beginLocked is Begin for a caller that holds x.mu.
func (x *Index) beginLocked(ctx context.Context, container string) error {
	if !x.lock.Locked() {
		return errClosed
	}
	if err := x.create(); err != nil {
		x.close()
		return fmt.Errorf("create search index %s: %w", x.path, err)
	}
	x.log.Info("building the search index", "file", x.path)
	_, err := x.writer.ExecContext(ctx, `INSERT INTO meta VALUES ('container', ?)`, container)
	return err
}

// Replace implements tailer.Follower.
func (x *Index) Replace(ctx context.Context, ranges []feeds.Range, marks []tailer.Mark) error {
	return x.write(ctx, func(tx *sql.Tx) error {
		for _, r := range ranges {
			result, err := tx.ExecContext(ctx, `DELETE FROM marks WHERE low = ? AND high = ?`, r.MinInclusive,
				r.MaxExclusive)
			if err := one(result, err); err != nil {
				return err
			}
		}
		for _, m := range marks {
			if _, err := tx.ExecContext(ctx, `INSERT INTO marks VALUES (?, ?, ?, ?, ?, ?)`, m.Range.MinInclusive,
				m.Range.MaxExclusive,
				m.Continuation, m.LSN, millis(m.Read), m.Complete); err != nil {
				return err
			}
		}
		return nil
	})
}

// one returns tailer.ErrLost unless a statement changed one row.
func one(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		return errors.Join(err, tailer.ErrLost)
	}
	return nil
}

// Follow implements tailer.Follower: it stores changes and their mark in one transaction.
func (x *Index) Follow(ctx context.Context, changes []feeds.Change[feeds.PostChange], m tailer.Mark) error {
	return x.write(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx,
			`UPDATE marks SET continuation = ?, lsn = ?, read = ?, complete = ? WHERE low = ? AND high = ?`,
			m.Continuation, m.LSN, millis(m.Read), m.Complete, m.Range.MinInclusive, m.Range.MaxExclusive)
		if err := one(result, err); err != nil {
			return err
		}
		for _, c := range changes {
			if c.Value.Post == nil {
				continue // a comment or like also changes the counts of its post
			}
			if err := (&update{ctx, tx, x}).apply(*c.Value.Post); err != nil {
				return fmt.Errorf("index post %s: %w", c.Item.ID, err)
			}
		}
		return nil
	})
}

// update applies changes in one transaction.
type update struct {
	context.Context
	tx *sql.Tx
	x  *Index
}

// exec executes a statement in the transaction.
func (u *update) exec(statement string, args ...any) error {
	_, err := u.tx.ExecContext(u, statement, args...)
	return err
}

// row is the present state of a post in the index.
type row struct {
	doc     int64
	version int
	listed  bool
	deleted int64 // when the post was deleted, in milliseconds, or 0
	digest  []byte
	tags    domain.Tags
}

// isExpired reports whether the marker of the deleted post has expired. If the feed then contains a post with its id,
// the post has been imported again.
func (r row) isExpired() bool {
	return r.deleted > 0 && time.Since(time.UnixMilli(r.deleted)) > domain.MarkerTime
}

// apply stores a post, unless the index has the same or a newer version.
func (u *update) apply(p domain.Post) error {
	var had row
	err := u.tx.QueryRowContext(u, `SELECT doc, version, listed, deleted, digest, tags FROM posts WHERE id = ?`, p.ID).
		Scan(&had.doc, &had.version, &had.listed, &had.deleted, &had.digest, &had.tags)
	known := err == nil
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if known && had.version >= p.Version && !had.isExpired() {
		return nil
	}
	listed := p.Listed()
	digest := digestOf(p)
	if known && had.listed == listed && (!listed || bytes.Equal(had.digest, digest)) {
		// Only the counts have changed, by a like or comment. These are most of the changes.
		return u.exec(`UPDATE posts SET version = ?, comments = ?, likes = ?, deleted = ? WHERE doc = ?`,
			p.Version, p.CommentCount, p.LikeCount, millis(p.Deleted), had.doc)
	}
	if known {
		if err := u.remove(had); err != nil {
			return err
		}
	}
	return u.insert(p, listed, digest)
}

// remove deletes a post from all tables.
func (u *update) remove(had row) error {
	if had.listed {
		for _, table := range []string{"words WHERE rowid", "people WHERE rowid", "texts WHERE doc"} {
			if err := u.exec(`DELETE FROM `+table+` = ?`, had.doc); err != nil {
				return err
			}
		}
		for _, name := range had.tags.List() {
			key := domain.TagKey(name)
			if err := u.exec(`UPDATE tags SET posts = posts - 1 WHERE key = ? AND name = ?`, key, name); err != nil {
				return err
			}
			if err := u.exec(`DELETE FROM tags WHERE key = ? AND name = ? AND posts <= 0`, key, name); err != nil {
				return err
			}
		}
	}
	return u.exec(`DELETE FROM posts WHERE doc = ?`, had.doc)
}

// insert adds a post. Of one that is not listed it stores only the version and the dates.
func (u *update) insert(p domain.Post, listed bool, digest []byte) error {
	doc, err := u.place(p)
	if err != nil {
		return err
	}
	if !listed {
		return u.exec(`INSERT INTO posts
			VALUES (?, ?, ?, 0, x'', ?, '', '', '', '', '', '', '', ?, 0, 0, 0, 0, 0, '', '', '', 0, '', 0, '', '')`,
			doc, p.ID, p.Version, millis(p.Deleted), millis(p.Created))
	}
	s, whole := u.summarize(p)
	if err := u.exec(`INSERT INTO posts
		VALUES (?, ?, ?, 1, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		doc, p.ID, p.Version, digest, p.AuthorID, p.AuthorName, p.AuthorDisplayName, p.AuthorAvatar, p.Title,
		cmp.Or(p.Details.Address, p.Slug), string(p.Tags), millis(p.Created), millis(p.Edited), p.CommentCount,
		p.LikeCount, s.Length.Words,
		s.Length.Ideographs, s.Cover.Name(), s.Cover.Alt, s.Cover.Focus, p.IsPage(),
		domain.Summary{Text: whole, Details: s.Details}.Language(""),
		p.Details.CanonicalURL != "", s.Text, p.Details.JSON()); err != nil {
		return err
	}
	if err := u.exec(`INSERT INTO texts VALUES (?, ?)`, doc, whole); err != nil {
		return err
	}
	for _, name := range p.Tags.List() {
		if err := u.exec(`INSERT INTO tags VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET posts = posts + 1`,
			domain.TagKey(name), name); err != nil {
			return err
		}
	}
	author, called := authorTerm(p.AuthorName)+" "+indexed(p.AuthorName), indexed(p.AuthorDisplayName)
	if err := u.exec(`INSERT INTO people (rowid, author, called) SELECT ?, ?, ? WHERE NOT ?`, doc, author, called,
		p.IsPage()); err != nil {
		return err
	}
	return u.exec(`INSERT INTO words (rowid, title, text, tags, author, called) VALUES (?, ?, ?, ?, ?, ?)`,
		doc, indexed(p.Title), indexed(whole), indexedTags(p.Tags), author, called)
}

// summarize returns the summary of a post and its whole text, or the source if that cannot be rendered.
func (u *update) summarize(p domain.Post) (s domain.Summary, whole string) {
	defer func() {
		if v := recover(); v != nil {
			u.x.log.Error("cannot render a post for the search index", "post", p.ID, "panic", v, "stack",
				string(debug.Stack()))
			s, whole = domain.Summary{}, p.Content
		}
	}()
	return u.x.markdown.SummarizeWhole(p)
}

// slots is the number of row ids for the posts of one second. If more posts have the same second, some get ids of
// later seconds.
const slots = 64

// place returns a free row id in the order of creation, to the second. Many posts of the same second, as from an
// import, are in random order.
func (u *update) place(p domain.Post) (doc int64, err error) {
	first := max(p.Created.Unix(), 0) * slots
	sum := sha256.Sum256([]byte(p.ID))
	random := int64(sum[0]) | int64(sum[1])<<8 | int64(sum[2])<<16 | int64(sum[3])<<24 | int64(sum[4])<<32
	for room := int64(slots); ; room *= 2 {
		doc = first + random%room
		var taken bool
		if err := u.tx.QueryRowContext(u, `SELECT EXISTS (SELECT 1 FROM posts WHERE doc = ?)`,
			doc).Scan(&taken); err != nil || !taken {
			return doc, err
		}
		random = (random*6364136223846793005 + 1442695040888963407) & (1<<62 - 1)
	}
}

// digestOf returns a digest of everything that the index shows of a post except the counts.
func digestOf(p domain.Post) []byte {
	sum := sha256.New()
	for _, part := range []string{p.AuthorID, p.AuthorName, p.AuthorDisplayName, p.AuthorAvatar, p.Title, p.Slug,
		string(p.Tags), p.Content, p.Details.JSON()} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	fmt.Fprintf(sum, "%d %d", millis(p.Created), millis(p.Edited))
	return sum.Sum(nil)[:16]
}

// millis returns a time in milliseconds since 1970; 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
