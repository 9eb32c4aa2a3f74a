package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"runtime/debug"

	"golang.org/x/image/webp"

	"inkfeed/domain"
)

// seen is what a file's headers say.
type seen struct {
	file []byte
	kind kind
	image.Config
	ext    string // what such a picture is kept as if nothing is changed; empty: changed in any case
	turn   orientation
	frames frames // of a GIF
	// costly says that decoding takes some four times the memory of the picture.
	costly bool
}

type kind string

const (
	kindJPEG kind = "JPEG"
	kindPNG  kind = "PNG"
	kindGIF  kind = "GIF"
	kindWebP kind = "WebP"
)

// kindOf tells a format by how its files begin.
func kindOf(file []byte) (kind, bool) {
	switch {
	case bytes.HasPrefix(file, []byte("\xff\xd8\xff")):
		return kindJPEG, true
	case bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")):
		return kindPNG, true
	case bytes.HasPrefix(file, []byte("GIF87a")), bytes.HasPrefix(file, []byte("GIF89a")):
		return kindGIF, true
	case len(file) >= 12 && string(file[:4]) == "RIFF" && string(file[8:12]) == "WEBP":
		return kindWebP, true
	}
	return "", false
}

// inspect reads the headers and refuses, before anything is decoded, what is too large.
func inspect(file []byte) (*seen, error) {
	s := &seen{file: file, turn: upside}
	var ok bool
	if s.kind, ok = kindOf(file); !ok {
		return nil, unknownFormat(file)
	}
	if err := s.readConfig(); err != nil {
		return nil, err
	}
	pixels := int64(s.Width) * int64(s.Height)
	switch {
	case s.Width < 1 || s.Height < 1:
		return nil, damaged(fmt.Errorf("%d x %d pixels", s.Width, s.Height))
	case pixels > MaxPixels:
		return nil, tooManyPixels(pixels, MaxPixels)
	case s.frames.count > MaxFrameCount:
		return nil, invalid("This animation has %d frames; at most %d are possible.", s.frames.count, MaxFrameCount)
	case s.frames.pixels > MaxFrames:
		return nil, invalid("This animation has %d frames with %d megapixels in all; at most %d are possible.",
			s.frames.count, s.frames.pixels/1_000_000, MaxFrames/1_000_000)
	case s.memory() > MaxMemory:
		return nil, tooManyPixels(pixels, MaxMemory*pixels/s.memory())
	}
	return s, nil
}

func (s *seen) readConfig() (err error) {
	reader := bytes.NewReader(s.file)
	switch s.kind {
	case kindJPEG:
		s.Config, err = jpeg.DecodeConfig(reader)
		exif, progressive := readJPEG(s.file)
		s.turn, s.costly, s.ext = orientationOf(exif), progressive, domain.ExtJPEG
	case kindPNG:
		s.Config, err = png.DecodeConfig(reader)
		exif, interlaced := readPNG(s.file)
		s.turn, s.ext = orientationOf(exif), domain.ExtPNG
		s.costly = interlaced || s.ColorModel == color.NRGBA64Model || s.ColorModel == color.RGBA64Model
	case kindGIF:
		if s.frames, err = countFrames(s.file); err != nil {
			return damaged(err)
		}
		s.Config, err = gif.DecodeConfig(reader)
		if s.frames.count > 1 {
			s.ext = domain.ExtGIF
		}
	case kindWebP:
		if isAnimatedWebP(s.file) {
			return invalid("This is an animated WebP. Only GIFs may be animated.")
		}
		s.Config, err = webp.DecodeConfig(reader)
		s.turn, s.costly = orientationOf(readWebP(s.file)), true
	}
	if err != nil {
		return damaged(err)
	}
	return nil
}

// memory is about the most bytes that it takes to decode the picture, scale it and
// encode it.
func (s *seen) memory() int64 {
	pixels := int64(s.Width) * int64(s.Height)
	decoding := 6 * pixels
	if s.costly {
		decoding = 16 * pixels
	}
	width, height := s.turn.size(s.Width, s.Height)
	w, h := scaledSize(width, height, domain.MaxImageWidth)
	return decoding + 10*int64(w)*int64(h) + 2*s.frames.pixels + fixedMemory
}

// fixedMemory is what each picture takes, however small.
const fixedMemory = 4 << 20

// decode decodes the picture. That a decoder panics is the file's fault, too.
func (s *seen) decode() (u *upright, err error) {
	defer func() {
		if v := recover(); v != nil {
			u, err = nil, damaged(fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
		}
	}()
	u = &upright{turn: s.turn}
	reader := bytes.NewReader(s.file)
	switch s.kind {
	case kindJPEG:
		u.Image, err = jpeg.Decode(reader)
		u.lossy = true
	case kindPNG:
		u.Image, err = png.Decode(reader)
	case kindGIF:
		u.animation, u.Image, err = decodeGIF(reader)
	case kindWebP:
		u.Image, err = webp.Decode(reader)
		_, u.lossy = u.Image.(*image.YCbCr) // which has no transparency
	}
	if err != nil {
		return nil, damaged(err)
	}
	u.area = u.Bounds()
	if u.area.Dx() != s.Width || u.area.Dy() != s.Height {
		return nil, damaged(fmt.Errorf("a picture of %v in a file of %dx%d", u.area.Size(), s.Width, s.Height))
	}
	return u, nil
}

func damaged(err error) error {
	return &domain.Error{Kind: domain.Invalid, Err: err,
		Fields: map[string]string{"file": "This picture is damaged, or of a kind that is not known here. Open it and save it anew."}}
}

func tooManyPixels(pixels, most int64) error {
	return invalid("This picture has %.1f megapixels; at most %d are possible. Make it smaller first.",
		float64(pixels)/1e6, most/1_000_000)
}

func unknownFormat(file []byte) error {
	message := "This is no picture that is taken here: choose a JPEG, PNG, GIF or WebP."
	switch {
	case len(file) == 0:
		return invalid("Choose a picture.")
	case len(file) > 12 && string(file[4:8]) == "ftyp":
		message = "HEIC and AVIF pictures are not taken: save it as a JPEG first."
	}
	return &domain.Error{Kind: domain.Invalid, Err: ErrFormat, Fields: map[string]string{"file": message}}
}
