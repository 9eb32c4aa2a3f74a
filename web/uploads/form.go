package uploads

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// Form is a submitted form with texts and the site's pictures.
type Form struct {
	url.Values
	Pictures map[string][]byte // the content of the chosen files, by field
	// Invalid is the error about files that are too large, by field; nil if there are none.
	Invalid error
}

// ReceiveForm reads a form of an administrator with pictures in some of its fields, and passes it to do. Other fields
// are texts. A form without pictures may also have the encoding of usual forms.
func (u *Uploads) ReceiveForm(c echo.Context, s *site.Site, owner domain.User, pictures map[string]bool,
	do func(Form) error) error {
	if kind, _, _ := mime.ParseMediaType(c.Request().Header.Get("Content-Type")); kind != "multipart/form-data" {
		sent, err := site.ParseForm(c)
		if err != nil {
			return err
		}
		return do(Form{Values: sent})
	}
	end, err := u.acquire(c.Request().Context(), owner.ID)
	if err != nil {
		return err
	}
	defer end()
	sent, err := readTexts(c, pictures)
	if err != nil {
		return err
	}
	if len(sent.Pictures) > 0 {
		if err := s.Limiter.Allow(c.Request().Context(), ratelimit.Upload, owner.ID); err != nil {
			sent.Pictures, sent.Invalid = nil, err
		}
	}
	c.Request().PostForm = sent.Values // for the log of rejected forms
	return do(sent)
}

// maxTexts is the maximum size of all texts of a form, in bytes.
const maxTexts = 1 << 20

// readTexts reads a form. A file that is too large is read and discarded, so that the texts after it are not lost.
func readTexts(c echo.Context, pictures map[string]bool) (Form, error) {
	sent := Form{Values: url.Values{}, Pictures: map[string][]byte{}}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return sent, echo.NewHTTPError(http.StatusBadRequest).SetInternal(err)
	}
	for texts := 0; ; {
		part, err := parts.NextPart()
		if err == io.EOF {
			return sent, nil
		}
		if err == nil && pictures[part.FormName()] {
			err = sent.readPicture(part)
		} else if err == nil {
			var text []byte
			text, err = io.ReadAll(io.LimitReader(part, maxField+1))
			if texts += len(text); err == nil && (len(text) > maxField || texts > maxTexts) {
				return sent, echo.NewHTTPError(http.StatusRequestEntityTooLarge)
			}
			sent.Add(part.FormName(), string(text))
		}
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return sent, errTooLarge
		}
		if err != nil {
			return sent, echo.NewHTTPError(http.StatusBadRequest).SetInternal(err)
		}
	}
}

// readPicture reads a file. Browsers send an empty one for a field without a choice.
func (f *Form) readPicture(part *multipart.Part) error {
	content, err := io.ReadAll(io.LimitReader(part, domain.MaxUpload+1))
	switch {
	case err != nil:
		return err
	case len(content) > domain.MaxUpload:
		f.Invalid = domain.JoinErrors(f.Invalid, domain.FieldMessage(part.FormName(), errTooLarge.Message))
		_, err = io.Copy(io.Discard, part)
	case len(content) > 0 || part.FileName() != "":
		f.Pictures[part.FormName()] = content
	}
	return err
}

// MakeBrand makes a picture of the site of the file in a field: see siteinfo.Info.Pictures. The error is about that
// field.
func (u *Uploads) MakeBrand(ctx context.Context, field string, file []byte) (siteinfo.Picture, domain.SitePicture,
	error) {
	make := u.pictures.MakeLogo
	if field == "icon" {
		make = u.pictures.MakeIcon
	}
	made, err := make(ctx, file)
	if e, ok := errors.AsType[*domain.Error](err); ok && e.Kind == domain.Invalid {
		about := *e
		about.Fields = map[string]locale.Message{field: e.Fields["file"]}
		return siteinfo.Picture{}, domain.SitePicture{}, &about
	}
	if err != nil {
		return siteinfo.Picture{}, domain.SitePicture{}, err
	}
	content := domain.NewSitePicture(made.Content)
	return siteinfo.Picture{Hash: content.Hash, Width: made.Width, Height: made.Height, Tone: made.Tone}, content, nil
}
