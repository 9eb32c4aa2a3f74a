package cosmos

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// summaryItem is a post's short form, the same in users and in feed. The copy of a
// deleted post is a tombstone for domain.TombstoneTime.
type summaryItem struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	PostID       string  `json:"postId"`
	UserID       string  `json:"userId"`
	UserUsername string  `json:"userUsername"`
	Title        string  `json:"title"`
	Content      string  `json:"content"`
	CommentCount int     `json:"commentCount"`
	LikeCount    int     `json:"likeCount"`
	CreationDate instant `json:"creationDate"`
	Version      int     `json:"version"`
	// Of a tombstone only.
	DeletionDate *instant `json:"deletionDate,omitempty"`
	TTL          int      `json:"ttl,omitempty"`
	Refill       bool     `json:"refill,omitempty"` // in feed: see feedPlan
	ETag         string   `json:"_etag,omitempty"`
}

// summaryItemOf is the copy of a post, which in users has another type when it is a
// tombstone: so the list of a user's posts need not look for those.
func summaryItemOf(s domain.Summary) summaryItem {
	item := summaryItem{ID: s.PostID, Type: typePost, PostID: s.PostID, UserID: s.AuthorID,
		UserUsername: s.AuthorName, Title: s.Title, Content: s.Text, CommentCount: s.CommentCount,
		LikeCount: s.LikeCount, CreationDate: instant(s.Created), Version: s.Version}
	if !s.Deleted.IsZero() {
		deleted := instant(s.Deleted)
		item.Type, item.DeletionDate, item.TTL = typeDeletedPost, &deleted, tombstoneTTL
		item.UserUsername, item.Title, item.Content, item.CommentCount, item.LikeCount = "", "", "", 0, 0
	}
	return item
}

const tombstoneTTL = int(domain.TombstoneTime / time.Second)

func (i summaryItem) domain() domain.Summary {
	s := domain.Summary{PostID: i.PostID, AuthorID: i.UserID, AuthorName: i.UserUsername, Title: i.Title,
		Text: i.Content, CommentCount: i.CommentCount, LikeCount: i.LikeCount,
		Created: time.Time(i.CreationDate), Version: i.Version}
	if i.DeletionDate != nil {
		s.Deleted = time.Time(*i.DeletionDate)
	}
	return s
}

func summaries(items []summaryItem) []domain.Summary {
	list := make([]domain.Summary, len(items))
	for i, item := range items {
		list[i] = item.domain()
	}
	return list
}

// updating is the patch that makes a copy of an earlier version one of s. Its
// condition fails for a copy that is as new or newer.
func updating(s domain.Summary) azcosmos.PatchOperations {
	item := summaryItemOf(s)
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.version < %d", s.Version))
	ops.AppendSet("/userUsername", item.UserUsername)
	ops.AppendSet("/title", item.Title)
	ops.AppendSet("/content", item.Content)
	ops.AppendSet("/commentCount", item.CommentCount)
	ops.AppendSet("/likeCount", item.LikeCount)
	ops.AppendSet("/version", item.Version)
	if item.DeletionDate != nil {
		ops.AppendSet("/type", item.Type)
		ops.AppendSet("/deletionDate", *item.DeletionDate)
		ops.AppendSet("/ttl", item.TTL)
	}
	return ops
}

// ApplySummary brings the author's copy of a post up to date. A copy made from
// a newer version of the post is left alone, so it never goes backwards; that of a
// deleted post becomes a tombstone, even where there was none.
func (u *Users) ApplySummary(ctx context.Context, s domain.Summary) error {
	ctx = operation(ctx, "copy-to-users")
	patch := func() error { return u.c.patch(ctx, s.AuthorID, s.PostID, updating(s)) }
	create := func() error { return u.c.create(ctx, s.AuthorID, summaryItemOf(s)) }

	// Each can find that the other is needed: the copy is not there yet, or has
	// just been created by another writer.
	attempts := []func() error{patch, create, patch}
	if s.Version == 1 { // most likely new
		attempts = attempts[1:]
	}
	var err error
	for _, attempt := range attempts {
		err = attempt()
		if status := statusOf(err); status != http.StatusNotFound && status != http.StatusConflict {
			break
		}
	}
	if statusOf(err) == http.StatusPreconditionFailed {
		return nil
	}
	return translate(err)
}

// rewriteAttempts bounds how often a copy is compared anew because it changed.
const rewriteAttempts = 20

// RewriteSummary makes the author's copy of a post what its source gives, whatever
// version the copy claims: that is how a copy is repaired that projecting a newer
// version would not touch, also when nobody can read it. The source is read after the copy, so a copy that is ahead
// of it is one that no version of the post has given. A copy that is right costs the
// two reads.
func (u *Users) RewriteSummary(ctx context.Context, authorID, postID string, source func(context.Context) (domain.Summary, error)) error {
	ctx = operation(ctx, "copy-to-users")
	for attempt := 1; ; attempt++ {
		found, err := read[summaryItem](ctx, u.c, authorID, postID)
		missing, unreadable := statusOf(err) == http.StatusNotFound, misshapen(err)
		if unreadable { // of another shape, it has an etag all the same
			var stored storedCopy
			stored, err = read[storedCopy](ctx, u.c, authorID, postID)
			found = summaryItem{ETag: stored.ETag}
			missing = statusOf(err) == http.StatusNotFound
		}
		if err != nil && !missing {
			return translate(err)
		}
		s, err := upToDate(ctx, found.Version, source, func(s domain.Summary) int { return s.Version })
		if err != nil {
			return err
		}
		want := summaryItemOf(s)
		switch {
		case missing && want.DeletionDate != nil:
			return nil
		case missing:
			err = u.c.create(ctx, authorID, want)
		case !unreadable && found.equal(want):
			return nil
		default:
			err = u.c.replace(ctx, authorID, postID, found.ETag, want)
		}
		if !lostRace(err) || attempt == rewriteAttempts {
			return translate(err)
		}
	}
}

// upToDate reads a source of which there is a copy of that version already. A replica
// may answer that has not heard of it yet, so an earlier state counts only when it is
// still there after some time: then no version of the source has given the copy.
func upToDate[T any](ctx context.Context, version int, read func(context.Context) (T, error), versionOf func(T) int) (T, error) {
	for attempt, pause := 1, firstPause; ; attempt, pause = attempt+1, 2*pause {
		source, err := read(ctx)
		if err != nil || versionOf(source) >= version || attempt == passingAttempts {
			return source, err
		}
		select {
		case <-ctx.Done():
			return source, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// equal compares what two copies say, their time to live apart.
func (i summaryItem) equal(other summaryItem) bool {
	return i.ID == other.ID && i.Type == other.Type && i.domain() == other.domain()
}
