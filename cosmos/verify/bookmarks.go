package verify

import (
	"hash/maphash"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

type bookmarkKey struct{ postID, userID string }

// auditedBookmark holds the facts about a bookmark, and about its copy in the reader's partition, that the audit checks
// at the end.
type auditedBookmark struct {
	source, copied         bool
	version, copiedVersion int
	created, copiedCreated int64 // Unix milliseconds
	form                   shortForm
}

func (a *audit) bookmark(i storedItem) *auditedBookmark {
	key := bookmarkKey{i.PostID, i.UserID}
	b := a.bookmarks[key]
	if b == nil {
		b = &auditedBookmark{}
		a.bookmarks[key] = b
	}
	return b
}

// noteBookmark records and checks a bookmark in the partition of its post.
func (a *audit) noteBookmark(subject string, i storedItem) {
	if want := domain.BookmarkID(i.UserID); i.ID != want {
		a.violation(ruleIDs, subject, "its id should be %s", want)
		return
	}
	if i.deleted() {
		if !i.expires() {
			a.violation(ruleTombstones, subject, "the marker does not expire")
		}
		return
	}
	a.checkStays(subject, i)
	switch user := a.users[i.UserID]; {
	case user == nil || !user.present:
		a.violation(ruleAuthors, subject, "there is no user %s", i.UserID)
	case user.deleted:
		user.authored++
		a.violation(ruleAuthors, subject, "the account %s is deleted", i.UserID)
	}
	b := a.bookmark(i)
	b.source, b.version, b.created = true, i.Version, time.Time(i.CreationDate).UnixMilli()
}

// noteBookmarkCopy records and checks the copy of a bookmark in the reader's partition.
func (a *audit) noteBookmarkCopy(subject string, i storedItem) {
	if want := schema.BookmarkCopyID(i.PostID); i.ID != want {
		a.violation(ruleIDs, subject, "its id should be %s", want)
		return
	}
	a.checkStays(subject, i)
	b := a.bookmark(i)
	b.copied, b.copiedVersion, b.copiedCreated = true, i.Version, time.Time(i.CreationDate).UnixMilli()
	b.form = a.shortForm(domain.Summary{
		AuthorID:          i.AuthorID,
		AuthorName:        i.UserUsername,
		AuthorDisplayName: i.UserDisplayName,
		AuthorAvatar:      i.UserAvatar,
		Title:             i.Title,
		Slug:              i.Slug,
		Text:              i.Content,
		Tags:              i.Tags.Domain(),
		Details:           i.Details.Details,
		Length:            i.Details.Length,
		Cover:             i.Details.Picture,
		Status:            i.Status,
		Created:           time.Time(i.PostDate),
	})
	b.form.seriesPlace = maphash.String(a.seed, i.Details.SeriesPlace)
}

func (a *audit) noteBookmarkTombstone(subject string, i storedItem) {
	if i.ID != schema.BookmarkCopyID(i.PostID) {
		a.violation(ruleIDs, subject, "its id should be %s", schema.BookmarkCopyID(i.PostID))
		return
	}
	a.checkTombstone(subject, i)
}

func (a *audit) checkBookmarks() {
	for key, b := range a.bookmarks {
		subject := "bookmark of post " + key.postID + " by " + key.userID
		p := a.posts[key.postID]
		switch {
		case !b.source:
			a.violation(ruleBookmarks, subject, "the reader has a copy, but the bookmark does not exist")
		case p == nil || !p.live():
			a.violation(ruleBookmarks, subject, "the post is deleted or does not exist")
		case !b.copied:
			a.violation(ruleBookmarks, subject, "its reader has no copy")
		case b.version != b.copiedVersion || b.created != b.copiedCreated:
			a.violation(ruleBookmarks, subject, "the copy is version %d of %s, should be %d of %s", b.copiedVersion,
				time.UnixMilli(b.copiedCreated).UTC(), b.version, time.UnixMilli(b.created).UTC())
		case !p.bookmarksCurrent:
			a.violation(ruleBookmarks, subject, "the bookmarked property of the post is not current")
		default:
			if want := a.expectedForm(b.form, a.bookmarkForm(p.form)); b.form != want {
				a.violation(ruleBookmarks, subject, "in the copy %s", b.form.differences(want))
			}
		}
	}
}

// bookmarkForm returns the part of a post's short form that the copy of a bookmark has.
func (a *audit) bookmarkForm(f shortForm) shortForm {
	none := a.shortForm(domain.Summary{})
	f.comments, f.likes, f.revision, f.version, f.edited, f.trashed = 0, 0, 0, 0, none.edited, none.trashed
	f.seriesPlace = none.seriesPlace // which is for queries only
	if !f.status.Shown() {
		f.title, f.slug, f.text, f.tags = none.title, none.slug, none.text, none.tags
		f.details, f.length, f.cover = none.details, none.length, none.cover
	}
	return f
}
