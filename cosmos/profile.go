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
	"inkfeed/domain/names"
	"inkfeed/domain/siteinfo"
)

// SetProfile changes what a user says about themselves and their blog. The profile is one that domain.CleanProfile has
// returned.
func (u *Users) SetProfile(ctx context.Context, userID string, p domain.Profile) error {
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
	return u.patchUser(writingUser.In(ctx), userID, ops)
}

// SetHeader makes one of a user's pictures the header of their page, with a description. The zero value removes the
// header. SetHeader returns an Invalid error about the field "picture" if the user has no such picture, or if the
// picture is being uploaded or deleted.
func (u *Users) SetHeader(ctx context.Context, userID string, header domain.Cover) error {
	ctx = writingUser.In(ctx)
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	var user, record azcosmos.PatchOperations
	user.SetCondition(schema.IfLive)
	user.AppendSet("/header", header)
	if !header.Exists() {
		return u.patchUser(ctx, userID, user)
	}
	record.SetCondition("from c where c.type = 'image' and not is_defined(c.incomplete)")
	record.AppendSet("/type", schema.TypeImage) // unchanged: a patch needs an operation
	batch := u.c.Batch(userID)
	batch.PatchItem(userID, user, nil)
	batch.PatchItem(schema.ImageID(header.Name()), record, nil)
	_, err := u.c.Execute(ctx, batch, false)
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
func (u *Users) Pin(ctx context.Context, userID, postID string, gone []string) error {
	return u.changePins(ctx, userID, func(pins []string) ([]string, error) {
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
func (u *Users) Unpin(ctx context.Context, userID, postID string) error {
	return u.changePins(ctx, userID, func(pins []string) ([]string, error) {
		return slices.DeleteFunc(pins, func(id string) bool { return id == postID }), nil
	})
}

// changePins replaces a user's pinned posts by the result of change, which may change its argument.
func (u *Users) changePins(ctx context.Context, userID string, change func([]string) ([]string, error)) error {
	ctx = writingUser.In(ctx)
	return client.Rewrite(ctx, func() error {
		item, err := u.accountItem(ctx, userID)
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
		err = u.c.PatchVersion(ctx, userID, userID, item.ETag, ops)
		return client.Lost(client.Translate(err))
	})
}

// SetLanguage changes the language of the interface for a user. It is the code of a locale, or empty for the language
// that the browser asks for.
func (u *Users) SetLanguage(ctx context.Context, userID, code string) error {
	return u.setProperty(writingUser.In(ctx), userID, "/language", code)
}

// SetAvatar makes an uploaded picture the user's avatar. An empty name removes the avatar. The write raises
// nameVersion, so the users projector updates the copies, as after a rename, and then deletes the former avatar. If the
// user already has this avatar, SetAvatar changes nothing. It returns Conflict if the picture was deleted because
// another one was chosen at the same time.
func (u *Users) SetAvatar(ctx context.Context, userID, name string) error {
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
		err := u.c.Patch(ctx, userID, userID, user)
		if client.ConditionFailed(err) {
			return u.checkLive(ctx, userID)
		}
		return client.Translate(err)
	}
	record.SetCondition("from c where c.type = 'avatar' and not is_defined(c.incomplete)")
	record.AppendSet("/type", schema.TypeAvatar) // unchanged: a patch needs an operation
	batch := u.c.Batch(userID)
	batch.PatchItem(userID, user, nil)
	batch.PatchItem(schema.ImageID(name), record, nil)
	_, err := u.c.Execute(ctx, batch, false)
	switch {
	case client.FailedAt(err, 0, http.StatusPreconditionFailed):
		return u.checkLive(ctx, userID)
	case client.FailedAt(err, 0, http.StatusNotFound):
		return schema.ErrNoUser()
	case client.FailedBatch(err, http.StatusPreconditionFailed), client.FailedBatch(err, http.StatusNotFound):
		return domain.NewError(domain.Conflict,
			"You are uploading another picture right now. Please try again in a moment.")
	}
	return client.Translate(err)
}

// checkLive returns NotFound for a user who is deleted.
func (u *Users) checkLive(ctx context.Context, userID string) error {
	_, err := u.account(ctx, userID)
	return err
}

// setProperty sets one property of a user who is not deleted.
func (u *Users) setProperty(ctx context.Context, userID, path, value string) error {
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive)
	ops.AppendSet(path, value)
	return u.patchUser(ctx, userID, ops)
}

// patchUser changes a user. It returns NotFound if the condition of ops does not hold.
func (u *Users) patchUser(ctx context.Context, userID string, ops azcosmos.PatchOperations) error {
	err := u.c.Patch(ctx, userID, userID, ops)
	if client.ConditionFailed(err) {
		return schema.ErrNoUser()
	}
	return client.Translate(err)
}

// Rename is request C1 too: it reserves the new name, changes the user in one write and confirms
// the reservation. The users projector then updates the name in everything the user wrote. The old
// name stays reserved for the user, so that its address can redirect. Rename returns an Invalid error for the field
// "username" if another user has the name, or if the name is new and the user has domain.MaxFormerNames former ones.
func (u *Users) Rename(ctx context.Context, userID, username string) (domain.User, error) {
	ctx = writingUser.In(ctx)
	username, err := domain.CleanUsername(username)
	if err != nil {
		return domain.User{}, err
	}
	user, err := u.ByID(ctx, userID)
	if err != nil || user.Username == username {
		return user, err
	}
	if names.NameKey(username) != names.NameKey(user.Username) {
		if err := domain.CheckReserved(username); err != nil {
			return domain.User{}, err
		}
		if err := u.checkFormerNames(ctx, user, username); err != nil {
			return domain.User{}, client.Translate(err)
		}
	}
	if err := u.reserve(ctx, userID, username, user.Username); err != nil {
		return domain.User{}, client.Translate(err)
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.nameVersion = %d", schema.IfLive, user.NameVersion))
	ops.AppendSet("/username", username)
	ops.AppendIncrement("/nameVersion", 1)
	item, err := client.PatchReturning[userItem](ctx, u.c, userID, userID, ops)
	if client.ConditionFailed(err) {
		// Another rename came first, an earlier attempt of this call succeeded, or the account was
		// deleted.
		if user, err = u.ByID(ctx, userID); err == nil && user.Username != username {
			return domain.User{}, domain.NewError(domain.Conflict,
				"Your username was changed in another tab or on another device.")
		}
		if err == nil {
			u.tryConfirm(ctx, userID, username)
		}
		return user, err
	}
	if err != nil {
		return domain.User{}, client.Translate(err)
	}
	u.tryConfirm(ctx, userID, username)
	return item.domain(), nil
}

// checkFormerNames returns an error if a rename would give a user more than domain.MaxFormerNames former names. Each
// rename raises the version of the name, so a low version needs no query.
func (u *Users) checkFormerNames(ctx context.Context, user domain.User, username string) error {
	if user.NameVersion <= domain.MaxFormerNames {
		return nil
	}
	count, own := 0, false
	err := client.Scan(ctx, u.c, `SELECT c.id FROM c WHERE c.type = 'username' AND c.ownerId = @user`,
		client.Parameters{"user": user.ID}, func(name usernameItem) error {
			count++
			own = own || name.ID == names.NameKey(username)
			return nil
		})
	if err == nil && !own && count > domain.MaxFormerNames {
		err = domain.ErrFormerNames()
	}
	return err
}

// SetDisplayName changes a user's display name. An empty name removes it. Like a rename, this is one
// write of the user, and the users projector updates the copies.
func (u *Users) SetDisplayName(ctx context.Context, userID, displayName string) (domain.User, error) {
	ctx = writingUser.In(ctx)
	return client.RewriteReturning(ctx, func() (domain.User, error) {
		user, err := u.ByID(ctx, userID)
		if err != nil || user.DisplayName == displayName {
			return user, err
		}
		var ops azcosmos.PatchOperations
		ops.SetCondition(fmt.Sprintf("%s and c.nameVersion = %d", schema.IfLive, user.NameVersion))
		ops.AppendSet("/displayName", displayName)
		ops.AppendIncrement("/nameVersion", 1)
		item, err := client.PatchReturning[userItem](ctx, u.c, userID, userID, ops)
		// A simultaneous rename is no conflict. If an earlier attempt of this call succeeded, the
		// next iteration finds the display name set.
		return item.domain(), client.AgainIf(client.ConditionFailed(err), client.Translate(err))
	})
}

// MarkPropagated records that a version of the user's name is on all their posts, comments and likes.
func (u *Users) MarkPropagated(ctx context.Context, userID string, nameVersion int) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.spreadVersion < %d", nameVersion))
	ops.AppendSet("/spreadVersion", nameVersion)
	err := u.c.Patch(client.SpreadingName.In(ctx), userID, userID, ops)
	if client.ConditionFailed(err) {
		return nil // a later version is recorded already
	}
	return client.Translate(err)
}
