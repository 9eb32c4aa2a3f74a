package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"runtime/debug"

	"golang.org/x/image/webp"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/throttle"
)

// seen holds the properties of a picture from the headers of its file.
type seen struct {
	file []byte
	kind kind
	image.Config
	ext    string // format in which an unchanged picture is stored; empty if it always changes
	turn   orientation
	frames frames   // of a GIF
	jpeg   jpegFile // of a JPEG
	png    pngFile  // of a PNG
	webp   webpFile // of a WebP
	// colours convert the picture to sRGB. Strange reports that the file describes them in a way that is not read.
	colours *colours
	strange bool
	cut     bool // decoding found that pixels are missing
	// parts reports that the components of a JPEG are decoded apart: see jpegParts.
	parts bool
	// costly reports that decoding takes about four times the memory of the picture.
	costly bool
}

type kind string

const (
	kindJPEG kind = "JPEG"
	kindPNG  kind = "PNG"
	kindGIF  kind = "GIF"
	kindWebP kind = "WebP"
)

// kindOf returns the format of a file, judging by its first bytes.
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

// inspect reads the headers of a file and rejects a picture that is too large before anything is decoded.
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
		return nil, invalid("This animation has {n} frames. The limit is {most}.", "n", s.frames.count,
			"most", MaxFrameCount)
	case s.frames.pixels > MaxFrames:
		return nil, invalid("This animation has {n} frames with {size} megapixels in total. The limit is {most} "+
			"megapixels.",
			"n", s.frames.count, "size", s.frames.pixels/1_000_000, "most", MaxFrames/1_000_000)
	case s.memory() > MaxMemory:
		return nil, tooManyPixels(pixels, MaxMemory*pixels/s.memory())
	case s.work() > MaxWork:
		return nil, s.tooMuchWork()
	}
	return s, nil
}

func (s *seen) readConfig() (err error) {
	reader := bytes.NewReader(s.file)
	switch s.kind {
	case kindJPEG:
		s.jpeg = readJPEG(s.file)
		if !s.jpeg.shown {
			return damaged(errJPEG)
		}
		s.Config = image.Config{Width: s.jpeg.width, Height: s.jpeg.height}
		_, unsupported := jpeg.DecodeConfig(reader)
		s.parts = unsupported != nil || !s.jpeg.ended || len(s.jpeg.components) == 4 && s.jpeg.adobe == nil
		s.turn, s.costly, s.ext = orientationOf(s.jpeg.exif), s.jpeg.progressive, domain.ExtJPEG
		of := map[int]space{1: spaceGrey, 3: spaceRGB, 4: spaceCMYK}[len(s.jpeg.components)]
		s.colours, s.strange = readProfile(iccSegments(s.jpeg.icc), of)
	case kindPNG:
		s.png = readPNG(s.file)
		s.Config, err = png.DecodeConfig(bytes.NewReader(appendPNGChunk(s.png.critical, "IDAT", nil)))
		s.turn, s.ext = orientationOf(s.png.chunk["eXIf"]), domain.ExtPNG
		s.colours, s.strange = s.png.readColours()
		s.costly = s.png.interlaced || s.ColorModel == color.NRGBA64Model || s.ColorModel == color.RGBA64Model
	case kindGIF:
		if s.frames, err = countFrames(s.file); err != nil {
			return damaged(err)
		}
		s.Config = image.Config{Width: s.frames.screen.Dx(), Height: s.frames.screen.Dy()}
		if s.frames.count > 1 {
			s.ext = domain.ExtGIF
		}
	case kindWebP:
		s.webp = readWebP(s.file)
		if s.webp.animated {
			return invalid("Animated WebP isn't supported. Use a GIF instead.")
		}
		s.Config, err = webp.DecodeConfig(reader)
		s.turn, s.costly = orientationOf(s.webp.exif), true
		s.colours, s.strange = readProfile(s.webp.icc, spaceRGB)
	}
	if err != nil {
		return damaged(err)
	}
	return nil
}

// memory estimates the maximum number of bytes for decoding, scaling and encoding the picture.
func (s *seen) memory() int64 {
	pixels := int64(s.Width) * int64(s.Height)
	decoding := 8 * pixels
	if s.costly {
		decoding = 16 * pixels
	}
	switch { // the pixels of a PNG are twice in memory before they are decoded
	case s.kind == kindPNG && s.png.depth == 16:
		decoding += 2 * s.png.raw(s.Width, s.Height)
	case s.kind == kindPNG && !s.costly:
		decoding += s.png.raw(s.Width, s.Height)
	}
	if s.parts {
		decoding += 8*pixels + 4*int64(len(s.file))
	}
	if s.webp.lossless {
		decoding += min(mostVP8LGroups, pixels/16+1) * vp8lGroup
	}
	width, height := s.turn.size(s.Width, s.Height)
	w, h := scaledSize(width, height, domain.MaxImageWidth)
	scaled := 8 * int64(w) * int64(h)
	if s.colours != nil {
		scaled += scaled / 2
	}
	return decoding + scaled + 2*s.frames.pixels + fixedMemory
}

// Bounds of the memory for the groups of Huffman trees in a lossless WebP, which has at most one group for each 4 x 4
// pixels. golang.org/x/image/vp8l accepts at most mostVP8LGroups groups, and each takes at most vp8lGroup bytes.
const (
	mostVP8LGroups = 2600
	vp8lGroup      = 53_000
)

// fixedMemory is the memory in bytes that each picture takes, regardless of its size.
const fixedMemory = 4 << 20

// decode decodes the picture during a turn. It reports a panic of a decoder as a damaged file.
func (s *seen) decode(turn *throttle.Turn) (u *upright, err error) {
	defer func() {
		if v := recover(); v != nil {
			u, err = nil, damaged(fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
		}
	}()
	u = &upright{turn: s.turn, colours: s.colours, work: turn}
	reader := turn.Reader(bytes.NewReader(s.file))
	switch s.kind {
	case kindJPEG:
		if u.lossy = true; s.parts {
			u.Image, err = s.decodeParts(turn)
		} else {
			u.Image, err = jpeg.Decode(reader)
		}
	case kindPNG:
		u.Image, err = s.decodePNG(turn)
	case kindGIF:
		u.animation, u.Image, err = s.decodeGIF(turn)
	case kindWebP:
		u.Image, err = webp.Decode(reader)
		switch img := u.Image.(type) {
		case *image.YCbCr: // this type has no transparency
			u.lossy = true
			fullRange(img)
		case *image.NYCbCrA:
			fullRange(&img.YCbCr)
		}
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

// retry reports whether a JPEG that the usual decoder refuses may also be decoded in parts, within the bounds.
func (s *seen) retry() bool {
	if s.kind != kindJPEG || s.parts {
		return false
	}
	s.parts = true
	return s.memory() <= MaxMemory && s.jpeg.work(int64(len(s.file)))+s.work() <= MaxWork
}

func damaged(err error) error {
	message := locale.M("This picture is damaged or its format isn't supported. " +
		"Open it in a picture editor and save it as a JPEG or PNG.")
	return &domain.Error{Kind: domain.Invalid, Err: err, Fields: map[string]locale.Message{"file": message}}
}

func tooManyPixels(pixels, most int64) error {
	return invalid("This picture has {size} megapixels. The limit is {most}. Make it smaller first.",
		"size", float64(pixels)/1e6, "most", most/1_000_000)
}

// tooMuchWork returns an error for a picture that would keep a core busy for too long.
func (s *seen) tooMuchWork() error {
	switch {
	case s.kind == kindGIF && s.frames.count > 1:
		return invalid("This animation has {n} frames with {size} megapixels in all, which is too much to process. "+
			"Make it smaller or shorter, then try again.", "n", s.frames.count, "size", s.frames.pixels/1_000_000)
	case s.jpeg.scans > usualScans:
		return invalid("This JPEG is built up in {n} steps, which takes too long to process. "+
			"Save it as a standard JPEG, then try again.", "n", s.jpeg.scans)
	}
	return invalid("This picture ({size} megapixels, {bytes} MB) takes too long to process. "+
		"Make it smaller or save it as a standard JPEG, then try again.",
		"size", float64(s.Width)*float64(s.Height)/1e6, "bytes", float64(len(s.file))/1e6)
}

// usualScans is more scans than encoders use for a progressive JPEG: libjpeg uses 10, mozjpeg about 20.
const usualScans = 24

func unknownFormat(file []byte) error {
	message := locale.M("That file type isn't supported. Choose a JPEG, PNG, GIF, WebP or SVG.")
	switch {
	case len(file) == 0:
		return invalid("Choose a picture.")
	case len(file) > 12 && string(file[4:8]) == "ftyp":
		message = locale.M("HEIC and AVIF pictures aren't supported. Save the picture as a JPEG first.")
	}
	return formatError(message)
}

// formatError is an error about the field "file" that wraps ErrFormat.
func formatError(message locale.Message) error {
	return &domain.Error{Kind: domain.Invalid, Err: ErrFormat, Fields: map[string]locale.Message{"file": message}}
}
