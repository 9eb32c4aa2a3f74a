package search

import (
	"context"
	"database/sql"
	"encoding/json"

	"inkfeed/domain"
)

// Summaries reads posts in short form, by their ids, and without their revisions. The result has no entry for a post
// that the index has not read yet, and the zero Summary for one that is not listed.
func (x *Index) Summaries(ctx context.Context, postIDs []string) (found map[string]domain.Summary, err error) {
	list, err := json.Marshal(postIDs)
	if err != nil {
		return nil, err
	}
	err = x.read(ctx, func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, `SELECT id, version, listed, author_id, author, called, avatar, title, slug,
			tags, created, edited, comments, likes, words, ideographs, cover, cover_alt, cover_focus, summary, details
			FROM posts WHERE id IN (SELECT value FROM json_each(?)) AND NOT page`, string(list))
		if err != nil {
			return err
		}
		defer rows.Close()
		found = make(map[string]domain.Summary, len(postIDs))
		for rows.Next() {
			s, listed, err := scanSummary(rows)
			if err != nil {
				return err
			}
			found[s.PostID] = s
			if !listed {
				found[s.PostID] = domain.Summary{}
			}
		}
		return rows.Err()
	})
	return found, err
}

func scanSummary(rows *sql.Rows) (s domain.Summary, listed bool, err error) {
	var tags, cover, details string
	var created, edited int64
	err = rows.Scan(&s.PostID, &s.Version, &listed, &s.AuthorID, &s.AuthorName, &s.AuthorDisplayName, &s.AuthorAvatar,
		&s.Title, &s.Slug, &tags, &created, &edited, &s.CommentCount, &s.LikeCount, &s.Length.Words,
		&s.Length.Ideographs, &cover, &s.Cover.Alt, &s.Cover.Focus, &s.Text, &details)
	if err == nil && details != "" {
		err = json.Unmarshal([]byte(details), &s.Details)
	}
	s.Tags, s.Created, s.Edited = domain.Tags(tags), fromMillis(created), fromMillis(edited)
	s.Cover.Image, _ = domain.ParseImageName(cover)
	return s, listed, err
}
