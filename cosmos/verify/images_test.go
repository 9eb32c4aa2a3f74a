package verify

import (
	"context"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

var worldImage = domain.ImageName{Hash: "abcdefghijkmnpqrstuvwxyz23", Width: 5, Height: 5, Ext: domain.ExtPNG}

// addImage gives ada a picture, and an avatar with the same bytes, which it propagates.
func addImage(ctx context.Context, w *world) error {
	avatar := worldImage
	avatar.Width = 6
	for _, image := range []domain.Image{
		{Name: worldImage, UserID: w.ada.ID, Bytes: 100, Created: w.ada.Created},
		{Name: avatar, UserID: w.ada.ID, Bytes: 100, Created: w.ada.Created, Avatar: true},
	} {
		if _, err := w.Images.Begin(ctx, image); err != nil {
			return err
		}
	}
	if err := w.Images.Complete(ctx, w.ada.ID, avatar); err != nil {
		return err
	}
	if err := w.Profiles.SetAvatar(ctx, w.ada.ID, avatar.String()); err != nil {
		return err
	}
	as := domain.Author{Name: w.ada.Username, Avatar: avatar.String()}
	if _, err := w.Posts.PropagateName(ctx, w.ada.ID, as, 1000); err != nil {
		return err
	}
	if err := w.Users.MarkPropagated(ctx, w.ada.ID, w.ada.NameVersion+1); err != nil {
		return err
	}
	return projectWorld(ctx, w)
}

func brokenImages() []brokenCase {
	record := func(properties anyItem) worldStep {
		return func(ctx context.Context, w *world) error {
			item := anyItem{"id": schema.ImageID(worldImage.String()), "type": "image", "userId": w.ada.ID,
				"name": worldImage.String(),
				"alt":  "", "bytes": 100, "creationDate": schema.Instant(w.ada.Created)}
			for name, value := range properties {
				item[name] = value
			}
			return w.put(ctx, w.Container(schema.UsersContainer), item)
		}
	}
	return []brokenCase{
		{ruleIDs, "a picture with another id", "follows from its name", record(anyItem{"id": "image.other.png"})},
		{ruleShapes, "a picture with a malformed name", `"x.png" names no picture`,
			record(anyItem{"id": "image.x.png", "name": "x.png"})},
		{ruleExpiry, "a picture", "in 60 seconds", after(addImage, record(anyItem{"ttl": 60}))},
		{ruleCounts, "a picture that is not counted", "0 pictures of 0 bytes are counted, there are 1 of 100",
			record(nil)},
		{ruleCounts, "a wrong sum of bytes", "2 pictures of 200 bytes are counted, there are 2 of 300",
			after(addImage, record(anyItem{"bytes": 200}))},
		{ruleAvatars, "an avatar without a record", "there is no record of x.png",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID, set("/avatar", "x.png"))
			}},
		{ruleAvatars, "a header without a record", "there is no record of the header x.png",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID,
					set("/header", map[string]string{"name": "x.png"}))
			}},
		{ruleAvatars, "an avatar that is an ordinary picture", "there is no record of " + worldImage.String(),
			after(addImage, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID,
					set("/avatar", worldImage.String()))
			})},
		{ruleOrphans, "a picture of an unknown user", "there is no such user",
			record(anyItem{"userId": domain.NewUserID(nil)})},
		{ruleDeletions, "a remaining picture", "1 pictures are left", after(deleteAda, record(nil))},
	}
}
