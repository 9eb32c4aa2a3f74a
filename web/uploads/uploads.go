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

// PictureMaker makes pictures of files. What is wrong with a file is Invalid about the
// field "file", and wraps picture.ErrFormat if it is no format that is taken.
type PictureMaker interface {
	Make(ctx context.Context, userID string, file []byte) (picture.Picture, error)
	MakeAvatar(ctx context.Context, userID string, file []byte) (picture.Picture, error)
}

// MaxUploads is how many uploads are in memory at a time, each of domain.MaxUpload at
// most; the others wait.
const MaxUploads = 16

// Uploads takes pictures in.
type Uploads struct {
	Store
	pictures PictureMaker
	slots    site.Slots

	mu    sync.Mutex
	users map[string]*userUploads // users who have a place or wait for one
}

// userUploads are the places of one user.
type userUploads struct {
	slots    site.Slots
	requests int // requests that have a place or wait for one
}

func NewUploads(store Store, pictures PictureMaker) *Uploads {
	return &Uploads{Store: store, pictures: pictures, slots: make(site.Slots, MaxUploads),
		users: make(map[string]*userUploads)}
}

// Upload is what a form with a picture sent.
type Upload struct {
	file []byte
	Alt  string
}

// maxWait is how long one waits for a turn. It leaves time to read the rest of the form.
const maxWait = time.Minute

// maxUserUploads is the most places that one user can have, so that slow uploads of one user leave places for others.
const maxUserUploads = MaxUploads / 4

// begin waits for one of the user's places, and then for one of the places of all users. The caller must call end when
// the upload is done.
func (u *Uploads) begin(ctx context.Context, userID string) (end func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	own, leave := u.join(userID)
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

// join returns the places of a user. They are deleted when the last request of the user has left.
func (u *Uploads) join(userID string) (own site.Slots, leave func()) {
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

// errManyUploads says that no place was free in time, for which err is the cause.
func errManyUploads(err error) error {
	return &domain.Error{Kind: domain.Unavailable, Err: err,
		Message: "Too many pictures are being processed right now. Please try again in a moment."}
}

var errTooLarge = &domain.Error{Kind: domain.TooLarge,
	Message: "The picture is larger than 10 MB. Make it smaller first."}

// Receive receives a form with a picture from whoever is signed in, and does with it what it
// is for. Of a form that is refused it gives what was typed, but for the file.
func (u *Uploads) Receive(c echo.Context, s *site.Site, do func(context.Context, domain.User,
	Upload) error) (domain.User, Upload, error) {
	end := func() {}
	owner, err := s.SignedIn(c)
	if err == nil {
		err = s.Limiter.Allow(c.Request().Context(), ratelimit.Upload, owner.ID)
	}
	if err == nil { // only then: strangers could hold all places
		end, err = u.begin(c.Request().Context(), owner.ID)
	}
	if err != nil {
		sent, _ := receive(c, 0)
		return owner, sent, err
	}
	defer end()
	sent, err := receive(c, domain.MaxUpload)
	if err == nil {
		err = do(c.Request().Context(), owner, sent)
	}
	return owner, sent, err
}

// receive reads a form with a picture of at most so many bytes. Whatever else is wrong with
// it, all of it is read, so that the browser comes to see the answer.
func receive(c echo.Context, most int) (sent Upload, err error) {
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

// maxField bounds a field that is no file, in bytes; its own rule is stricter.
const maxField = 16 << 10

// read reads a part, of the file at most so many bytes.
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

// SavePicture keeps a picture of a user's.
func (u *Uploads) SavePicture(ctx context.Context, owner domain.User, sent Upload) (domain.Image, error) {
	alt, err := domain.CleanAlt(sent.Alt)
	if err != nil {
		return domain.Image{}, err
	}
	// What was downloaded from here would lose by being encoded once more.
	if name, ok := picture.NameOf(owner.ID, sent.file); ok {
		if image, err := u.Images.Get(ctx, owner.ID, name); err == nil && !image.Incomplete {
			return u.described(ctx, image, alt)
		}
	}
	made, err := u.pictures.Make(ctx, owner.ID, sent.file)
	if err != nil {
		return domain.Image{}, err
	}
	image, err := u.keep(ctx, made, domain.Image{UserID: owner.ID, Alt: alt})
	if err != nil {
		return domain.Image{}, err
	}
	return u.described(ctx, image, alt)
}

// SaveAvatar keeps a picture that is to be a user's avatar.
func (u *Uploads) SaveAvatar(ctx context.Context, owner domain.User, sent Upload) (domain.Image, error) {
	made, err := u.pictures.MakeAvatar(ctx, owner.ID, sent.file)
	if err != nil {
		return domain.Image{}, err
	}
	return u.keep(ctx, made, domain.Image{UserID: owner.ID, Avatar: true})
}

// keepTime bounds how long a picture that was received is being written, whoever waits
// for it.
const keepTime = time.Minute

// keep records a picture and writes its files. A picture that is there already is left
// as it is. What was recorded is finished, or undone, even when the request is cut off:
// files whose record goes meanwhile would be known to nobody.
func (u *Uploads) keep(ctx context.Context, made picture.Picture, image domain.Image) (domain.Image, error) {
	image.Name, image.Bytes, image.Created = made.Name, made.Bytes(), domain.Timestamp(time.Now())
	image, err := u.Images.Begin(ctx, image)
	if err != nil || !image.Incomplete {
		return image, err
	}
	if err := u.write(ctx, made, image); err != nil {
		return domain.Image{}, cmp.Or(u.undo(ctx, made, image), err)
	}
	image.Incomplete = false
	return image, nil
}

func (u *Uploads) write(ctx context.Context, made picture.Picture, image domain.Image) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
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

// undo takes files away whose record went, perhaps with the account, while they were
// being written. As long as there is a record, it leads to them.
func (u *Uploads) undo(ctx context.Context, made picture.Picture, image domain.Image) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
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

// described gives a picture that was there already the description that came with it.
func (u *Uploads) described(ctx context.Context, image domain.Image, alt string) (domain.Image, error) {
	if alt == "" || alt == image.Alt {
		return image, nil
	}
	image.Alt = alt
	return image, u.Images.Describe(ctx, image.UserID, image.Name, alt)
}

// FormErrors is complain for a form with a picture.
func FormErrors(s *site.Site, c echo.Context, err error) (complaints views.Complaints, status int, ok bool) {
	complaints, status, ok = s.FormErrors(c, err)
	switch {
	case errors.Is(err, picture.ErrFormat):
		status = http.StatusUnsupportedMediaType
	case err == errTooLarge:
		complaints = views.Complaints{Fields: map[string]string{"file": errTooLarge.Message}}
	case domain.Is(err, domain.Unavailable):
		complaints.Summary = "We couldn't save the picture. Choose it again and try once more in a moment."
	}
	return complaints, status, ok
}
