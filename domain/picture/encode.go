package picture

import (
	"bytes"
	"image"
	"image/jpeg"

	"inkfeed/domain"
)

// Qualities of JPEGs: the picture itself may be looked at closely.
const (
	fullQuality    = 90
	variantQuality = 85
)

// format is what a still picture is kept as.
type format bool

const (
	asJPEG format = true
	asPNG  format = false
)

// format keeps photographs, which come from lossy formats, small, and everything else
// as it is.
func (u *upright) format() format {
	if u.lossy {
		return asJPEG
	}
	return asPNG
}

func (f format) ext() string {
	if f == asJPEG {
		return domain.ExtJPEG
	}
	return domain.ExtPNG
}

func (f format) encode(src image.Image, quality int) ([]byte, error) {
	if f == asPNG {
		return encodePNG(src)
	}
	var b bytes.Buffer
	err := jpeg.Encode(&b, src, &jpeg.Options{Quality: quality})
	return b.Bytes(), err
}
