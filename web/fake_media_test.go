package web_test

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"

	"inkfeed/domain"
)

// fakeImages are the records of pictures, fakeFiles the files: by the rules of the real
// stores, in memory.
type (
	fakeImages struct{ *fake }
	fakeFiles  struct{ *fake }
)

// enterFor is enter for a request that may have been cut off.
func (f *fake) enterFor(ctx context.Context, method string) (leave func(), err error) {
	leave, err = f.enter(method)
	return leave, cmp.Or(err, ctx.Err())
}

func (f fakeImages) Begin(_ context.Context, image domain.Image) (domain.Image, error) {
	leave, err := f.enter("Images.Begin")
	defer leave()
	if err != nil {
		return domain.Image{}, err
	}
	if old, ok := f.images[image.Name]; ok {
		return old, nil
	}
	image.Incomplete = true
	f.setImage(image)
	return image, nil
}

func (f *fake) setImage(image domain.Image) {
	if f.images == nil {
		f.images = map[domain.ImageName]domain.Image{}
	}
	f.images[image.Name] = image
	f.countImages(image.UserID)
}

func (f *fake) countImages(userID string) {
	u := f.users[userID]
	u.ImageCount, u.ImageBytes = 0, 0
	for _, image := range f.images {
		if image.UserID == userID {
			u.ImageCount++
			u.ImageBytes += image.Bytes
		}
	}
	f.users[userID] = u
}

func (f fakeImages) Complete(ctx context.Context, userID string, name domain.ImageName) error {
	leave, err := f.enterFor(ctx, "Images.Complete")
	defer leave()
	image, ok := f.images[name]
	if err != nil {
		return err
	}
	if !ok || image.UserID != userID {
		return errMissing
	}
	image.Incomplete = false
	f.setImage(image)
	return nil
}

func (f fakeImages) Get(ctx context.Context, userID string, name domain.ImageName) (domain.Image, error) {
	leave, err := f.enterFor(ctx, "Images.Get")
	defer leave()
	if err != nil {
		return domain.Image{}, err
	}
	if image, ok := f.images[name]; ok && image.UserID == userID {
		return image, nil
	}
	return domain.Image{}, errMissing
}

func (f fakeImages) Owner(_ context.Context, name domain.ImageName) (string, error) {
	leave, err := f.enter("Images.Owner")
	defer leave()
	image, ok := f.images[name]
	if err == nil && !ok {
		err = errMissing
	}
	return image.UserID, err
}

func (f fakeImages) Of(_ context.Context, userID string, page int) (domain.Page[domain.Image], error) {
	leave, err := f.enter("Images.Of")
	defer leave()
	var all []domain.Image
	for _, image := range f.images {
		if image.UserID == userID && !image.Avatar {
			all = append(all, image)
		}
	}
	slices.SortFunc(all, func(a, b domain.Image) int { return b.Created.Compare(a.Created) })
	return cut(all, page, domain.ImagesPerPage), err
}

func (f fakeImages) Describe(_ context.Context, userID string, name domain.ImageName, alt string) error {
	leave, err := f.enter("Images.Describe")
	defer leave()
	if err != nil {
		return err
	}
	image, ok := f.images[name]
	if !ok || image.UserID != userID {
		return errMissing
	}
	image.Alt = alt
	f.setImage(image)
	return nil
}

func (f fakeImages) Delete(_ context.Context, userID string, name domain.ImageName) error {
	leave, err := f.enter("Images.Delete")
	defer leave()
	if err != nil {
		return err
	}
	if f.images[name].UserID == userID {
		f.deleteImage(name)
	}
	return nil
}

// forgetOwner makes a picture one of before it was kept beside pictures whose they are.
func (f *fake) forgetOwner(picture string) {
	leave, _ := f.enter("")
	defer leave()
	name, _ := domain.ParseImageName(picture)
	delete(f.files, name.OwnerFile())
}

func (f *fake) deleteImage(name domain.ImageName) {
	userID := f.images[name].UserID
	delete(f.images, name)
	for _, file := range name.Files() {
		delete(f.files, file)
	}
	f.countImages(userID)
}

func (f fakeImages) KeepAvatar(_ context.Context, userID string) error {
	leave, err := f.enter("Images.KeepAvatar")
	defer leave()
	if err != nil {
		return err
	}
	for _, image := range f.images {
		if image.Avatar && image.UserID == userID && image.Name.String() != f.users[userID].Avatar {
			f.deleteImage(image.Name)
		}
	}
	return nil
}

func (f fakeFiles) Put(ctx context.Context, name string, content []byte) error {
	leave, err := f.enterFor(ctx, "Files.Put")
	defer leave()
	if err != nil {
		return err
	}
	if f.files == nil {
		f.files = map[string][]byte{}
	}
	f.files[name] = content
	return nil
}

func (f fakeFiles) Open(_ context.Context, name string) (io.ReadSeekCloser, error) {
	leave, err := f.enter("Files.Open")
	defer leave()
	if err != nil {
		return nil, err
	}
	content, ok := f.files[name]
	if !ok {
		return nil, errMissing
	}
	return openFile{bytes.NewReader(content)}, nil
}

type openFile struct{ *bytes.Reader }

func (openFile) Close() error { return nil }

func (f fakeFiles) Delete(ctx context.Context, name string) error {
	leave, err := f.enterFor(ctx, "Files.Delete")
	defer leave()
	delete(f.files, name)
	return err
}

func (f fakeUsers) SetProfile(_ context.Context, id, bio string) error {
	leave, err := f.enter("SetProfile")
	defer leave()
	if err != nil {
		return err
	}
	u := f.users[id]
	u.Bio = bio
	f.users[id] = u
	return nil
}

func (f fakeUsers) SetAvatar(_ context.Context, id, name string) error {
	leave, err := f.enter("SetAvatar")
	defer leave()
	if err != nil {
		return err
	}
	u := f.users[id]
	u.Avatar = name
	f.users[id] = u
	return nil
}

// picture uploads one and returns its name.
func (v *visitor) picture() string {
	v.t.Helper()
	v.upload("/images", greyPNG(v.t, 4))
	v.data.mu.Lock()
	defer v.data.mu.Unlock()
	for name := range v.data.images {
		return name.String()
	}
	v.t.Fatal("the picture was not taken")
	return ""
}
