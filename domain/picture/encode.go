package picture

import (
	"bytes"
	"image"
	"image/jpeg"

	"inkfeed/domain"
	"inkfeed/domain/throttle"
)

// Qualities of JPEGs. The picture itself has the highest one, because it may be viewed closely. Thumbnails have the
// lowest one, because there are many on a page.
const (
	fullQuality      = 90
	variantQuality   = 80
	thumbnailQuality = 70
)

// maxThumbnail is the maximum width of a thumbnail, in pixels.
const maxThumbnail = 240

// qualityOf returns the quality of a variant.
func qualityOf(width int) int {
	if width <= maxThumbnail {
		return thumbnailQuality
	}
	return variantQuality
}

// format is the format in which a still picture is stored.
type format bool

const (
	asJPEG format = true
	asPNG  format = false
)

// format returns the format for the picture: JPEG for photographs, which come from lossy formats and stay small, and
// PNG for everything else.
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

// encode encodes a picture during a turn.
func (f format) encode(turn *throttle.Turn, src image.Image, quality int) ([]byte, error) {
	if f == asPNG {
		return encodePNG(turn, src)
	}
	var b bytes.Buffer
	err := jpeg.Encode(turn.Writer(&b), src, &jpeg.Options{Quality: quality})
	return b.Bytes(), err
}
