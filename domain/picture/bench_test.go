package picture_test

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"inkfeed/domain/picture"
)

// BenchmarkPhotograph measures a photograph of twelve megapixels.
func BenchmarkPhotograph(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	img := image.NewRGBA(image.Rect(0, 0, 4032, 3024))
	for y := range 3024 {
		for x := range 4032 {
			noise := uint8(random.IntN(24))
			img.SetRGBA(x, y, color.RGBA{uint8(x/16) + noise, uint8(y/12) + noise, uint8((x+y)/28) + noise, 255})
		}
	}
	file := asJPEG(b, img)
	for b.Loop() {
		if _, err := picture.NewMaker(nil).Make(b.Context(), user, file); err != nil {
			b.Fatal(err)
		}
	}
}
