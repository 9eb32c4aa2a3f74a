package uploads

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/picture"
	"inkfeed/views"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
)

// Upload is a submitted form with a picture.
type Upload struct {
	file    []byte
	Alt     string
	Picture string // the name of an existing picture that was chosen in place of a file; empty for none
	Chosen  bool   // whether the form says which picture was chosen, if any
	User    string // the id of the user for whom the form was made; empty if the form has no such field
}

// HasFile reports whether the form has a file.
func (u Upload) HasFile() bool { return len(u.file) > 0 }

// NewUpload returns an upload of a picture that no form contained.
func NewUpload(file []byte, alt string) Upload { return Upload{file: file, Alt: alt} }

var errTooLarge = &domain.Error{Kind: domain.TooLarge,
	Message: locale.M("The picture is larger than 10 MB. Make it smaller first.")}

// Receive reads a form with a picture from the signed-in user and passes it to do. If the form is
// rejected, for example by site.CheckSender, Receive returns its text fields, so that the form can be
// shown again.
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
		err = site.CheckSender(sent.User, owner)
	}
	if err == nil {
		err = s.Limiter.AllowBytes(c.Request().Context(), owner.ID, remote.Of(c.Request()), int64(len(sent.file)))
	}
	if err == nil {
		err = do(c.Request().Context(), owner, sent)
	}
	return owner, sent, err
}

// readForm reads a form with a picture of at most most bytes. It reads the whole request also after
// an error, because browsers show no response before that.
func readForm(c echo.Context, most int) (sent Upload, err error) {
	defer func() { _, _ = io.Copy(io.Discard, c.Request().Body) }()
	parts, err := site.MultipartForm(c)
	if err != nil {
		return Upload{}, err
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
	case part.FormName() == "picture":
		u.Picture, u.Chosen = string(content), true
	case part.FormName() == "user":
		u.User = string(content)
	}
	return nil
}

// FormErrors returns the form errors and the status for a rejected form with a picture; see
// site.FormErrors.
func FormErrors(s *site.Site, c echo.Context, err error) (errs views.FormErrors, status int, ok bool) {
	errs, status, ok = s.FormErrors(c, err)
	switch {
	case errors.Is(err, picture.ErrFormat):
		status = http.StatusUnsupportedMediaType
	case err == errTooLarge:
		errs = views.FormErrors{Fields: map[string]locale.Message{"file": errTooLarge.Message}}
	case domain.Is(err, domain.Unavailable):
		errs.Summary = locale.M("We couldn't save the picture. Choose it again and try once more in a moment.")
	}
	return errs, status, ok
}
