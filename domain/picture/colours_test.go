package picture_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"strings"
	"testing"

	"inkfeed/domain/picture"
	"inkfeed/domain/picture/picturetest"
)

// The values are those of Chromium; TestPicturesLookAsInChromium compares many more files with what it shows.
func TestColoursAreConvertedToSRGB(t *testing.T) {
	grid := picturetest.Grid()
	usual := []byte{0x11, 0x11, 0x11}
	p3 := picturetest.RGBProfile(picturetest.DisplayP3, picturetest.SRGBCurve())
	swapped := picturetest.RGBProfile(picturetest.Swapped, picturetest.Gamma(2.2))
	jpegOf := func(segments []byte) []byte {
		return picturetest.JPEG{Sampling: usual, Segments: [][]byte{segments}}.File()
	}
	firstOfTwo := picturetest.Segment(0xe2, append([]byte("ICC_PROFILE\x00\x01\x02"), p3[:200]...))
	const yellow, red, dark = 20, 6, 3
	pngWith := func(chunks ...[]byte) []byte { return picturetest.PNG(grid, chunks...) }
	unchanged, p3Yellow := color.NRGBA{230, 180, 60, 255}, color.NRGBA{239, 177, 0, 255}
	ink, standard := picturetest.TableProfile("CMYK"), picturetest.Chunk("sRGB", []byte{0})
	for name, c := range map[string]struct {
		file   []byte
		square int
		want   color.NRGBA
	}{
		"of a JPEG of a phone":                {jpegOf(picturetest.ICC(p3, 1)), yellow, p3Yellow},
		"of a JPEG with a profile in parts":   {jpegOf(picturetest.ICC(p3, 3)), yellow, p3Yellow},
		"of a JPEG with swapped primaries":    {jpegOf(picturetest.ICC(swapped, 1)), red, color.NRGBA{0, 255, 0, 255}},
		"of a PNG with a profile":             {pngWith(picturetest.ICCP(p3)), yellow, p3Yellow},
		"of a PNG with a gamma":               {pngWith(picturetest.GAMA(1)), dark, color.NRGBA{137, 137, 137, 255}},
		"of a PNG with numbers of primaries":  {pngWith(picturetest.CICP(12, 13)), yellow, p3Yellow},
		"not of a PNG that is in sRGB":        {pngWith(standard, picturetest.GAMA(1)), yellow, unchanged},
		"not of a JPEG that lacks a part":     {jpegOf(firstOfTwo), yellow, unchanged},
		"not of a JPEG with a profile of ink": {jpegOf(picturetest.ICC(ink, 1)), yellow, unchanged},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustMake(t, c.file)
			img, _ := decode(t, p.Files[len(p.Files)-1].Content)
			at := picturetest.Middle(c.square)
			if got := img.At(at.X, at.Y); distance(got, c.want) > 2 {
				t.Errorf("%v, want %v", color.NRGBAModel.Convert(got), c.want)
			}
			small, err := maker.MakeAvatar(t.Context(), user, c.file)
			if err != nil {
				t.Fatal(err)
			}
			img, _ = decode(t, small.Files[len(small.Files)-1].Content)
			side := (picturetest.Width - picturetest.Height) / 2
			if at.X -= side; at.X > 0 && at.X < picturetest.Height {
				if got := img.At(at.X, at.Y); distance(got, c.want) > 2 {
					t.Errorf("%v in an avatar, want %v", color.NRGBAModel.Convert(got), c.want)
				}
			}
		})
	}
}

func TestLossyWebPIsBlackAndWhite(t *testing.T) {
	for name, text := range map[string]string{ // black on the left, white on the right
		"opaque": "UklGRjIAAABXRUJQVlA4ICYAAABwAgCdASogABAALk02m02hJCQkBABMS0gAB7KAAP79Ny3/sdAAAA==",
		"half clear": "UklGRlwAAABXRUJQVlA4WAoAAAAQAAAAHwAADwAAQUxQSBAAAAABB1DAiAgABOF/3UBE/1MHVlA4ICYA" +
			"AABwAgCdASogABAALk02m02hJCQkBABMS0gAB7KAAP79Ny3/sdAAAA==",
	} {
		t.Run(name, func(t *testing.T) {
			file, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			img, _ := decode(t, mustMake(t, file).Files[0].Content)
			for x, want := range map[int]uint8{4: 0, 27: 255} {
				got := color.NRGBAModel.Convert(img.At(x, 8)).(color.NRGBA)
				if max(got.R, want)-min(got.R, want) > 2 || max(got.B, want)-min(got.B, want) > 2 {
					t.Errorf("%v at %d, want %d", got, x, want)
				}
			}
		})
	}
}

func TestNotesNameWhatMayDiffer(t *testing.T) {
	grid := picturetest.Grid()
	png, jpeg, gif := picturetest.PNG(grid), picturetest.JPEG{Sampling: []byte{0x11}}.File(), asGIF(t, grid)
	ink := picturetest.JPEG{Sampling: []byte{0x11, 0x11, 0x11, 0x11}, Adobe: "\x00"}
	ink.Segments = [][]byte{picturetest.ICC(picturetest.TableProfile("CMYK"), 1)}
	table := picturetest.ICCP(picturetest.TableProfile("RGB "))
	for name, c := range map[string]struct {
		file []byte
		want string // empty for no note
	}{
		"a profile of inks":             {ink.File(), "colour profile"},
		"a profile of tables":           {picturetest.PNG(grid, table), "colour profile"},
		"a high dynamic range":          {picturetest.PNG(grid, picturetest.CICP(9, 16)), "colour profile"},
		"a PNG without its end":         {png[:len(png)-12], "incomplete"},
		"a JPEG without its end":        {jpeg[:len(jpeg)-2], "incomplete"},
		"a GIF without its end":         {gif[:len(gif)-1], "incomplete"},
		"not a profile that is applied": {picturetest.PNG(grid, picturetest.GAMA(1)), ""},
		"nothing of a usual PNG":        {append(png, "and more"...), ""},
		"nothing of a usual JPEG":       {append(jpeg, "and more"...), ""},
		"nothing of a usual GIF":        {append(gif, "and more"...), ""},
		"nothing of an SVG":             {[]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			for _, note := range picture.Notes(c.file) {
				got += note.String()
			}
			if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func asGIF(t testing.TB, img image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, img, nil) })
}
