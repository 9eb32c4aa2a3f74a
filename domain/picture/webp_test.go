package picture_test

import (
	"encoding/base64"
	"image"
	"testing"
)

// webps holds the smallest WebP of each kind, with one pixel.
var webps = map[string]string{
	"lossy":    "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
	"lossless": "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
	"transparent": "UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/" +
		"Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA==",
}

func TestWebPIsConverted(t *testing.T) {
	for kind, want := range map[string]string{"lossy": "jpeg", "lossless": "png", "transparent": "png"} {
		t.Run(kind+" becomes a "+want, func(t *testing.T) {
			file, err := base64.StdEncoding.DecodeString(webps[kind])
			if err != nil {
				t.Fatal(err)
			}
			p := mustMake(t, file)
			if img, format := decode(t, p.Files[0].Content); format != want || img.Bounds().Size() != image.Pt(1, 1) {
				t.Errorf("%s of %v", format, img.Bounds())
			}
			for n := range len(file) - 1 {
				if _, err := maker.Make(t.Context(), user, file[:n]); err == nil && n < len(file)-2 {
					t.Errorf("the first %d of %d bytes are accepted", n, len(file))
				}
			}
		})
	}
}
