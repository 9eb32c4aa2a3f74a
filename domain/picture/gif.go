package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/draw"
	"image/gif"
	"io"

	"inkfeed/domain"
)

// frames describes the frames of a GIF, on which the cost of decoding depends.
type frames struct {
	count  int
	pixels int64 // of all frames
	first  int64 // pixels of the first frame
}

var errGIF = errors.New("a GIF's blocks do not fit")

// countFrames reads a GIF's blocks without decoding them. A small file may contain very many frames.
func countFrames(file []byte) (f frames, err error) {
	const (
		headerSize, descriptorSize  = 13, 10
		extension, picture, trailer = 0x21, 0x2c, 0x3b
	)
	if len(file) < headerSize {
		return f, errGIF
	}
	rest := file[headerSize:]
	if rest, err = skipTable(rest, file[10]); err != nil {
		return f, err
	}
	for len(rest) > 0 {
		switch rest[0] {
		case extension:
			if len(rest) < 2 {
				return f, errGIF
			}
			rest = rest[2:]
		case picture:
			if len(rest) < descriptorSize {
				return f, errGIF
			}
			f.count++
			frame := int64(binary.LittleEndian.Uint16(rest[5:])) * int64(binary.LittleEndian.Uint16(rest[7:]))
			if f.pixels += frame; f.count == 1 {
				f.first = frame
			}
			if rest, err = skipTable(rest[descriptorSize:], rest[9]); err != nil {
				return f, err
			}
			if len(rest) < 1 {
				return f, errGIF
			}
			rest = rest[1:] // minimum code size
		case trailer:
			return f, nil
		default:
			return f, errGIF
		}
		if rest, err = skipBlocks(rest); err != nil {
			return f, err
		}
	}
	return f, errGIF
}

// skipTable skips the colour table that follows a descriptor with the given flags.
func skipTable(rest []byte, flags byte) ([]byte, error) {
	if flags&0x80 == 0 {
		return rest, nil
	}
	size := 3 << (flags&7 + 1)
	if len(rest) < size {
		return nil, errGIF
	}
	return rest[size:], nil
}

func skipBlocks(rest []byte) ([]byte, error) {
	for len(rest) > 0 {
		size := int(rest[0])
		if len(rest) < 1+size {
			break
		}
		rest = rest[1+size:]
		if size == 0 {
			return rest, nil
		}
	}
	return nil, errGIF
}

// animation is a GIF with several frames.
type animation struct{ *gif.GIF }

// decodeGIF decodes all frames. The returned picture is the first.
func decodeGIF(r io.Reader) (*animation, image.Image, error) {
	g, err := gif.DecodeAll(r)
	if err != nil {
		return nil, nil, err
	}
	if len(g.Image) == 0 {
		return nil, nil, errGIF
	}
	var first image.Image = g.Image[0]
	whole := image.Rect(0, 0, g.Config.Width, g.Config.Height)
	if first.Bounds() != whole { // a frame may be smaller than the picture
		canvas := image.NewNRGBA(whole)
		draw.Draw(canvas, first.Bounds(), first, first.Bounds().Min, draw.Src)
		first = canvas
	}
	if len(g.Image) == 1 {
		return nil, first, nil
	}
	return &animation{g}, first, nil
}

// keepAnimation encodes the frames again, without comments and other extensions.
func (u *upright) keepAnimation(userID string) (Picture, error) {
	var b bytes.Buffer
	if err := gif.EncodeAll(u.work.Writer(&b), u.animation.GIF); err != nil {
		return Picture{}, damaged(err)
	}
	name := domain.NewImageName(userID, b.Bytes(), u.animation.Config.Width, u.animation.Config.Height, domain.ExtGIF)
	return Picture{Name: name, Files: []File{{name.String(), b.Bytes()}}}, nil
}
