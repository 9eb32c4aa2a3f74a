package verify

import (
	"context"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// draftKey identifies a draft by its author and its post.
type draftKey struct{ author, postID string }

// auditedDraft holds the facts about a draft that the audit checks at the end.
type auditedDraft struct {
	preview   string
	scheduled time.Time // zero if the draft is not scheduled
}

// auditedPreview is a preview link, which leads to a draft.
type auditedPreview struct {
	owner, postID string
	expires       bool
}

// draftFacts holds the facts about drafts, preview links, past versions and the schedule that the audit checks at the
// end.
type draftFacts struct {
	drafts    map[draftKey]auditedDraft
	previews  map[string]auditedPreview // by their secrets
	versions  map[string]int            // the newest past version of each post
	scheduled map[string]bool           // entries, by their ids
	// deletions holds the ids of scheduled deletions.
	deletions map[string]bool
	// trash holds the posts in the trash by the ids of the entries that delete them, and purges the ids of the entries.
	trash     map[string]string
	purges    map[string]bool
	revisions map[string]int    // of posts
	withdrawn map[string]string // authors of unpublished posts
}

func newDraftFacts() draftFacts {
	return draftFacts{
		drafts:    make(map[draftKey]auditedDraft),
		previews:  make(map[string]auditedPreview),
		versions:  make(map[string]int),
		scheduled: make(map[string]bool),
		deletions: make(map[string]bool),
		trash:     make(map[string]string),
		purges:    make(map[string]bool),
		revisions: make(map[string]int),
		withdrawn: make(map[string]string),
	}
}

func (a *audit) noteDraft(subject string, i storedItem) {
	if i.ID != schema.DraftID(i.PostID) {
		a.violation(ruleIDs, subject, "it is a draft of post %s", i.PostID)
		return
	}
	subject = "draft of post " + i.PostID + " by " + i.UserID
	a.checkStays(subject, i)
	if i.Version < 1 || i.Revision < 0 {
		a.violation(ruleDrafts, subject, "it is version %d of revision %d", i.Version, i.Revision)
	}
	if i.Publishing && i.PublishDate == nil {
		a.violation(ruleDrafts, subject, "it is being published, but has no time")
	}
	a.countDraft(subject, i)
	draft := auditedDraft{preview: i.Preview}
	if i.PublishDate != nil {
		draft.scheduled = time.Time(*i.PublishDate)
	}
	a.drafts[draftKey{i.UserID, i.PostID}] = draft
}

// draftStep is the unit in which drafts are counted.
const draftStep = 16384

// countDraft counts a draft as its author's item does. A draft of an earlier release is not counted before it is saved
// again or a rebuild counts it.
func (a *audit) countDraft(subject string, i storedItem) {
	if i.Bytes == 0 {
		return
	}
	u := a.user(i.UserID)
	u.drafts.count++
	u.drafts.bytes += i.Bytes
	text := int64(len(i.Title) + len(i.Content))
	if i.Bytes%draftStep != 0 || text >= i.Bytes || text < i.Bytes-draftStep {
		a.violation(ruleCounts, subject, "it counts %d bytes, its text has %d", i.Bytes, text)
	}
}

func (a *audit) notePreview(subject string, i storedItem) {
	if i.ID != i.UserID {
		a.violation(ruleIDs, subject, "a preview link's id is its partition")
		return
	}
	a.previews[i.ID] = auditedPreview{owner: i.OwnerID, postID: i.PostID, expires: i.expires()}
}

func (a *audit) noteVersion(subject string, i storedItem) {
	if i.ID != schema.VersionID(i.Revision) {
		a.violation(ruleIDs, subject, "it is of revision %d", i.Revision)
	}
	a.checkStays(subject, i)
	if i.Revision < 1 {
		a.violation(ruleVersions, subject, "there is no revision %d", i.Revision)
	}
	a.versions[i.PostID] = max(a.versions[i.PostID], i.Revision)
}

// noteRevision records the revision of a live post, and its author if it is unpublished.
func (a *audit) noteRevision(i storedItem) {
	a.revisions[i.PostID] = i.Revision
	if i.Status == domain.Unpublished {
		a.withdrawn[i.PostID] = i.UserID
	}
}

// readSchedule reads the schedule. A database from before the schedule has no such container.
func (a *audit) readSchedule(ctx context.Context, db *client.Database) error {
	return readOptionalItems(ctx, a, db, schema.ScheduleContainer, wholeQuery, func(i storedItem) {
		subject := "schedule item " + i.ID
		switch {
		case i.Type == schema.TypeScheduledDeletion:
			a.noteScheduledDeletion(subject, i)
			return
		case i.Type == schema.TypeContinuation:
			a.noteContinuation(subject, i)
			return
		case i.Type == schema.TypeEmbedding:
			if i.Continuation == nil || i.ID != schema.EmbeddingID(i.PostID, i.Revision) {
				a.violation(ruleIDs, subject, "it is of revision %d of post %s", i.Revision, i.PostID)
			}
			a.checkStays(subject, i)
			return
		case i.Type == schema.TypePurge:
			a.notePurge(subject, i)
			return
		case i.Type == schema.TypeImporting:
			a.noteImporting(subject, i)
			return
		case i.Type != schema.TypeScheduledPost:
			a.violation(ruleTypes, subject, "type %q", i.Type)
			return
		case i.PublishDate == nil:
			a.violation(ruleScheduled, subject, "the entry has no time")
			return
		case i.ID != schema.ScheduledPostID(i.UserID, i.PostID, time.Time(*i.PublishDate)):
			a.violation(ruleIDs, subject, "it is of post %s by %s at %s", i.PostID, i.UserID,
				time.Time(*i.PublishDate).Format(schema.InstantLayout))
			return
		}
		a.checkStays(subject, i)
		a.scheduled[i.ID] = true
	})
}

// checkDrafts runs after everything was read. An entry of the schedule whose draft is deleted, or has another
// time, is sound: it is dropped when it is due. A draft with an unfinished preview link is sound, too.
func (a *audit) checkDrafts() {
	for key, d := range a.drafts {
		subject := "draft of post " + key.postID + " by " + key.author
		a.checkOwner(ruleDrafts, subject, key.author)
		if !d.scheduled.IsZero() && !a.scheduled[schema.ScheduledPostID(key.author, key.postID, d.scheduled)] {
			a.violation(ruleScheduled, subject, "no entry publishes it at %s",
				d.scheduled.Format(schema.InstantLayout))
		}
	}
	for postID, author := range a.withdrawn {
		if _, ok := a.drafts[draftKey{author, postID}]; !ok {
			a.violation(ruleWithdrawn, "post "+postID, "%s has no draft", author)
		}
	}
	for secret, p := range a.previews {
		subject := "preview link " + secret
		a.checkOwner(rulePreviews, subject, p.owner)
		if !p.expires && a.drafts[draftKey{p.owner, p.postID}].preview != secret {
			a.violation(rulePreviews, subject, "it does not expire, and no draft of post %s by %s refers to it",
				p.postID, p.owner)
		}
	}
	for postID, newest := range a.versions {
		if a.pages[postID] != nil {
			a.checkPageVersions(postID, newest)
			continue
		}
		p, subject := a.posts[postID], "versions of post "+postID
		switch {
		case p == nil || !p.present:
			a.violation(ruleOrphans, subject, "there is no such post")
		case p.deleted && p.erased:
			a.violation(ruleDeletions, "post "+postID, "versions are left")
		case p.live() && newest >= a.revisions[postID]:
			a.violation(ruleVersions, subject, "the newest is %d, the post is at %d", newest, a.revisions[postID])
		}
	}
}

func (a *audit) checkOwner(r rule, subject, userID string) {
	if userID == siteOwner {
		return
	}
	switch user := a.users[userID]; {
	case user == nil || !user.present:
		a.violation(r, subject, "there is no user %s", userID)
	case user.deleted:
		a.violation(r, subject, "the account %s is deleted", userID)
	}
}

// notePurge records and checks an entry of the schedule that deletes a post from the trash. It is sound even if the
// post was restored or deleted: then it is dropped when it is due.
func (a *audit) notePurge(subject string, i storedItem) {
	if i.Continuation == nil || i.ID != schema.ScheduledPostID(i.UserID, i.PostID, i.Continuation.Time()) {
		a.violation(ruleIDs, subject, "it is of post %s by %s at %s", i.PostID, i.UserID,
			i.Continuation.Time().Format(schema.InstantLayout))
	}
	a.checkStays(subject, i)
	a.purges[i.ID] = true
}

// checkTrash checks that each post in the trash has an entry that deletes it. It runs after the schedule was read.
func (a *audit) checkTrash() {
	for id, subject := range a.trash {
		if !a.purges[id] {
			a.violation(ruleTrash, subject, "no entry deletes it from the trash")
		}
	}
}
