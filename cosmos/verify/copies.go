package verify

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"
	"unique"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/plaintext"
)

// shortForm represents the short form of a post in little memory. It holds digests of the texts, and shares names,
// which repeat often. Two values are equal if the short forms are.
type shortForm struct {
	author, name      unique.Handle[string]
	displayName       unique.Handle[string]
	avatar            unique.Handle[string]
	tags              unique.Handle[domain.Tags]
	status            domain.Status
	details           domain.Details
	length            plaintext.Length
	title, slug, text uint64
	cover             uint64
	seriesPlace       uint64
	created, edited   int64 // Unix milliseconds, as is trashed
	trashed           int64
	comments, likes   int
	revision, version int
}

func (f shortForm) listed() bool { return f.status.Listed() }

func (a *audit) shortForm(s domain.Summary) shortForm {
	return shortForm{
		author:      unique.Make(s.AuthorID),
		name:        unique.Make(s.AuthorName),
		displayName: unique.Make(s.AuthorDisplayName),
		avatar:      unique.Make(s.AuthorAvatar),
		tags:        unique.Make(s.Tags),
		status:      s.Status,
		details:     s.Details,
		length:      s.Length,
		cover:       maphash.Comparable(a.seed, s.Cover),
		title:       maphash.String(a.seed, s.Title),
		slug:        maphash.String(a.seed, s.Slug),
		text:        maphash.String(a.seed, s.Text),
		seriesPlace: maphash.String(a.seed, s.SeriesPlace()),
		created:     s.Created.UnixMilli(),
		edited:      s.Edited.UnixMilli(),
		trashed:     s.Trashed.UnixMilli(),
		comments:    s.CommentCount,
		likes:       s.LikeCount,
		revision:    s.Revision,
		version:     s.Version,
	}
}

// copyForm returns the short form of a stored copy, which also stores the place of the post in its series.
func (a *audit) copyForm(i storedItem) shortForm {
	form := a.shortForm(summaryOf(i))
	form.seriesPlace = maphash.String(a.seed, i.Details.SeriesPlace)
	return form
}

// summaryOf decodes a stored copy into the summary that it must be equal to.
func summaryOf(i storedItem) domain.Summary {
	// Earlier releases wrote the revision and the edit date beside the details.
	if d := i.Details; i.Revision == 0 || d != (storedDetails{}) && d.Edits+1 >= i.Revision {
		i.Revision, i.EditDate = d.Edits+1, d.EditDate
	}
	return domain.Summary{
		PostID:            i.PostID,
		AuthorID:          i.UserID,
		AuthorName:        i.UserUsername,
		AuthorDisplayName: i.UserDisplayName,
		AuthorAvatar:      i.Details.Avatar,
		Title:             i.Title,
		Slug:              i.Slug,
		Text:              i.Content,
		Tags:              i.Tags.Domain(),
		Details:           i.Details.Details,
		Length:            i.Details.Length,
		Cover:             i.Details.Picture,
		Status:            schema.StatusOfCopy(i.Type),
		CommentCount:      i.CommentCount,
		LikeCount:         i.LikeCount,
		Created:           time.Time(i.CreationDate),
		Edited:            i.EditDate.Time(),
		Revision:          i.Revision,
		Version:           i.Version,
		Trashed:           i.SavedDate.Time(),
	}
}

// differences lists the properties in which the short form differs from the expected one.
func (f shortForm) differences(want shortForm) string {
	var list []string
	add := func(what string, got, want any) {
		if got != want {
			list = append(list, fmt.Sprintf("%s is %v, should be %v", what, got, want))
		}
	}
	add("version", f.version, want.version)
	add("revision", f.revision, want.revision)
	add("author", f.author.Value(), want.author.Value())
	add("username", f.name.Value(), want.name.Value())
	add("displayName", f.displayName.Value(), want.displayName.Value())
	add("avatar", f.avatar.Value(), want.avatar.Value())
	add("commentCount", f.comments, want.comments)
	add("likeCount", f.likes, want.likes)
	add("creationDate", time.UnixMilli(f.created).UTC(), time.UnixMilli(want.created).UTC())
	add("editDate", time.UnixMilli(f.edited).UTC(), time.UnixMilli(want.edited).UTC())
	add("savedDate", time.UnixMilli(f.trashed).UTC(), time.UnixMilli(want.trashed).UTC())
	add("tags", f.tags.Value(), want.tags.Value())
	add("details", f.details, want.details)
	add("length", f.length, want.length)
	add("status", fmt.Sprintf("%q", f.status), fmt.Sprintf("%q", want.status))
	if f.title != want.title {
		list = append(list, "title differs")
	}
	if f.slug != want.slug {
		list = append(list, "slug differs")
	}
	if f.cover != want.cover {
		list = append(list, "picture differs")
	}
	if f.seriesPlace != want.seriesPlace {
		list = append(list, "seriesPlace differs")
	}
	if f.text != want.text {
		list = append(list, "text differs")
	}
	return strings.Join(list, "; ")
}

// expectedForm returns the form that a copy must have, where got is the form of the copy and want that of its post. A
// copy that an earlier release made has neither length nor cover, until the post changes or a rebuild adds them. For
// such a copy the result is want without length and cover, otherwise want.
func (a *audit) expectedForm(got, want shortForm) shortForm {
	none := a.shortForm(domain.Summary{})
	if got.length == none.length && got.cover == none.cover {
		want.length, want.cover = none.length, none.cover
	}
	return want
}

func (a *audit) checkCopy(where, postID string, got, want shortForm) {
	if want = a.expectedForm(got, want); got != want {
		a.violation(ruleCopies, "post "+postID, "in %s %s", where, got.differences(want))
	}
}

// noteCopy records and checks a copy of a post in users.
func (a *audit) noteCopy(subject string, i storedItem) {
	if i.ID != i.PostID {
		a.violation(ruleIDs, subject, "it is a copy of post %s", i.PostID)
		return
	}
	a.checkStays("copy of post "+i.PostID+" in users", i)
	p, form := a.post(i.PostID), a.copyForm(i)
	p.copies++
	// Of several copies, which are a violation, the comparison always uses the same one.
	if p.copies == 1 || form.author.Value() < p.copy.author.Value() {
		p.copy = form
	}
	a.user(i.UserID).copies++
}

// noteTombstone records and checks the tombstone of a deleted post's copy in users.
func (a *audit) noteTombstone(subject string, i storedItem) {
	if i.ID != i.PostID {
		a.violation(ruleIDs, subject, "it is a tombstone of post %s", i.PostID)
		return
	}
	a.post(i.PostID).tombstone = true
	a.checkTombstone("tombstone of post "+i.PostID+" in users", i)
}

func (a *audit) checkTombstone(subject string, i storedItem) {
	switch {
	case !i.deleted():
		a.violation(ruleTombstones, subject, "it has no deletion date")
	case !i.expires():
		a.violation(ruleTombstones, subject, "it does not expire")
	case i.text():
		a.violation(ruleTombstones, subject, "it has text")
	}
}

// auditedCopy is a row of the feed that is not a tombstone.
type auditedCopy struct {
	postID string
	form   shortForm
}

// readFeed reads the rows of the feed. It runs after the users and posts were read, since the rows are copies of
// posts.
func (a *audit) readFeed(ctx context.Context, db *client.Database) error {
	return readItems(ctx, a, db, schema.FeedContainer, wholeQuery, nil, func(i storedItem) {
		switch {
		case i.Type != schema.TypePost:
			a.violation(ruleTypes, "feed item "+i.ID, "type %q", i.Type)
		case i.ID != i.PostID:
			a.violation(ruleIDs, "feed item "+i.ID, "it is a copy of post %s", i.PostID)
		case i.deleted():
			a.checkFeedTombstone(i)
		default:
			a.feed = append(a.feed, auditedCopy{i.PostID, a.copyForm(i)})
			a.checkName("copy of post "+i.PostID+" in feed", i.UserID, i.author())
			a.checkStays("copy of post "+i.PostID+" in feed", i)
		}
	})
}

// checkFeedTombstone checks a tombstone. The post may be live: it was withdrawn, and came back when newer posts had all
// places. See checkFeed for a live post that has a place.
func (a *audit) checkFeedTombstone(i storedItem) {
	subject := "tombstone of post " + i.PostID + " in feed"
	if !time.Time(i.CreationDate).IsZero() {
		a.violation(ruleTombstones, subject, "it has a date, so it takes a place among the newest posts")
	}
	switch {
	case i.Refill:
		a.violation(ruleTombstones, subject, "the free place is not filled yet")
	case !i.expires():
		a.violation(ruleTombstones, subject, "it does not expire")
	case i.text():
		a.violation(ruleTombstones, subject, "it has text")
	}
}

func (a *audit) checkFeed() {
	var newest []auditedCopy
	for id, p := range a.posts {
		if p.listed() {
			newest = append(newest, auditedCopy{id, p.form})
		}
	}
	slices.SortFunc(newest, func(x, y auditedCopy) int { return domain.NewestFirst(x.place(), y.place()) })
	newest = newest[:min(len(newest), domain.FeedLimit)]
	missing := make(map[string]shortForm, len(newest))
	for _, c := range newest {
		missing[c.postID] = c.form
	}
	for _, c := range a.feed {
		want, ok := missing[c.postID]
		if !ok {
			a.violation(ruleFeed, "post "+c.postID, "it is in the feed, but not among the newest posts")
			continue
		}
		a.checkCopy("feed", c.postID, c.form, want)
		delete(missing, c.postID)
	}
	for id := range missing {
		a.violation(ruleFeed, "post "+id, "it is missing in the feed")
	}
}

func (c auditedCopy) place() domain.Summary {
	return domain.Summary{PostID: c.postID, Created: time.UnixMilli(c.form.created)}
}
