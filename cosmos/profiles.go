package cosmos

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// Profiles stores what users choose for themselves: profile, display name, pictures, pinned posts and language. All of
// it is in the user item, in the user's partition of the container users.
type Profiles struct {
	c     *client.Container
	users *Users
}

// SetProfile changes what a user says about themselves and their blog. The profile is one that domain.CleanProfile has
// returned.
func (s *Profiles) SetProfile(ctx context.Context, userID string, p domain.Profile) error {
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	links := p.SetLinks()
	if links == nil {
		links = []siteinfo.Link{}
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive)
	ops.AppendSet("/bio", p.Bio)
	ops.AppendSet("/blogTitle", p.BlogTitle)
	ops.AppendSet("/links", links)
	ops.AppendSet("/writingLanguage", p.WritingLanguage)
	return s.patchUser(writingUser.In(ctx), userID, ops)
}

// SetHeader makes one of a user's pictures the header of their page, with a description. The zero value removes the
// header. SetHeader returns an Invalid error about the field "picture" if the user has no such picture, or if the
// picture is being uploaded or deleted.
func (s *Profiles) SetHeader(ctx context.Context, userID string, header domain.Cover) error {
	ctx = writingUser.In(ctx)
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	var user, record azcosmos.PatchOperations
	user.SetCondition(schema.IfLive)
	user.AppendSet("/header", header)
	if !header.Exists() {
		return s.patchUser(ctx, userID, user)
	}
	record.SetCondition("from c where c.type = 'image' and not is_defined(c.incomplete)")
	record.AppendSet("/type", schema.TypeImage) // unchanged: a patch needs an operation
	batch := s.c.Batch(userID)
	batch.PatchItem(userID, user, nil)
	batch.PatchItem(schema.ImageID(header.Name()), record, nil)
	_, err := s.c.Execute(ctx, batch, false)
	switch {
	case client.FailedAt(err, 0, http.StatusPreconditionFailed), client.FailedAt(err, 0, http.StatusNotFound):
		return schema.ErrNoUser()
	case client.FailedBatch(err, http.StatusPreconditionFailed), client.FailedBatch(err, http.StatusNotFound):
		return domain.ErrNotOwnPicture()
	}
	return client.Translate(err)
}

// Pin pins a post to the top of its author's page, above the posts that are pinned already, and unpins the posts gone.
// It returns Conflict if the author has pinned as many posts as possible. Repeating it changes nothing.
func (s *Profiles) Pin(ctx context.Context, userID, postID string, gone []string) error {
	return s.changePins(ctx, userID, func(pins []string) ([]string, error) {
		if slices.Contains(pins, postID) {
			return pins, nil
		}
		pins = slices.DeleteFunc(pins, func(id string) bool { return slices.Contains(gone, id) })
		if len(pins) >= domain.MaxPins {
			return nil, domain.ErrManyPins()
		}
		return slices.Insert(pins, 0, postID), nil
	})
}

// Unpin undoes Pin. Repeating it changes nothing.
func (s *Profiles) Unpin(ctx context.Context, userID, postID string) error {
	return s.changePins(ctx, userID, func(pins []string) ([]string, error) {
		return slices.DeleteFunc(pins, func(id string) bool { return id == postID }), nil
	})
}

// changePins replaces a user's pinned posts by the result of change, which may change its argument.
func (s *Profiles) changePins(ctx context.Context, userID string, change func([]string) ([]string, error)) error {
	ctx = writingUser.In(ctx)
	return client.Rewrite(ctx, func() error {
		item, err := s.users.accountItem(ctx, userID)
		if err != nil {
			return err
		}
		pins, err := change(slices.Clone(item.Pins))
		if err != nil || slices.Equal(pins, item.Pins) {
			return err
		}
		if pins == nil {
			pins = []string{}
		}
		var ops azcosmos.PatchOperations
		ops.AppendSet("/pins", pins)
		err = s.c.PatchVersion(ctx, userID, userID, item.ETag, ops)
		return client.Lost(client.Translate(err))
	})
}

// SetLanguage changes the language of the interface for a user. It is the code of a locale, or empty for the language
// that the browser asks for.
func (s *Profiles) SetLanguage(ctx context.Context, userID, code string) error {
	return s.set(ctx, userID, "/language", code)
}

// SetPrefersFollowing says whether the personal feed is a user's front page.
func (s *Profiles) SetPrefersFollowing(ctx context.Context, userID string, prefers bool) error {
	return s.set(ctx, userID, "/prefersFollowing", prefers)
}

// SetHidesFollows hides the lists of whom a user follows and who follows the user, or shows them again.
func (s *Profiles) SetHidesFollows(ctx context.Context, userID string, hides bool) error {
	return s.set(ctx, userID, "/hidesFollows", hides)
}

// SetFeedSecret changes the secret in the address of a user's private feed. An empty one ends the feed.
func (s *Profiles) SetFeedSecret(ctx context.Context, userID, secret string) error {
	return s.set(ctx, userID, "/feedSecret", secret)
}

// set changes a property of a user.
func (s *Profiles) set(ctx context.Context, userID, path string, value any) error {
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive)
	ops.AppendSet(path, value)
	return s.patchUser(writingUser.In(ctx), userID, ops)
}

// SetAvatar makes an uploaded picture the user's avatar. An empty name removes the avatar. The write raises
// nameVersion, so the users projector updates the copies, as after a rename, and then deletes the former avatar. If the
// user already has this avatar, SetAvatar changes nothing. It returns Conflict if the picture was deleted because
// another one was chosen at the same time.
func (s *Profiles) SetAvatar(ctx context.Context, userID, name string) error {
	ctx = writingUser.In(ctx)
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	var user, record azcosmos.PatchOperations
	user.SetCondition(fmt.Sprintf("%s and c.avatar != '%s'", schema.IfLive, name))
	if name != "" {
		user.SetCondition(fmt.Sprintf("%s and (not is_defined(c.avatar) or c.avatar != '%s')", schema.IfLive, name))
	}
	user.AppendSet("/avatar", name)
	user.AppendIncrement("/nameVersion", 1)
	if name == "" {
		err := s.c.Patch(ctx, userID, userID, user)
		if client.ConditionFailed(err) {
			return s.checkLive(ctx, userID)
		}
		return client.Translate(err)
	}
	record.SetCondition("from c where c.type = 'avatar' and not is_defined(c.incomplete)")
	record.AppendSet("/type", schema.TypeAvatar) // unchanged: a patch needs an operation
	batch := s.c.Batch(userID)
	batch.PatchItem(userID, user, nil)
	batch.PatchItem(schema.ImageID(name), record, nil)
	_, err := s.c.Execute(ctx, batch, false)
	switch {
	case client.FailedAt(err, 0, http.StatusPreconditionFailed):
		return s.checkLive(ctx, userID)
	case client.FailedAt(err, 0, http.StatusNotFound):
		return schema.ErrNoUser()
	case client.FailedBatch(err, http.StatusPreconditionFailed), client.FailedBatch(err, http.StatusNotFound):
		return domain.NewError(domain.Conflict,
			"You are uploading another picture right now. Please try again in a moment.")
	}
	return client.Translate(err)
}

// checkLive returns NotFound for a user who is deleted.
func (s *Profiles) checkLive(ctx context.Context, userID string) error {
	_, err := s.users.account(ctx, userID)
	return err
}

// patchUser changes a user. It returns NotFound if the condition of ops does not hold.
func (s *Profiles) patchUser(ctx context.Context, userID string, ops azcosmos.PatchOperations) error {
	err := s.c.Patch(ctx, userID, userID, ops)
	if client.ConditionFailed(err) {
		return schema.ErrNoUser()
	}
	return client.Translate(err)
}

// SetDisplayName changes a user's display name. An empty name removes it. Like a rename, this is one
// write of the user, and the users projector updates the copies.
func (s *Profiles) SetDisplayName(ctx context.Context, userID, displayName string) (domain.User, error) {
	ctx = writingUser.In(ctx)
	return client.RewriteReturning(ctx, func() (domain.User, error) {
		user, err := s.users.ByID(ctx, userID)
		if err != nil || user.DisplayName == displayName {
			return user, err
		}
		var ops azcosmos.PatchOperations
		ops.SetCondition(fmt.Sprintf("%s and c.nameVersion = %d", schema.IfLive, user.NameVersion))
		ops.AppendSet("/displayName", displayName)
		ops.AppendIncrement("/nameVersion", 1)
		item, err := client.PatchReturning[userItem](ctx, s.c, userID, userID, ops)
		// A simultaneous rename is no conflict. If an earlier attempt of this call succeeded, the
		// next iteration finds the display name set.
		return item.domain(), client.AgainIf(client.ConditionFailed(err), client.Translate(err))
	})
}
