package verify

import (
	"context"
	"slices"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// readTags reads the copies in tags. It runs after the posts were read. A database from before the tags has no
// such container, and its posts have no tags.
func (a *audit) readTags(ctx context.Context, db *client.Database) error {
	return readOptionalItems(ctx, a, db, schema.TagsContainer, wholeQuery, func(i storedItem) {
		subject := schema.TagsContainer + " item " + i.ID + " of " + i.Tag
		switch {
		case i.Type != schema.TypePost && i.Type != schema.TypeDeletedPost:
			a.violation(ruleTypes, subject, "type %q", i.Type)
		case i.ID != i.PostID:
			a.violation(ruleIDs, subject, "it is a copy of post %s", i.PostID)
		case i.Type == schema.TypeDeletedPost: // also under the key of an earlier release
			a.checkTagTombstone("tombstone of post "+i.PostID+" in tag "+i.Tag, i)
		case i.Tag != domain.TagKey(i.Tag):
			a.violation(ruleIDs, subject, "the key of such a tag is %q", domain.TagKey(i.Tag))
		default:
			a.checkTagged("copy of post "+i.PostID+" in tag "+i.Tag, i)
		}
	})
}

// belongs reports whether the post of a copy is listed and has the tag of the copy.
func (a *audit) belongs(i storedItem) bool {
	p := a.posts[i.PostID]
	return p != nil && p.listed() && slices.Contains(p.form.tags.Value().Keys(), i.Tag)
}

func (a *audit) checkTagged(subject string, i storedItem) {
	a.checkStays(subject, i)
	a.checkName(subject, i.UserID, i.author())
	if !a.belongs(i) {
		a.violation(ruleTags, subject, "the post does not exist, is not listed or does not have the tag")
		return
	}
	p := a.posts[i.PostID]
	p.tagged++
	a.checkCopy("tag "+i.Tag, i.PostID, a.copyForm(i), p.form)
}

func (a *audit) checkTagTombstone(subject string, i storedItem) {
	if a.belongs(i) {
		a.violation(ruleTombstones, subject, "the post is live")
	}
	a.checkTombstone(subject, i)
}

// checkTags checks that a post has a copy for each of its tags. It runs after all copies were read.
func (a *audit) checkTags(subject string, p *auditedPost) {
	if !p.listed() {
		return
	}
	if keys := p.form.tags.Value().Keys(); p.tagged < len(keys) {
		a.violation(ruleTags, subject, "of its tags %v %d have a copy", keys, p.tagged)
	}
}
