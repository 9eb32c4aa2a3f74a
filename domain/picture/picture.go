// Package picture converts an uploaded file to the pictures that are stored. It decodes the file within limits, turns
// the picture upright, removes everything else, such as metadata, and encodes it again, with smaller variants. Only the
// decoded content is trusted, neither the file's name nor the type that its sender states. No byte of the file is
// served: every stored picture was encoded here. So a file that is both a picture and a web page or an archive becomes
// a plain picture.
package picture

import (
	"context"
	"errors"
	"image"
	"image/jpeg"

	"golang.org/x/sync/semaphore"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/throttle"
)

// Limits of decoding.
const (
	MaxPixels = 50_000_000  // of a picture; the cameras of phones take as many
	MaxFrames = 100_000_000 // pixels of all frames of an animation
	// MaxFrameCount is the maximum number of frames of an animation, however small. Each frame takes memory, and time
	// to be shown.
	MaxFrameCount = 5000
	// MaxMemory is the maximum number of bytes for decoding one picture, and for all pictures that are decoded at the
	// same time.
	MaxMemory = 512 << 20
)

// ErrFormat reports that the format of a file is not supported.
var ErrFormat = errors.New("picture: unsupported format")

// File is a file to store.
type File struct {
	Name    string
	Content []byte
}

// Picture is an uploaded picture in the form in which it is stored.
type Picture struct {
	Name  domain.ImageName
	Files []File // the variants, then the picture itself
	// Notes say what may be missing or different.
	Notes []locale.Message
}

// Bytes returns the size of all files.
func (p Picture) Bytes() (n int64) {
	for _, f := range p.Files {
		n += int64(len(f.Content))
	}
	return n
}

// Maker makes pictures. It limits the number of pictures in progress to stay within MaxMemory. It is safe for
// concurrent use.
type Maker struct {
	memory   *semaphore.Weighted
	throttle *throttle.Throttle
}

// MaxThumbnail is the maximum width of a thumbnail in pixels.
const MaxThumbnail = 1280

// NewMaker returns a Maker that works in turns of the throttle, which may be nil. A process should have only one Maker,
// because each has a memory limit of its own.
func NewMaker(throttle *throttle.Throttle) *Maker {
	return &Maker{semaphore.NewWeighted(MaxMemory), throttle}
}

// Make makes a picture from a user's file. The same file of the same user always gives the same picture. For an
// unsuitable file the error is Invalid, about the field "file"; it wraps ErrFormat if the format is not supported. The
// context limits only the time until processing begins; if it ends earlier, the error is Unavailable.
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

// MakeAvatar is Make for a user's avatar: a square from the middle of the picture, at most domain.AvatarSize wide. Of
// an animation it keeps the first frame.
func (m *Maker) MakeAvatar(ctx context.Context, userID string, file []byte) (Picture, error) {
	if isSVG(file) {
		return Picture{}, formatError(locale.M("Choose a JPEG, PNG, GIF or WebP. An SVG can't be cropped to a square."))
	}
	return m.make(ctx, userID, file, func(u *upright) (Picture, error) {
		u.square()
		// The avatar must differ from a picture with the same content, which may be deleted separately.
		return u.keep("avatar of "+userID, domain.AvatarSize, domain.ImageName.AvatarVariants)
	})
}

// MakeThumbnail is Make for a picture of another site: at most MaxThumbnail wide, and the first frame of an animation.
func (m *Maker) MakeThumbnail(ctx context.Context, userID string, file []byte) (Picture, error) {
	if isSVG(file) {
		return Picture{}, formatError(locale.M("That file isn't a picture. Choose a JPEG, PNG, GIF or WebP."))
	}
	return m.make(ctx, userID, file, func(u *upright) (Picture, error) {
		u.animation = nil
		return u.keep(userID, MaxThumbnail, domain.ImageName.Variants)
	})
}

func (m *Maker) make(
	ctx context.Context, userID string, file []byte, keep func(*upright) (Picture, error),
) (Picture, error) {
	seen, err := inspect(file)
	if err != nil {
		return Picture{}, err
	}
	p, err := m.process(ctx, seen, keep)
	if _, strict := errors.AsType[jpeg.FormatError](err); strict && seen.retry() {
		return m.process(ctx, seen, keep)
	}
	return p, err
}

func (m *Maker) process(ctx context.Context, seen *seen, keep func(*upright) (Picture, error)) (Picture, error) {
	turn, release, err := m.begin(ctx, seen.memory())
	if err != nil {
		return Picture{}, err
	}
	defer release()
	decoded, err := seen.decode(turn)
	if err != nil {
		return Picture{}, err
	}
	p, err := keep(decoded)
	p.Notes = seen.notes()
	return p, err
}

// begin waits until the given amount of memory is available, and then for a turn.
func (m *Maker) begin(ctx context.Context, memory int64) (turn *throttle.Turn, release func(), err error) {
	if err := m.memory.Acquire(ctx, memory); err != nil {
		return nil, nil, errManyPictures(err)
	}
	if turn, err = m.throttle.Begin(ctx); err != nil {
		m.memory.Release(memory)
		return nil, nil, errManyPictures(err)
	}
	return turn, func() { turn.End(); m.memory.Release(memory) }, nil
}

// errManyPictures reports that processing could not begin in time; err is the cause.
func errManyPictures(err error) error {
	return &domain.Error{Kind: domain.Unavailable, Err: err,
		Message: locale.M("Too many pictures are being processed right now. Please try again in a moment.")}
}

// svgMemory is the ratio between the memory for parsing and writing an SVG and its size.
const svgMemory = 20

func (m *Maker) makeSVG(ctx context.Context, userID string, file []byte) (Picture, error) {
	turn, release, err := m.begin(ctx, min(svgMemory*int64(len(file))+fixedMemory, MaxMemory))
	if err != nil {
		return Picture{}, err
	}
	defer release()
	return keepSVG(turn, userID, file)
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

// NameOf returns the name of a file that is itself a stored picture of the user, such as one that was downloaded from
// this site.
func NameOf(userID string, file []byte) (domain.ImageName, bool) {
	seen, err := inspect(file)
	if err != nil || seen.ext == "" {
		return domain.ImageName{}, false
	}
	return domain.NewImageName(userID, file, seen.Width, seen.Height, seen.ext), true
}

// upright is a decoded picture with the orientation that turns it upright.
type upright struct {
	image.Image
	area      image.Rectangle // the area of the decoded picture
	turn      orientation
	colours   *colours
	lossy     bool       // the picture is from a lossy format
	animation *animation // nil for a still picture
	work      *throttle.Turn
}

// size returns the size of the upright picture.
func (u *upright) size() (width, height int) {
	return u.turn.size(u.area.Dx(), u.area.Dy())
}

// square reduces the picture to a square in its middle.
func (u *upright) square() {
	side := min(u.area.Dx(), u.area.Dy())
	from := u.area.Min.Add(image.Pt((u.area.Dx()-side)/2, (u.area.Dy()-side)/2))
	u.area = image.Rectangle{from, from.Add(image.Pt(side, side))}
	u.animation = nil
}

// keep encodes the picture, with at most the given width, and its variants.
func (u *upright) keep(userID string, widest int, variants func(domain.ImageName) []int) (Picture, error) {
	width, height := u.size()
	format := u.format()
	full := u.turned(scaledSize(width, height, widest))
	content, err := format.encode(u.work, full, fullQuality)
	if err != nil {
		return Picture{}, err
	}
	size := full.Bounds().Size()
	p := Picture{Name: domain.NewImageName(userID, content, size.X, size.Y, format.ext())}
	widths := variants(p.Name)
	p.Files = make([]File, len(widths)+1)
	p.Files[len(widths)] = File{p.Name.String(), content}
	// Each variant is scaled from the next larger one, which costs less and looks the same.
	for i := len(widths) - 1; i >= 0; i-- {
		full = scale(full, full.Bounds(), widths[i], p.Name.VariantHeight(widths[i]))
		content, err := format.encode(u.work, full, qualityOf(widths[i]))
		if err != nil {
			return Picture{}, err
		}
		p.Files[i] = File{p.Name.Variant(widths[i]), content}
	}
	return p, nil
}

// scaledSize returns a size with the same proportions and at most the given width.
func scaledSize(width, height, widest int) (int, int) {
	if width <= widest {
		return width, height
	}
	n := domain.ImageName{Width: width, Height: height}
	return widest, n.VariantHeight(widest)
}

func invalid(text string, args ...any) error { return domain.FieldError("file", text, args...) }
