package picture

import (
	"image"
	"image/color"

	"golang.org/x/image/draw"
)

// strip is how many rows or columns are scaled at a time. The scaler keeps them all as
// floating-point numbers, eight times the size of a picture.
const strip = 64

// turned is the picture upright, in that size.
func (u *upright) turned(width, height int) image.Image {
	w, h := u.turn.size(width, height)
	if u.turn == upside && u.area == u.Bounds() && u.area.Size() == image.Pt(w, h) {
		return plain(u.Image)
	}
	scaled := scale(u.Image, u.area, w, h)
	if rgba, ok := scaled.(*image.RGBA); ok {
		return u.turn.apply(rgba)
	}
	return likeGrey(u.turn.apply(rgbaOf(scaled, scaled.Bounds())), true)
}

// scale draws an area of a picture in another size, by Catmull-Rom interpolation. Grey
// pictures stay so.
func scale(src image.Image, area image.Rectangle, width, height int) image.Image {
	grey := isGrey(src)
	switch src.(type) {
	case *image.RGBA, *image.NRGBA, *image.YCbCr, *image.Gray: // the scaler is quick with these
	default:
		src = rgbaOf(src, area)
		area = src.Bounds()
	}
	// First all columns, then all rows: so strips are independent of each other.
	low := image.NewRGBA(image.Rect(0, 0, area.Dx(), height))
	for x := 0; x < area.Dx(); x += strip {
		to := min(x+strip, area.Dx())
		draw.CatmullRom.Scale(low, image.Rect(x, 0, to, height), src,
			image.Rect(area.Min.X+x, area.Min.Y, area.Min.X+to, area.Max.Y), draw.Src, nil)
	}
	if width == area.Dx() {
		return likeGrey(low, grey)
	}
	dst := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := 0; y < height; y += strip {
		to := min(y+strip, height)
		draw.CatmullRom.Scale(dst, image.Rect(0, y, width, to), low,
			image.Rect(0, y, area.Dx(), to), draw.Src, nil)
	}
	return likeGrey(dst, grey)
}

func rgbaOf(src image.Image, area image.Rectangle) *image.RGBA {
	dst := image.NewRGBA(image.Rect(0, 0, area.Dx(), area.Dy()))
	draw.Draw(dst, dst.Bounds(), src, area.Min, draw.Src)
	return dst
}

// plain is a picture with eight bits a sample, at the origin, in a type that its
// encoder knows well.
func plain(src image.Image) image.Image {
	switch src.(type) {
	case *image.Gray, *image.Paletted, *image.YCbCr, *image.NRGBA, *image.RGBA:
		return src
	case *image.Gray16:
		return likeGrey(rgbaOf(src, src.Bounds()), true)
	}
	dst := image.NewNRGBA(image.Rect(0, 0, src.Bounds().Dx(), src.Bounds().Dy()))
	draw.Draw(dst, dst.Bounds(), src, src.Bounds().Min, draw.Src)
	return dst
}

func isGrey(src image.Image) bool {
	return src.ColorModel() == color.GrayModel || src.ColorModel() == color.Gray16Model
}

// likeGrey makes one sample a pixel of a picture that is known to be grey.
func likeGrey(src *image.RGBA, grey bool) image.Image {
	if !grey {
		return src
	}
	dst := image.NewGray(src.Bounds())
	for i := range dst.Pix {
		dst.Pix[i] = src.Pix[4*i]
	}
	return dst
}
