// Package uploads receives pictures in forms, and stores their files and records.
package uploads

import (
	"context"
	"sync"

	"inkfeed/domain"
	"inkfeed/domain/picture"
	"inkfeed/web/site"
)

// PictureMaker converts uploaded files into pictures. It fails with Invalid about the field "file",
// and wraps picture.ErrFormat if the format is not supported.
type PictureMaker interface {
	Make(ctx context.Context, userID string, file []byte) (picture.Picture, error)
	MakeAvatar(ctx context.Context, userID string, file []byte) (picture.Picture, error)
	MakeLogo(ctx context.Context, file []byte) (picture.Brand, error)
	MakeIcon(ctx context.Context, file []byte) (picture.Brand, error)
}

// Uploads receives and stores pictures.
type Uploads struct {
	Store
	pictures PictureMaker
	slots    site.Slots

	mu    sync.Mutex
	users map[string]*userUploads // users who have a slot or wait for one
}

// NewUploads returns an Uploads.
func NewUploads(store Store, pictures PictureMaker) *Uploads {
	return &Uploads{Store: store, pictures: pictures, slots: make(site.Slots, MaxUploads),
		users: make(map[string]*userUploads)}
}

// SavePicture stores a picture of a user with its description. It returns the existing picture if
// the file was downloaded from this site.
func (u *Uploads) SavePicture(ctx context.Context, owner domain.User, sent Upload) (domain.Image, error) {
	alt, err := domain.CleanAlt(sent.Alt)
	if err != nil {
		return domain.Image{}, err
	}
	// Encoding a picture of this site again would reduce its quality.
	if name, ok := picture.NameOf(owner.ID, sent.file); ok {
		if image, err := u.Images.Get(ctx, owner.ID, name); err == nil && !image.Incomplete {
			return u.withDescription(ctx, image, alt)
		}
	}
	made, err := u.pictures.Make(ctx, owner.ID, sent.file)
	if err != nil {
		return domain.Image{}, err
	}
	image, err := made.Save(ctx, u.Images, u.Files, domain.Image{UserID: owner.ID, Alt: alt})
	if err != nil {
		return domain.Image{}, err
	}
	return u.withDescription(ctx, image, alt)
}

// SaveAvatar stores a picture as a user's avatar.
func (u *Uploads) SaveAvatar(ctx context.Context, owner domain.User, sent Upload) (domain.Image, error) {
	made, err := u.pictures.MakeAvatar(ctx, owner.ID, sent.file)
	if err != nil {
		return domain.Image{}, err
	}
	return made.Save(ctx, u.Images, u.Files, domain.Image{UserID: owner.ID, Avatar: true})
}

// withDescription updates the description of an existing picture.
func (u *Uploads) withDescription(ctx context.Context, image domain.Image, alt string) (domain.Image, error) {
	if alt == "" || alt == image.Alt {
		return image, nil
	}
	image.Alt = alt
	return image, u.Images.Describe(ctx, image.UserID, image.Name, alt)
}
