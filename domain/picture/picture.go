// Package picture makes of an uploaded file the pictures that are kept: it decodes
// the file, within limits, turns it upright, takes everything away that is not the
// picture, and encodes it anew, with smaller variants.
//
// Nothing of a file is believed but what decoding gives: neither its name nor what its
// sender says it is. And no byte of it is handed out again: what is kept has been
// encoded here, so that a picture that is also a web page or an archive is just a
// picture afterwards.
package picture

import (
	"context"
	"errors"
	"fmt"
	"image"

	"golang.org/x/sync/semaphore"

	"inkfeed/domain"
)

// Limits of what is decoded.
const (
	MaxPixels = 50_000_000  // of a picture: what the cameras of telephones take
	MaxFrames = 100_000_000 // pixels of all frames of an animation
	// MaxFrameCount is how many frames an animation has, however small: each takes memory, and
	// time to be shown.
	MaxFrameCount = 5000
	// MaxMemory is how many bytes decoding may take, of one picture and of all that are
	// decoded at a time.
	MaxMemory = 512 << 20
)

// ErrFormat says that a file is of no format that is taken.
var ErrFormat = errors.New("picture: not a format that is taken")

// File is a file to keep.
type File struct {
	Name    string
	Content []byte
}

// Picture is an uploaded picture as it is kept.
type Picture struct {
	Name  domain.ImageName
	Files []File // the variants and, last, the picture itself
}

// Bytes is the size of all files.
func (p Picture) Bytes() (n int64) {
	for _, f := range p.Files {
		n += int64(len(f.Content))
	}
	return n
}

// Maker makes pictures, few enough at a time to stay within MaxMemory. It is safe for
// concurrent use.
type Maker struct{ memory *semaphore.Weighted }

// NewMaker makes a Maker. A process needs one, or its memory is bounded for each.
func NewMaker() *Maker { return &Maker{semaphore.NewWeighted(MaxMemory)} }

// Make makes a picture of a user's file. What is wrong with the file is an Invalid
// error about the field "file", which wraps ErrFormat when the format is not taken.
// The context bounds only how long it waits for its turn, which ends in an error of
// kind Unavailable.
//
// The same file of the same user gives the same picture.
func (m *Maker) Make(ctx context.Context, userID string, file []byte) (Picture, error) {
	if isSVG(file) {
		return m.makeSVG(ctx, userID, file)
	}
	return m.make(ctx, userID, file, func(u *upright) (Picture, error) {
		if u.animation != nil {
			return u.keepAnimation(userID)
		}
		return u.keep(userID, domain.MaxImageWidth, domain.ImageName.Variants)
	})
}

// MakeAvatar is Make for a picture that stands for a user: the middle of the file's,
// square, at most domain.AvatarSize wide. Of an animation it is the first frame.
func (m *Maker) MakeAvatar(ctx context.Context, userID string, file []byte) (Picture, error) {
	if isSVG(file) {
		return Picture{}, formatError("Choose a JPEG, PNG, GIF or WebP. An SVG can't be cropped to a square.")
	}
	return m.make(ctx, userID, file, func(u *upright) (Picture, error) {
		u.square()
		// Not the same as a picture with the same content, which lives on by itself.
		return u.keep("avatar of "+userID, domain.AvatarSize, domain.ImageName.AvatarVariants)
	})
}

func (m *Maker) make(
	ctx context.Context, userID string, file []byte, keep func(*upright) (Picture, error),
) (Picture, error) {
	seen, err := inspect(file)
	if err != nil {
		return Picture{}, err
	}
	release, err := m.acquire(ctx, seen.memory())
	if err != nil {
		return Picture{}, err
	}
	defer release()
	decoded, err := seen.decode()
	if err != nil {
		return Picture{}, err
	}
	return keep(decoded)
}

// acquire waits until so much memory is free.
func (m *Maker) acquire(ctx context.Context, memory int64) (release func(), err error) {
	if err := m.memory.Acquire(ctx, memory); err != nil {
		return nil, &domain.Error{Kind: domain.Unavailable, Err: err,
			Message: "Too many pictures are being processed right now. Please try again in a moment."}
	}
	return func() { m.memory.Release(memory) }, nil
}

// svgMemory is how many times its size an SVG takes while it is parsed and written.
const svgMemory = 20

func (m *Maker) makeSVG(ctx context.Context, userID string, file []byte) (Picture, error) {
	release, err := m.acquire(ctx, min(svgMemory*int64(len(file))+fixedMemory, MaxMemory))
	if err != nil {
		return Picture{}, err
	}
	defer release()
	return keepSVG(userID, file)
}

// Check reports the faults of a file for which Make would refuse it, as far as the file's structure shows them. It
// decodes nothing, except that it reads an SVG as Make does. Make may still refuse a file with damaged data.
func (m *Maker) Check(ctx context.Context, userID string, file []byte) error {
	if isSVG(file) {
		_, err := m.makeSVG(ctx, userID, file)
		return err
	}
	_, err := inspect(file)
	return err
}

// NameOf is the name that a file has if it is itself a picture that is kept of the
// user, as when somebody uploads what was downloaded from here.
func NameOf(userID string, file []byte) (domain.ImageName, bool) {
	seen, err := inspect(file)
	if err != nil || seen.ext == "" {
		return domain.ImageName{}, false
	}
	return domain.NewImageName(userID, file, seen.Width, seen.Height, seen.ext), true
}

// upright is a decoded picture and how to turn it upright.
type upright struct {
	image.Image
	area      image.Rectangle // of the picture, as it was decoded
	turn      orientation
	lossy     bool       // the picture is from a lossy format
	animation *animation // nil of a still picture
}

// size is that of the picture once it is upright.
func (u *upright) size() (width, height int) {
	return u.turn.size(u.area.Dx(), u.area.Dy())
}

// square leaves the middle of the picture.
func (u *upright) square() {
	side := min(u.area.Dx(), u.area.Dy())
	from := u.area.Min.Add(image.Pt((u.area.Dx()-side)/2, (u.area.Dy()-side)/2))
	u.area = image.Rectangle{from, from.Add(image.Pt(side, side))}
	u.animation = nil
}

// keep encodes the picture, at most so wide, and its variants.
func (u *upright) keep(userID string, widest int, variants func(domain.ImageName) []int) (Picture, error) {
	width, height := u.size()
	format := u.format()
	full := u.turned(scaledSize(width, height, widest))
	content, err := format.encode(full, fullQuality)
	if err != nil {
		return Picture{}, err
	}
	size := full.Bounds().Size()
	p := Picture{Name: domain.NewImageName(userID, content, size.X, size.Y, format.ext())}
	widths := variants(p.Name)
	p.Files = make([]File, len(widths)+1)
	p.Files[len(widths)] = File{p.Name.String(), content}
	// Each is made of the next larger one, which costs less and looks the same.
	for i := len(widths) - 1; i >= 0; i-- {
		full = scale(full, full.Bounds(), widths[i], p.Name.VariantHeight(widths[i]))
		content, err := format.encode(full, variantQuality)
		if err != nil {
			return Picture{}, err
		}
		p.Files[i] = File{p.Name.Variant(widths[i]), content}
	}
	return p, nil
}

// scaledSize is a size with the same proportions that is at most so wide.
func scaledSize(width, height, widest int) (int, int) {
	if width <= widest {
		return width, height
	}
	n := domain.ImageName{Width: width, Height: height}
	return widest, n.VariantHeight(widest)
}

func invalid(format string, args ...any) error {
	return domain.FieldError("file", fmt.Sprintf(format, args...))
}
