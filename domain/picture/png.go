package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"

	"github.com/klauspost/compress/zlib"

	"inkfeed/domain/throttle"
)

// pngLevel is the level of compression. Up to this level the compressor compares each byte with a fixed number of
// earlier matches. The encoder of the standard library follows up to 128 matches at its default level and 4,096 at its
// best. At its best level it took 5.5 s for one megapixel of noise, which suggests about 35 s for 2560 x 2560 pixels.
const pngLevel = 5

// encodePNG encodes a Gray, RGBA, NRGBA or Paletted picture during a turn, in a time that depends only on its size. The
// format is described in https://www.w3.org/TR/png-3/.
func encodePNG(turn *throttle.Turn, src image.Image) ([]byte, error) {
	var width, channels int
	var row func(y int) []byte
	size := src.Bounds().Size()
	switch src := src.(type) {
	case *image.Gray:
		channels, row = 1, grayPlane(src, src.Rect).row
	case *image.RGBA:
		channels, row = 4, straightRows(src)
		if src.Opaque() {
			channels, row = 3, opaqueRows(src.Pix, src.Stride, size.X)
		}
	case *image.NRGBA:
		channels, row = 4, plane{src.Pix, src.Stride, size.X, size.Y}.row
		if src.Opaque() {
			channels, row = 3, opaqueRows(src.Pix, src.Stride, size.X)
		}
	default: // Paletted: not filtered, at most one byte per pixel
		var b bytes.Buffer
		err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(turn.Writer(&b), src)
		return b.Bytes(), err
	}
	width = channels * size.X

	var data bytes.Buffer
	z, err := zlib.NewWriterLevel(&data, pngLevel)
	if err != nil {
		return nil, err
	}
	rows := turn.Writer(z)
	above, line := make([]byte, width+channels), make([]byte, width+channels) // with an empty pixel on the left
	filtered := make([]byte, 1+width)
	filtered[0] = 4 // Paeth
	for y := range size.Y {
		copy(line[channels:], row(y)[:width])
		filterPaeth(filtered[1:], line, above, channels)
		if _, err := rows.Write(filtered); err != nil {
			return nil, err
		}
		above, line = line, above
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	header = binary.BigEndian.AppendUint32(header, uint32(size.Y))
	colourType := map[int]byte{1: 0, 3: 2, 4: 6}[channels]
	header = append(header, 8, colourType, 0, 0, 0)
	file := append(make([]byte, 0, data.Len()+64), "\x89PNG\r\n\x1a\n"...)
	file = appendPNGChunk(file, "IHDR", header)
	file = appendPNGChunk(file, "IDAT", data.Bytes())
	return appendPNGChunk(file, "IEND", nil), nil
}

func appendPNGChunk(file []byte, name string, body []byte) []byte {
	file = binary.BigEndian.AppendUint32(file, uint32(len(body)))
	start := len(file)
	file = append(append(file, name...), body...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(file[start:]))
}

// filterPaeth writes the differences between the bytes of a row and those that the Paeth filter predicts. The row and
// the row above begin with an empty pixel.
func filterPaeth(dst, line, above []byte, channels int) {
	left, corner := line[:len(dst)], above[:len(dst)]
	line, above = line[channels:][:len(dst)], above[channels:][:len(dst)]
	for i := range dst {
		a, b, c := int(left[i]), int(above[i]), int(corner[i])
		toA, toB := b-c, a-c
		toC := toA + toB
		toA, toB, toC = max(toA, -toA), max(toB, -toB), max(toC, -toC)
		near := c
		if toB <= toC {
			near = b
		}
		if toA <= min(toB, toC) {
			near = a
		}
		dst[i] = line[i] - byte(near)
	}
}

// opaqueRows returns the rows of RGBA or NRGBA pixels without their alpha.
func opaqueRows(pix []byte, stride, width int) func(y int) []byte {
	row := make([]byte, 3*width)
	return func(y int) []byte {
		from := pix[y*stride:]
		for x := range width {
			p, to := from[4*x:4*x+4], row[3*x:3*x+3]
			to[0], to[1], to[2] = p[0], p[1], p[2]
		}
		return row
	}
}

// straightRows returns the rows of RGBA pixels with colours that are not premultiplied by alpha, as PNG stores them.
func straightRows(src *image.RGBA) func(y int) []byte {
	row := make([]byte, 4*src.Rect.Dx())
	var factors [256]uint32 // 255/alpha, with 16 fractional bits
	for a := range uint32(256) {
		factors[a] = (255<<16 + a/2) / max(a, 1)
	}
	return func(y int) []byte {
		from := src.Pix[y*src.Stride:]
		for i := 0; i < len(row); i += 4 {
			p, to := from[i:i+4], row[i:i+4]
			a := uint32(p[3])
			switch a {
			case 0:
				clear(to)
			case 255:
				copy(to, p)
			default:
				f := factors[a]
				to[0] = uint8(min(255, (uint32(p[0])*f+1<<15)>>16))
				to[1] = uint8(min(255, (uint32(p[1])*f+1<<15)>>16))
				to[2] = uint8(min(255, (uint32(p[2])*f+1<<15)>>16))
				to[3] = p[3]
			}
		}
		return row
	}
}
