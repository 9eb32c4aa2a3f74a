package picture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // stored pictures
	"strconv"

	"golang.org/x/image/draw"

	"inkfeed/domain/siteinfo"
)

// logoPixels is the height of a drawn logo, for sharp screens.
const logoPixels = 2 * siteinfo.TallLogoHeight

// Backgrounds of icons that must not be transparent: those of the pages.
var (
	paper = color.RGBA{0xfb, 0xfa, 0xf6, 0xff}
	night = color.RGBA{0x16, 0x18, 0x1c, 0xff}
)

// DrawBrand returns a form of a stored picture of the site, as a PNG: see siteinfo.ParsePictureFile.
func DrawBrand(content []byte, form string) ([]byte, error) {
	src, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("picture: decode a picture of the site: %w", err)
	}
	size := src.Bounds().Size()
	switch form {
	case siteinfo.LogoForm:
		width, height := fit(size.X, size.Y, size.X, logoPixels)
		return encodePNG(nil, stretch(src, width, height))
	case siteinfo.MaskableForm:
		// A circle of 80% of the width is always shown. The square within it has 56% of the width.
		return encodePNG(nil, onSquare(src, siteinfo.LargeIcon, siteinfo.LargeIcon*56/100, backgroundOf(src)))
	case strconv.Itoa(siteinfo.AppleIcon):
		inner := siteinfo.AppleIcon
		if !isOpaque(src) {
			inner = siteinfo.AppleIcon * 80 / 100
		}
		return encodePNG(nil, onSquare(src, siteinfo.AppleIcon, inner, backgroundOf(src)))
	}
	side, err := strconv.Atoi(form)
	if err != nil {
		return nil, fmt.Errorf("picture: unknown form %q", form)
	}
	return encodePNG(nil, onSquare(src, side, side, color.Transparent))
}

// icoSizes are the pictures in a favicon.ico, in pixels.
var icoSizes = []int{16, 32, 48}

// DrawICO returns a stored picture of the site as a file in the ICO format, which contains PNGs.
func DrawICO(content []byte) ([]byte, error) {
	file := []byte{0, 0, 1, 0, byte(len(icoSizes)), 0}
	const header, entry = 6, 16
	var pictures []byte
	for _, side := range icoSizes {
		one, err := DrawBrand(content, strconv.Itoa(side))
		if err != nil {
			return nil, err
		}
		file = append(file, byte(side), byte(side), 0, 0, 1, 0, 32, 0)
		file = binary.LittleEndian.AppendUint32(file, uint32(len(one)))
		file = binary.LittleEndian.AppendUint32(file, uint32(header+entry*len(icoSizes)+len(pictures)))
		pictures = append(pictures, one...)
	}
	return append(file, pictures...), nil
}

// stretch draws a picture in another size.
func stretch(src image.Image, width, height int) *image.RGBA {
	dst := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.CatmullRom.Scale(dst, dst.Rect, src, src.Bounds(), draw.Src, nil)
	return dst
}

// onSquare draws a picture into the middle of a square on a background. The picture fills a square of the width inner.
func onSquare(src image.Image, side, inner int, background color.Color) *image.RGBA {
	dst := image.NewRGBA(image.Rect(0, 0, side, side))
	draw.Draw(dst, dst.Rect, image.NewUniform(background), image.Point{}, draw.Src)
	width, height := src.Bounds().Dx(), src.Bounds().Dy()
	width, height = max(1, inner*width/max(width, height)), max(1, inner*height/max(width, height))
	from := image.Pt((side-width)/2, (side-height)/2)
	area := image.Rectangle{from, from.Add(image.Pt(width, height))}
	draw.CatmullRom.Scale(dst, area, src, src.Bounds(), draw.Over, nil)
	return dst
}

func isOpaque(src image.Image) bool {
	o, ok := src.(interface{ Opaque() bool })
	return ok && o.Opaque()
}

// backgroundOf returns a background for a picture: the average colour of its edge, or for a transparent picture the
// background on which it can be seen.
func backgroundOf(src image.Image) color.Color {
	if !isOpaque(src) {
		if toneOf(src) == siteinfo.LightTone {
			return night
		}
		return paper
	}
	var r, g, b, count uint32
	area := src.Bounds()
	add := func(x, y int) {
		red, green, blue, _ := src.At(x, y).RGBA()
		r, g, b, count = r+red>>8, g+green>>8, b+blue>>8, count+1
	}
	for x := area.Min.X; x < area.Max.X; x++ {
		add(x, area.Min.Y)
		add(x, area.Max.Y-1)
	}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		add(area.Min.X, y)
		add(area.Max.X-1, y)
	}
	return color.RGBA{uint8(r / count), uint8(g / count), uint8(b / count), 0xff}
}
