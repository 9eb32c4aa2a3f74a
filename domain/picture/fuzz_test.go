package picture_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"slices"
	"testing"

	_ "golang.org/x/image/webp"

	"inkfeed/domain"
	"inkfeed/domain/picture"
	"inkfeed/domain/picture/picturetest"
)

var maker = picture.NewMaker(nil)

// FuzzMake checks that any file is rejected as invalid, or becomes pictures that match their names and are accepted
// again.
func FuzzMake(f *testing.F) {
	img := quarters(12, 8)
	block := exif(binary.LittleEndian, 6)
	f.Add(withJPEGSegment(asJPEG(f, img), 0xe1, "Exif\x00\x00"+string(block)))
	f.Add(withPNGChunk(asPNG(f, img), "eXIf", string(block)))
	grey := image.NewGray(image.Rect(0, 0, 9, 9))
	f.Add(asJPEG(f, grey))
	f.Add(asPNG(f, image.NewNRGBA64(grey.Rect)))
	for _, text := range webps {
		file, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	for _, sample := range slices.Concat(picturetest.Rare(), picturetest.Coloured()) {
		f.Add(sample.File)
	}
	moving := &gif.GIF{}
	for _, c := range []color.Color{red, blue} {
		moving.Image = append(moving.Image, image.NewPaletted(image.Rect(0, 0, 5, 4), color.Palette{c, white}))
		moving.Delay = append(moving.Delay, 1)
	}
	f.Add(encoded(f, func(b *bytes.Buffer) error { return gif.EncodeAll(b, moving) }))

	f.Fuzz(func(t *testing.T, file []byte) {
		if config, _, err := image.DecodeConfig(bytes.NewReader(file)); err == nil &&
			config.Width*config.Height > 200_000 {
			t.Skip("the picture would take too long")
		}
		for _, make := range []func() (picture.Picture, error){
			func() (picture.Picture, error) { return maker.Make(t.Context(), user, file) },
			func() (picture.Picture, error) { return maker.MakeAvatar(t.Context(), user, file) },
		} {
			p, err := make()
			if err != nil {
				if !domain.Is(err, domain.Invalid) {
					t.Fatal(err)
				}
				continue
			}
			for _, file := range p.Files {
				if _, ok := domain.ParseImageFile(file.Name); !ok {
					t.Errorf("%s is not a valid name", file.Name)
				}
			}
			kept := p.Files[len(p.Files)-1].Content
			config, _, err := image.DecodeConfig(bytes.NewReader(kept))
			if err != nil || config.Width != p.Name.Width || config.Height != p.Name.Height {
				t.Errorf("%s is %dx%d, error %v", p.Name, config.Width, config.Height, err)
			}
			if _, err := maker.Make(t.Context(), user, kept); err != nil {
				t.Errorf("a stored picture is rejected: %v", err)
			}
		}
	})
}
