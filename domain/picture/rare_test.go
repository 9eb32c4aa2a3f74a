package picture_test

import (
	"image/color"
	"strings"
	"testing"

	"inkfeed/domain/picture/picturetest"
)

// refused are the files that browsers show in part or not at all.
var refused = map[string]string{
	"PNG, wrong checksum of a palette":             "",
	"PNG, wrong checksum of the header":            "",
	"JPEG without data":                            "browsers show nothing",
	"JPEG, header only":                            "",
	"JPEG, scans of single components, 85 percent": "browsers show nothing",
	"JPEG, two components":                         "",
	"JPEG, 12 bits":                                "",
	"JPEG, arithmetic":                             "only Chromium shows it",
	"JPEG, lossless":                               "",
	"JPEG, zeros before the first segment":         "",
}

// TestPicturesThatBrowsersShowAreAccepted compares the colours with those in the file. TestPicturesLookAsInChromium
// compares them with what Chromium shows.
func TestPicturesThatBrowsersShowAreAccepted(t *testing.T) {
	for _, sample := range picturetest.Rare() {
		_, refuse := refused[sample.Name]
		name := sample.Name
		if refuse {
			name += " is refused"
		}
		t.Run(name, func(t *testing.T) {
			p, err := maker.Make(t.Context(), user, sample.File)
			if refuse != (err != nil) {
				t.Fatalf("error %v", err)
			}
			if refuse {
				return
			}
			img, _ := decode(t, p.Files[len(p.Files)-1].Content)
			if p.Name.Height > picturetest.Height+8 || p.Name.Height < picturetest.Side {
				t.Errorf("%s", p.Name)
			}
			for i, want := range picturetest.Colours {
				got := color.NRGBAModel.Convert(img.At(picturetest.Middle(i).X, picturetest.Middle(i).Y)).(color.NRGBA)
				switch {
				case !picturetest.Middle(i).In(img.Bounds()), got.A == 0, strings.Contains(sample.Name, "YCCK"),
					strings.Contains(sample.Name, "ink"):
					continue // a row that is missing, or other colours
				case strings.Contains(sample.Name, "CMYK"):
					want = color.NRGBA{uint8(int(want.R) * 230 / 255), uint8(int(want.G) * 230 / 255),
						uint8(int(want.B) * 230 / 255), 255}
				case strings.Contains(sample.Name, "grey"):
					want = color.NRGBAModel.Convert(color.GrayModel.Convert(want)).(color.NRGBA)
				case strings.Contains(sample.Name, "for alpha"):
					want.A, got.A = 255, 255
				}
				most := 3
				if strings.HasPrefix(sample.Name, "JPEG, 3x") {
					most = 8 // units of 24 pixels do not fit into those of the new file
				}
				if distance(got, want) > most {
					t.Errorf("square %d is %v, want %v", i, got, want)
				}
			}
		})
	}
}
