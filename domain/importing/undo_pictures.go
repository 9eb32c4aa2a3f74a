package importing

import (
	"context"
	"errors"
	"regexp"
	"slices"

	"inkfeed/domain"
)

// pictureAddress matches the addresses of pictures in texts.
var pictureAddress = regexp.MustCompile(regexp.QuoteMeta(domain.MediaPrefix) + `([a-z0-9]{26})-`)

// pictures deletes the imported pictures that no remaining post or draft has in its text or as its cover, and that the
// user's page does not show.
func (r *undoing) pictures(ctx context.Context) error {
	var imported []domain.Image
	err := r.Try(ctx, func() (err error) { imported, err = r.Images.Imported(ctx, r.User.ID, r.Job); return err })
	if err != nil || len(imported) == 0 {
		return err
	}
	shown := make(map[string]bool)
	show := func(text string, d domain.Details) {
		for _, match := range pictureAddress.FindAllStringSubmatch(text+"\n"+domain.MediaPrefix+d.Cover, -1) {
			shown[match[1]] = true
		}
	}
	var user domain.User
	err = r.Try(ctx, func() (err error) { user, err = r.Users.ByID(ctx, r.User.ID); return err })
	if err != nil {
		return err
	}
	show(user.Bio, domain.Details{Cover: user.Header.Name()})
	for post, err := range r.Texts.Posts(ctx, r.User.ID) {
		if err != nil {
			return err
		}
		show(post.Content, post.Details)
	}
	for draft, err := range r.Texts.Drafts(ctx, r.User.ID) {
		if err != nil {
			return err
		}
		show(draft.Content, draft.Details)
	}
	imported = slices.DeleteFunc(imported, func(i domain.Image) bool { return shown[i.Name.Hash] })
	for _, image := range imported {
		if err := r.Try(ctx, func() error { return r.Images.Delete(ctx, r.User.ID, image.Name) }); err != nil {
			return err
		}
	}
	if len(imported) == 0 {
		return nil
	}
	// An interrupted deletion blocks others for a while.
	var left []domain.Image
	err = r.Try(ctx, func() (err error) { left, err = r.Images.Imported(ctx, r.User.ID, r.Job); return err })
	if err == nil && slices.ContainsFunc(left, func(i domain.Image) bool { return !shown[i.Name.Hash] }) {
		err = errBeingDeleted
	}
	return err
}

var errBeingDeleted = errors.New("pictures are still being deleted by an earlier attempt")
