package webtest

import (
	"bytes"
	"cmp"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"testing"

	"inkfeed/cosmos/media"
	"inkfeed/domain"
)

// GreyPNG returns a square PNG with this many pixels on each side.
func GreyPNG(t testing.TB, side int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Photo returns a JPEG of this size.
func Photo(t testing.TB, width, height int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = uint8(i)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Drawing returns a PNG of this size.
func Drawing(t testing.TB, width, height int) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Upload sends a form with a file and with fields, given as alternating names and values.
func (v *Visitor) Upload(path string, file []byte, fields ...string) *Response {
	v.T.Helper()
	return v.UploadTo(path, map[string][]byte{"file": file}, fields...)
}

// UploadTo is Upload with files in several fields, by the names of the fields.
func (v *Visitor) UploadTo(path string, files map[string][]byte, fields ...string) *Response {
	v.T.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	var err error
	for _, field := range slices.Sorted(maps.Keys(files)) {
		part, errPart := w.CreateFormFile(field, "../../etc/passwd.html") // the site ignores the file's name
		if errPart == nil {
			_, errPart = part.Write(files[field])
		}
		err = cmp.Or(err, errPart)
	}
	values := map[string]string{} // the last value of a name counts, as in Post
	for i := 0; i < len(fields); i += 2 {
		values[fields[i]] = fields[i+1]
	}
	for name, value := range values {
		err = cmp.Or(err, w.WriteField(name, value))
	}
	if err != nil {
		v.T.Fatal(err)
	}
	w.Close()
	h := *v
	h.Header = v.Header.Clone()
	h.Header.Set("Content-Type", w.FormDataContentType())
	return h.Send(http.MethodPost, path, &b)
}

// Scripted returns the same visitor, whose requests come from a script.
func (v *Visitor) Scripted() *Visitor {
	h := *v
	h.Header = v.Header.Clone()
	h.Header.Set("Accept", "application/json")
	return &h
}

// files stores the uploaded files. Its methods can be made to fail, such as "Files.Put".
type files struct {
	*media.Disk
	faults *Faults
}

func (f files) err(ctx context.Context, method string) error {
	if f.faults.enter(true, method) != 0 {
		return domain.NewError(domain.Unavailable, "")
	}
	return ctx.Err()
}

func (f files) Put(ctx context.Context, name string, content []byte) error {
	if err := f.err(ctx, "Files.Put"); err != nil {
		return err
	}
	return f.Disk.Put(ctx, name, content)
}

func (f files) PutStream(ctx context.Context, name string, r io.Reader) error {
	if err := f.err(ctx, "Files.PutStream"); err != nil {
		return err
	}
	return f.Disk.PutStream(ctx, name, r)
}

func (f files) Open(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	if err := f.err(ctx, "Files.Open"); err != nil {
		return nil, err
	}
	return f.Disk.Open(ctx, name)
}

func (f files) Delete(ctx context.Context, name string) error {
	if err := f.err(ctx, "Files.Delete"); err != nil {
		return err
	}
	return f.Disk.Delete(ctx, name)
}
