// Package uploads receives pictures in forms, and stores their files and records.
package uploads

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/picture"
	"inkfeed/views"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// PictureMaker converts uploaded files into pictures. It fails with Invalid about the field "file",
// and wraps picture.ErrFormat if the format is not supported.
type PictureMaker interface {
	Make(ctx context.Context, userID string, file []byte) (picture.Picture, error)
	MakeAvatar(ctx context.Context, userID string, file []byte) (picture.Picture, error)
}

// MaxUploads is how many uploads are in memory at a time, each of at most domain.MaxUpload bytes.
// Other uploads wait.
const MaxUploads = 16

// Uploads receives and stores pictures.
type Uploads struct {
	Store
	pictures PictureMaker
	slots    site.Slots

	mu    sync.Mutex
	users map[string]*userUploads // users who have a slot or wait for one
}

// userUploads are the slots of one user.
type userUploads struct {
	slots    site.Slots
	requests int // requests that have a slot or wait for one
}

// NewUploads returns an Uploads.
func NewUploads(store Store, pictures PictureMaker) *Uploads {
	return &Uploads{Store: store, pictures: pictures, slots: make(site.Slots, MaxUploads),
		users: make(map[string]*userUploads)}
}

// Upload is a submitted form with a picture.
type Upload struct {
	file []byte
	Alt  string
}

// maxWait is how long an upload waits for a slot. It leaves time to read the rest of the form.
const maxWait = time.Minute

// maxUserUploads is how many slots one user can have, so that one user's slow uploads leave slots
// for others.
const maxUserUploads = MaxUploads / 4

// acquire waits for one of the user's slots, and then for one of the slots of all users. The caller
// must call end when the upload is done.
func (u *Uploads) acquire(ctx context.Context, userID string) (end func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	own, leave := u.userSlots(userID)
	releaseOwn, err := own.Acquire(ctx)
	if err != nil {
		leave()
		return nil, errManyUploads(err)
	}
	release, err := u.slots.Acquire(ctx)
	if err != nil {
		releaseOwn()
		leave()
		return nil, errManyUploads(err)
	}
	return func() { release(); releaseOwn(); leave() }, nil
}

// userSlots returns the slots of a user. They are deleted when the user's last request has left.
func (u *Uploads) userSlots(userID string) (own site.Slots, leave func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	of := u.users[userID]
	if of == nil {
		of = &userUploads{slots: make(site.Slots, maxUserUploads)}
		u.users[userID] = of
	}
	of.requests++
	return of.slots, func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		if of.requests--; of.requests == 0 {
			delete(u.users, userID)
		}
	}
}

// errManyUploads reports that no slot was free in time; err is the cause.
func errManyUploads(err error) error {
	return &domain.Error{Kind: domain.Unavailable, Err: err,
		Message: "Too many pictures are being processed right now. Please try again in a moment."}
}

var errTooLarge = &domain.Error{Kind: domain.TooLarge,
	Message: "The picture is larger than 10 MB. Make it smaller first."}

// Receive reads a form with a picture from the signed-in user and passes it to do. If the form is
// rejected, Receive returns its text fields, so that the form can be shown again.
func (u *Uploads) Receive(c echo.Context, s *site.Site, do func(context.Context, domain.User,
	Upload) error) (domain.User, Upload, error) {
	end := func() {}
	owner, err := s.SignedIn(c)
	if err == nil {
		err = s.Limiter.Allow(c.Request().Context(), ratelimit.Upload, owner.ID)
	}
	if err == nil { // only for signed-in users: anonymous visitors could occupy all slots
		end, err = u.acquire(c.Request().Context(), owner.ID)
	}
	if err != nil {
		sent, _ := readForm(c, 0)
		return owner, sent, err
	}
	defer end()
	sent, err := readForm(c, domain.MaxUpload)
	if err == nil {
		err = do(c.Request().Context(), owner, sent)
	}
	return owner, sent, err
}

// readForm reads a form with a picture of at most most bytes. It reads the whole request also after
// an error, because browsers show no response before that.
func readForm(c echo.Context, most int) (sent Upload, err error) {
	defer func() { _, _ = io.Copy(io.Discard, c.Request().Body) }()
	if kind, _, _ := mime.ParseMediaType(c.Request().Header.Get("Content-Type")); kind != "multipart/form-data" {
		return Upload{}, echo.NewHTTPError(http.StatusUnsupportedMediaType)
	}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return Upload{}, echo.NewHTTPError(http.StatusBadRequest).SetInternal(err)
	}
	var tooLarge error
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return sent, tooLarge
		}
		if err == nil {
			err = sent.read(part, most)
		}
		if err == errTooLarge {
			tooLarge, err = err, nil
		}
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return sent, errTooLarge
		}
		if err != nil {
			return sent, echo.NewHTTPError(http.StatusBadRequest).SetInternal(err)
		}
	}
}

// maxField is the maximum size of a text field, in bytes. Validation is stricter.
const maxField = 16 << 10

// read reads one part of the form, at most most bytes of the picture.
func (u *Upload) read(part *multipart.Part, most int) error {
	if part.FormName() != "file" {
		most = maxField
	}
	content, err := io.ReadAll(io.LimitReader(part, int64(most)+1))
	switch {
	case err != nil:
		return err
	case part.FormName() == "file" && len(content) > most:
		return errTooLarge
	case part.FormName() == "file":
		u.file = content
	case part.FormName() == "alt":
		u.Alt = string(content)
	}
	return nil
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
	image, err := u.save(ctx, made, domain.Image{UserID: owner.ID, Alt: alt})
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
	return u.save(ctx, made, domain.Image{UserID: owner.ID, Avatar: true})
}

// saveTimeout bounds how long a picture is being written, independently of the request.
const saveTimeout = time.Minute

// save records a picture and writes its files, unless the picture exists. It finishes or reverts
// also when the request is cancelled, so that no file is left without a record.
func (u *Uploads) save(ctx context.Context, made picture.Picture, image domain.Image) (domain.Image, error) {
	image.Name, image.Bytes, image.Created = made.Name, made.Bytes(), domain.Timestamp(time.Now())
	image, err := u.Images.Begin(ctx, image)
	if err != nil || !image.Incomplete {
		return image, err
	}
	if err := u.write(ctx, made, image); err != nil {
		return domain.Image{}, cmp.Or(u.deleteOrphans(ctx, made, image), err)
	}
	image.Incomplete = false
	return image, nil
}

func (u *Uploads) write(ctx context.Context, made picture.Picture, image domain.Image) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	if err := u.Files.Put(ctx, made.Name.OwnerFile(), []byte(image.UserID)); err != nil {
		return err
	}
	for _, f := range made.Files {
		if err := u.Files.Put(ctx, f.Name, f.Content); err != nil {
			return err
		}
	}
	return u.Images.Complete(ctx, image.UserID, image.Name)
}

// deleteOrphans deletes the files of a picture whose record was deleted while they were being
// written. If the record exists, the files stay.
func (u *Uploads) deleteOrphans(ctx context.Context, made picture.Picture, image domain.Image) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	if _, err := u.Images.Get(ctx, image.UserID, image.Name); !domain.Is(err, domain.NotFound) {
		return err
	}
	var failures error
	for _, file := range made.Name.Files() {
		failures = errors.Join(failures, u.Files.Delete(ctx, file))
	}
	return cmp.Or(failures, domain.Errorf(domain.Conflict, "The picture was deleted while it was being uploaded."))
}

// withDescription updates the description of an existing picture.
func (u *Uploads) withDescription(ctx context.Context, image domain.Image, alt string) (domain.Image, error) {
	if alt == "" || alt == image.Alt {
		return image, nil
	}
	image.Alt = alt
	return image, u.Images.Describe(ctx, image.UserID, image.Name, alt)
}

// FormErrors returns the form errors and the status for a rejected form with a picture; see
// site.FormErrors.
func FormErrors(s *site.Site, c echo.Context, err error) (complaints views.FormErrors, status int, ok bool) {
	complaints, status, ok = s.FormErrors(c, err)
	switch {
	case errors.Is(err, picture.ErrFormat):
		status = http.StatusUnsupportedMediaType
	case err == errTooLarge:
		complaints = views.FormErrors{Fields: map[string]string{"file": errTooLarge.Message}}
	case domain.Is(err, domain.Unavailable):
		complaints.Summary = "We couldn't save the picture. Choose it again and try once more in a moment."
	}
	return complaints, status, ok
}
