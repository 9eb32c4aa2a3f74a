// Package picturetest makes pictures of flat squares in unusual files: with colour profiles, in rare forms, and
// damaged. Tests compare what a browser shows of a file with what becomes of it here.
package picturetest

import (
	"image"
	"image/color"
)

// Side is the length of the sides of each square, in pixels. It is a multiple of the largest unit of a JPEG, so that
// the middle of a square has its colour in every form of file.
const Side = 32

// Columns and Rows are the numbers of squares.
const (
	Columns = 6
	Rows    = 4
)

// Width and Height are the size of the pictures.
const (
	Width  = Columns * Side
	Height = Rows * Side
)

// Colours are the colours of the squares, row by row: greys, primaries, and colours of photographs.
var Colours = [Columns * Rows]color.NRGBA{
	{0, 0, 0, 255}, {255, 255, 255, 255}, {128, 128, 128, 255}, {64, 64, 64, 255}, {200, 200, 200, 255},
	{20, 20, 20, 255}, {255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 0, 255}, {0, 255, 255, 255},
	{255, 0, 255, 255}, {200, 120, 90, 255}, {240, 200, 170, 255}, {90, 60, 40, 255}, {60, 110, 60, 255},
	{120, 170, 90, 255}, {90, 140, 200, 255}, {40, 60, 120, 255}, {180, 60, 60, 255}, {230, 180, 60, 255},
	{150, 90, 160, 255}, {70, 150, 150, 255}, {250, 130, 30, 255},
}

// Grid returns the squares as a picture.
func Grid() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, Width, Height))
	for y := range Height {
		for x := range Width {
			img.SetNRGBA(x, y, Colours[y/Side*Columns+x/Side])
		}
	}
	return img
}

// Middle returns the middle of a square.
func Middle(square int) image.Point {
	return image.Pt(square%Columns*Side+Side/2, square/Columns*Side+Side/2)
}

// Sample is a file of squares.
type Sample struct {
	Name string
	File []byte
}
