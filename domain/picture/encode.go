package picture

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"

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
	var b bytes.Buffer
	var err error
	if f == asJPEG {
		err = jpeg.Encode(&b, src, &jpeg.Options{Quality: quality})
	} else {
		err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, src)
	}
	return b.Bytes(), err
}
