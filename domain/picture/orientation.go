package picture

import (
	"encoding/binary"
	"image"
)

// orientation is the position of a picture in its file, as numbered by Exif: which of its sides are the first row and
// the first column.
type orientation int

const upside orientation = 1

// swaps reports whether width and height are exchanged.
func (o orientation) swaps() bool { return o >= 5 }

// size converts between the size of a picture in its file and its upright size.
func (o orientation) size(width, height int) (int, int) {
	if o.swaps() {
		return height, width
	}
	return width, height
}

// apply turns a picture upright. The picture must be Gray, YCbCr with 4:2:0 subsampling, or RGBA.
func (o orientation) apply(src image.Image) image.Image {
	if o == upside {
		return src
	}
	width, height := o.size(src.Bounds().Dx(), src.Bounds().Dy())
	r := image.Rect(0, 0, width, height)
	switch src := src.(type) {
	case *image.Gray:
		dst := image.NewGray(r)
		o.turn(dst.Pix, dst.Stride, grayPlane(src, src.Rect), 1)
		return dst
	case *image.YCbCr:
		dst := image.NewYCbCr(r, src.SubsampleRatio)
		from, to := planes(src, src.Rect), planes(dst, r)
		for i := range from {
			o.turn(to[i].pix, to[i].stride, from[i], 1)
		}
		return dst
	case *image.RGBA:
		dst := image.NewRGBA(r)
		o.turn(dst.Pix, dst.Stride, plane{src.Pix, src.Stride, src.Rect.Dx(), src.Rect.Dy()}, 4)
		return dst
	}
	panic("picture: orientation of a picture of an unsupported type")
}

// turn writes the pixels of a plane to their turned places. The plane has the given number of
// channels.
func (o orientation) turn(dst []byte, stride int, src plane, channels int) {
	for y := range src.height {
		row := src.row(y)
		for x := range src.width {
			toX, toY := o.place(x, y, src.size())
			copy(dst[toY*stride+channels*toX:][:channels], row[channels*x:])
		}
	}
}

// place returns the upright position of a pixel of a picture with the given size.
func (o orientation) place(x, y int, size image.Point) (int, int) {
	right, bottom := size.X-1-x, size.Y-1-y
	switch o {
	case 2:
		return right, y
	case 3:
		return right, bottom
	case 4:
		return x, bottom
	case 5:
		return y, x
	case 6:
		return bottom, x
	case 7:
		return bottom, right
	case 8:
		return y, right
	}
	return x, y
}

// orientationOf reads the orientation in an Exif block: a TIFF header and a directory with entries of twelve bytes. An
// unreadable block means upright.
func orientationOf(exif []byte) orientation {
	const tag, short = 0x0112, 3
	if len(exif) < 8 {
		return upside
	}
	var order binary.ByteOrder
	switch string(exif[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return upside
	}
	at := uint64(order.Uint32(exif[4:]))
	if at+2 > uint64(len(exif)) {
		return upside
	}
	entries := exif[at+2:]
	for range order.Uint16(exif[at:]) {
		if len(entries) < 12 {
			break
		}
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short {
			if o := orientation(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
			break
		}
		entries = entries[12:]
	}
	return upside
}
