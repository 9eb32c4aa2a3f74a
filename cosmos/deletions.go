package cosmos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// The change feed shows no deletes. So what other partitions must hear of is not
// deleted but marked, in one write, and the workers do the rest: they take away
// what hangs on it, chunk by chunk, and give the marker a time to live as the last
// step. Whatever stops in between is found again by its marker.

// eraseBatches is how many transactions one step of an erasure takes at most, so
// that the neighbours in the change feed have their turn.
const eraseBatches = 10

// Delete deletes an author's post in one write, which leaves a marker without title
// and text, and with its tags until its copies are gone. From then on nobody finds the
// post; the posts projector takes away its comments, likes and copies. A post that is deleted already is no error, one that
// another user wrote is Forbidden.
func (p *Posts) Delete(ctx context.Context, postID, authorID string) error {
	ctx = operation(ctx, "delete-post")
	if !domain.IsID(postID) || !domain.IsUserID(authorID) {
		return errNoPost()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.userId = '%s'", ifLive, authorID))
	ops.AppendSet("/deletionDate", instant(time.Now()))
	ops.AppendRemove("/title")
	ops.AppendRemove("/content")
	ops.AppendRemove("/userUsername")
	// Few posts have these, and what is missing cannot be removed.
	ops.AppendSet("/userDisplayName", "")
	ops.AppendSet("/slug", "")
	ops.AppendIncrement("/version", 1)
	err := p.c.patch(ctx, postID, postID, ops)
	if statusOf(err) != http.StatusPreconditionFailed {
		return translate(err)
	}
	post, err := p.Latest(ctx, postID)
	if err == nil && post.AuthorID != authorID {
		return domain.Errorf(domain.Forbidden, "You can only delete your own posts.")
	}
	return err
}

// EraseResponses takes a step in taking away what is left on a deleted post:
// bookmarks become markers, by which their copies are found; comments and likes leave
// together with the counts, and past versions with them. It reports whether there may be more to do; then the step
// itself, which changes the post, brings it by the change feed again.
func (p *Posts) EraseResponses(ctx context.Context, postID string) (more bool, err error) {
	ctx = operation(ctx, "erase")
	for range eraseBatches {
		items, err := p.responses(ctx, postID)
		if err != nil || len(items) == 0 {
			return false, translate(err)
		}
		// What has just changed is found again.
		if err := p.remove(ctx, postID, items, func(authored) error { return nil }); err != nil {
			return false, translate(err)
		}
	}
	return true, nil
}

// responses finds some of what is to go with a post, in the order of an index, which
// ends the search after so many.
func (p *Posts) responses(ctx context.Context, postID string) ([]authored, error) {
	for _, filter := range []string{`c.type = 'bookmark' AND NOT IS_DEFINED(c.deletionDate)`, `c.type IN ('comment', 'like', 'version')`} {
		items, err := query[authored](ctx, p.c, postID, `SELECT TOP 99 `+authoredProperties+`
			 FROM c WHERE c.postId = @post AND `+filter+` ORDER BY c.type ASC, c.creationDate ASC, c.id ASC`,
			parameters{"post": postID})
		if err != nil || len(items) > 0 {
			return items, err
		}
	}
	return nil, nil
}

// FinishErasure is the last step of deleting a post: the marker says that nothing
// is left of it and goes itself after domain.MarkerTime.
func (p *Posts) FinishErasure(ctx context.Context, postID string) error {
	var ops azcosmos.PatchOperations
	ops.AppendSet("/tags", tagNames{}) // by which the copies were found until now
	ops.AppendSet("/formerTags", tagNames{})
	ops.AppendSet("/slug", "")
	return translate(finishErasure(operation(ctx, "erase"), p.c, postID, ops))
}

// finishErasure adds to what ops change of the marker.
func finishErasure(ctx context.Context, c *container, id string, ops azcosmos.PatchOperations) error {
	ops.SetCondition("from c where is_defined(c.deletionDate) and not is_defined(c.erased)")
	ops.AppendSet("/erased", true)
	ops.AppendSet("/ttl", int(domain.MarkerTime.Seconds()))
	err := c.patch(ctx, id, id, ops)
	if status := statusOf(err); status == http.StatusPreconditionFailed || status == http.StatusNotFound {
		return nil // another worker's, or its own earlier attempt
	}
	return err
}

// EraseAuthored takes away what a deleted user wrote, some of it at a time: the
// user's posts are marked as deleted, and so are bookmarks; comments and likes leave
// their posts together with the counts. It reports whether there may be more to do.
func (p *Posts) EraseAuthored(ctx context.Context, userID string) (more bool, err error) {
	ctx = operation(ctx, "erase")
	byPost, more, err := p.authoredBy(ctx, `c.userId = @user AND NOT IS_DEFINED(c.deletionDate)`, parameters{"user": userID})
	if err != nil {
		return false, translate(err)
	}
	for postID, items := range byPost {
		if items[0].ID == postID { // a post of the user's own: all its responses go with it
			err = p.Delete(ctx, postID, userID)
		} else {
			err = p.withdraw(ctx, postID, items)
		}
		if err != nil && kindOf(err) != domain.NotFound {
			return false, translate(err)
		}
	}
	return more, nil
}

// withdraw removes what one user left on a post, which others may have answered.
func (p *Posts) withdraw(ctx context.Context, postID string, items []authored) error {
	var alone, threaded []authored
	for _, item := range items {
		if item.ParentID != "" || item.ReplyCount > 0 {
			threaded = append(threaded, item)
		} else {
			alone = append(alone, item)
		}
	}
	one := func(item authored) error {
		if item.Type != typeComment {
			return nil // it is gone
		}
		_, err := p.takeComment(ctx, postID, item.ID, "", nil)
		return err
	}
	if err := p.remove(ctx, postID, alone, one); err != nil {
		return err
	}
	for _, item := range threaded {
		if err := one(item); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes what is on a post, with its counts, whatever hangs on that; bookmarks
// it marks as deleted. What was changed or is gone is left to changed. The post may be
// deleted itself.
func (p *Posts) remove(ctx context.Context, postID string, items []authored, changed func(authored) error) error {
	for some := range slices.Chunk(items, maxBatch-1) { // and the counts
		if err := p.removeSome(ctx, postID, some, changed); err != nil {
			return err
		}
	}
	return nil
}

func (p *Posts) removeSome(ctx context.Context, postID string, items []authored, changed func(authored) error) error {
	batch := p.c.batch(postID)
	comments, likes := int64(0), int64(0)
	for _, item := range items {
		switch item.Type {
		case typeBookmark:
			batch.PatchItem(item.ID, withdrawing(item.Version), ifMatch(item.ETag))
		case typeComment: // which may get a reply, or become a placeholder, meanwhile
			batch.DeleteItem(item.ID, ifMatch(item.ETag))
			if item.counts() {
				comments++
			}
		case typeLike:
			batch.DeleteItem(item.ID, nil)
			likes++
		default:
			batch.DeleteItem(item.ID, nil)
		}
	}
	batch.PatchItem(postID, taking(comments, likes), nil)
	_, err := p.c.execute(ctx, batch, false)
	switch {
	case err == nil:
		return nil
	case failedAt(err, len(items), http.StatusNotFound):
		return fmt.Errorf("post %s, which has comments or likes, is not there: %w", postID, err)
	case !failedBatch(err, http.StatusNotFound) && !failedBatch(err, http.StatusPreconditionFailed):
		return err
	case len(items) == 1:
		return changed(items[0])
	}
	for _, item := range items { // some are gone or have changed: the others are still to go
		if err := p.removeSome(ctx, postID, []authored{item}, changed); err != nil {
			return err
		}
	}
	return nil
}

// taking is the patch of a post, deleted or not, that goes with what is taken from it.
func taking(comments, likes int64) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/commentCount", -comments)
	ops.AppendIncrement("/likeCount", -likes)
	ops.AppendIncrement("/version", 1)
	return ops
}

// Delete deletes an account in one write, which leaves a marker and takes the
// password. From then on nobody finds the user; the users projector takes away what
// the user wrote and, last, frees the usernames. An account that is deleted already
// is no error. It answers Conflict when nobody would be left who administers the site.
func (u *Users) Delete(ctx context.Context, userID string) error {
	if !domain.IsUserID(userID) {
		return errNoUser()
	}
	_, err := u.deleteIf(operation(ctx, "delete-user"), userID, ifLive)
	return translate(err)
}

// deleteIf deletes an account if it is as the condition says, and reports whether it was.
func (u *Users) deleteIf(ctx context.Context, userID, condition string) (deleted bool, err error) {
	if err := u.letGoDeleted(ctx, userID); err != nil {
		return false, err
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(condition)
	ops.AppendSet("/deletionDate", instant(time.Now()))
	batch := u.c.batch(userID)
	batch.PatchItem(userID, ops, nil)
	batch.DeleteItem(credentialsID, nil)
	_, err = u.c.execute(ctx, batch, false)
	if failedAt(err, 1, http.StatusNotFound) { // an account without a password
		err = u.c.patch(ctx, userID, userID, ops)
	}
	if statusOf(err) == http.StatusPreconditionFailed {
		return false, nil
	}
	return err == nil, err
}

// letGoDeleted is letGo for a user who is about to be deleted, if the user administers. That
// the list forgets the user is of the last steps.
func (u *Users) letGoDeleted(ctx context.Context, userID string) error {
	user, err := u.accountItem(ctx, userID)
	if err != nil || !user.administrates() {
		if domain.Is(err, domain.NotFound) {
			return nil
		}
		return err
	}
	last := u.letGo(ctx, userID)
	if !errors.Is(last, errLastAdministrator) {
		return last
	}
	// Whoever is there alone needs no successor. As soon as the list says that nobody stays,
	// who signs up claims to be the first; who had done so just before is found after that.
	if others, err := u.hasOthers(ctx, userID); err != nil || others {
		return cmp.Or(err, last)
	}
	if err := u.letGoAlone(ctx, userID); err != nil {
		return err
	}
	others, err := u.hasOthers(ctx, userID)
	if err != nil || !others {
		return err
	}
	return cmp.Or(u.goesOn(ctx, userID), last)
}

// hasOthers tells whether there is anybody else, sample accounts aside.
func (u *Users) hasOthers(ctx context.Context, userID string) (bool, error) {
	err := scan(ctx, u.c, `SELECT c.id FROM c WHERE c.type = 'user' AND c.userId != @user
		AND NOT IS_DEFINED(c.deletionDate) AND NOT IS_DEFINED(c.sample)`, parameters{"user": userID}, func(userItem) error { return errFound })
	if errors.Is(err, errFound) {
		return true, nil
	}
	return false, err
}

// Again changes a user in no way but that the user comes by the change feed once
// more: the next step of something that takes several.
func (u *Users) Again(ctx context.Context, userID string) error {
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/steps", 1)
	return translate(u.c.patch(operation(ctx, "again"), userID, userID, ops))
}

// FinishErasure is the last step of deleting an account: the user's drafts go with all
// that leads to them, the sessions end, all usernames and the e-mail address of the user become free, and the marker says that nothing is left and goes itself after
// domain.MarkerTime.
func (u *Users) FinishErasure(ctx context.Context, userID string) error {
	ctx = operation(ctx, "erase")
	if err := u.eraseDrafts(ctx, userID); err != nil {
		return translate(err)
	}
	if err := u.eraseBlocks(ctx, userID); err != nil {
		return translate(err)
	}
	if err := u.importJobs.erase(ctx, userID); err != nil {
		return translate(err)
	}
	if err := u.imports.erase(ctx, userID); err != nil {
		return translate(err)
	}
	if err := u.reports.forget(ctx, userID); err != nil {
		return translate(err)
	}
	if err := u.reviews.forget(ctx, userID); err != nil {
		return translate(err)
	}
	if err := u.invitations.erase(ctx, userID); err != nil {
		return translate(err)
	}
	if err := u.SettleAdministration(ctx, userID); err != nil {
		return err
	}
	if err := u.sessions.DeleteOthers(ctx, userID, ""); err != nil {
		return err
	}
	var names, links []string // names, how they look, and an address
	err := scan(ctx, u.c, `SELECT c.id, c.type FROM c WHERE c.type IN ('username', 'skeleton', 'preview', 'email') AND c.ownerId = @user`,
		parameters{"user": userID}, func(owned usernameItem) error {
			if owned.Type == typePreview {
				links = append(links, owned.ID)
			} else {
				names = append(names, owned.ID)
			}
			return nil
		})
	if err != nil {
		return translate(err)
	}
	for _, link := range links { // of drafts that were published, or went while the link was made
		if err := u.c.delete(ctx, link, link); err != nil && !missing(err) {
			return translate(err)
		}
	}
	for _, name := range names {
		if err := u.freeName(ctx, name, userID); err != nil {
			return translate(err)
		}
	}
	var ops azcosmos.PatchOperations
	ops.AppendSet("/username", "")
	ops.AppendSet("/displayName", "")
	return translate(finishErasure(ctx, u.c, userID, ops))
}

// eraseDrafts deletes all drafts of a user. Their entries in the schedule are dropped
// when their time comes.
func (u *Users) eraseDrafts(ctx context.Context, userID string) error {
	drafts, err := query[draftItem](ctx, u.c, userID,
		`SELECT c.id, c.userId, c.preview FROM c WHERE c.userId = @user AND c.type = 'draft'`, parameters{"user": userID})
	for _, draft := range drafts {
		if err == nil {
			err = u.eraseDraft(ctx, draft)
		}
	}
	return err
}

// eraseDraft deletes a draft in whatever state, after the link to it.
func (u *Users) eraseDraft(ctx context.Context, draft draftItem) error {
	if draft.Preview != "" {
		if err := u.c.delete(ctx, draft.Preview, draft.Preview); err != nil && !missing(err) {
			return err
		}
	}
	if err := u.c.delete(ctx, draft.UserID, draft.ID); !missing(err) {
		return err
	}
	return nil
}

// clockMargin is by how much the clocks of two servers may differ. A leftover that stays
// does no harm; a text that its author goes on with would be lost.
const clockMargin = time.Minute

// EraseOf deletes the draft of a deleted post. One with which its author has gone on as a
// new post since stays, with the link to it.
func (s *Drafts) EraseOf(ctx context.Context, deleted domain.Post) error {
	ctx = operation(ctx, "erase")
	for attempt := 1; ; attempt++ {
		item, err := s.read(ctx, deleted.AuthorID, deleted.ID)
		switch {
		case domain.Is(err, domain.NotFound):
			return nil
		case err != nil:
			return err
		case item.Revision == 0 && item.domain().Saved.After(deleted.Deleted.Add(-clockMargin)):
			return translate(s.linkAgain(ctx, item))
		}
		// While the draft says the secret, the link can be found.
		if err := s.deletePreview(ctx, item.Preview); err != nil {
			return translate(err)
		}
		if err := s.drop(ctx, item); !domain.Is(err, domain.Conflict) || attempt == rewriteAttempts {
			return err
		}
	}
}

// linkAgain makes the link to a draft that an earlier attempt to erase it may have taken,
// unless the draft has lost it, or is gone, by now.
func (s *Drafts) linkAgain(ctx context.Context, item draftItem) error {
	if item.Preview == "" {
		return nil
	}
	secret := item.Preview
	err := s.c.create(ctx, secret, previewItem{ID: secret, Type: typePreview, UserID: secret, OwnerID: item.UserID, PostID: item.PostID})
	if statusOf(err) == http.StatusConflict {
		return nil
	}
	if err != nil {
		return err
	}
	draft, err := s.read(ctx, item.UserID, item.PostID)
	switch {
	case domain.Is(err, domain.NotFound), err == nil && draft.Preview != secret:
		return s.deletePreview(ctx, secret)
	}
	return err
}

// Erase deletes a draft of an account that was deleted, whatever it says. One that is
// gone is no error.
func (s *Drafts) Erase(ctx context.Context, userID, postID string) error {
	ctx = operation(ctx, "erase")
	item, err := s.read(ctx, userID, postID)
	switch {
	case domain.Is(err, domain.NotFound):
		return nil
	case err != nil:
		return err
	}
	return translate(s.users.eraseDraft(ctx, item))
}

// freeName deletes a username's reservation if the user still owns it. Another worker may
// have freed the name already, and another user may have taken it since.
func (u *Users) freeName(ctx context.Context, name, ownerID string) error {
	for attempt := 1; ; attempt++ {
		item, err := read[usernameItem](ctx, u.c, name, name)
		if err == nil && item.OwnerID != ownerID {
			return nil
		}
		if err == nil {
			err = u.c.deleteVersion(ctx, name, name, item.ETag)
		}
		if missing(err) {
			return nil
		}
		// A failed precondition means that the name was confirmed or taken by another user in the meantime.
		if statusOf(err) != http.StatusPreconditionFailed {
			return err
		}
		if attempt == rewriteAttempts {
			return errBusyName(err)
		}
		if err := pauseAfter(ctx, attempt); err != nil {
			return err
		}
	}
}

// errBusyName reports that other requests kept changing a reservation. The caller may try
// again later.
func errBusyName(err error) error {
	return &domain.Error{Kind: domain.Unavailable,
		Message: "This username is being changed right now. Please try again in a moment.", Err: err}
}
