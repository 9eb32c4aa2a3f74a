package picture

import (
	"bytes"
	"encoding/binary"
)

// The readers here find, in what surrounds a picture, the few bytes of it that matter.
// They believe no length: what does not fit ends the search.

// readJPEG finds the Exif block and whether the picture comes in several scans, each of
// the whole.
func readJPEG(file []byte) (exif []byte, progressive bool) {
	const (
		frameFirst, frameLast = 0xc0, 0xcf
		huffman, arithmetic   = 0xc4, 0xcc
		extension             = 0xc8
		scan                  = 0xda
		app1                  = 0xe1
	)
	for rest := file[2:]; len(rest) >= 4 && rest[0] == 0xff; {
		marker := rest[1]
		if marker == 0xff { // filling
			rest = rest[1:]
			continue
		}
		length := int(binary.BigEndian.Uint16(rest[2:]))
		if marker == scan || length < 2 || len(rest) < 2+length {
			break
		}
		body := rest[4 : 2+length]
		switch {
		case marker == app1 && exif == nil && bytes.HasPrefix(body, exifPrefix):
			exif = body[len(exifPrefix):]
		case marker >= frameFirst && marker <= frameLast && marker != huffman && marker != arithmetic && marker != extension:
			progressive = marker != frameFirst && marker != frameFirst+1
		}
		rest = rest[2+length:]
	}
	return exif, progressive
}

var exifPrefix = []byte("Exif\x00\x00")

// readPNG finds the Exif block and whether the picture is interlaced.
func readPNG(file []byte) (exif []byte, interlaced bool) {
	for rest := file[8:]; len(rest) >= 12; {
		length := binary.BigEndian.Uint32(rest)
		if uint64(length)+12 > uint64(len(rest)) {
			break
		}
		body := rest[8 : 8+length]
		switch string(rest[4:8]) {
		case "IHDR":
			interlaced = len(body) == 13 && body[12] != 0
		case "eXIf":
			exif = body
		}
		rest = rest[12+length:]
	}
	return exif, interlaced
}

// eachRIFF shows the chunks of a WebP until show is done.
func eachRIFF(file []byte, show func(name string, body []byte) (done bool)) {
	for rest := file[12:]; len(rest) >= 8; {
		length := binary.LittleEndian.Uint32(rest[4:])
		if uint64(length)+8 > uint64(len(rest)) || show(string(rest[:4]), rest[8:8+length]) {
			return
		}
		rest = rest[8+length:]
		if length%2 == 1 && len(rest) > 0 {
			rest = rest[1:]
		}
	}
}

func readWebP(file []byte) (exif []byte) {
	eachRIFF(file, func(name string, body []byte) bool {
		if name == "EXIF" {
			exif = bytes.TrimPrefix(body, exifPrefix)
		}
		return exif != nil
	})
	return exif
}

func isAnimatedWebP(file []byte) (animated bool) {
	eachRIFF(file, func(name string, _ []byte) bool {
		animated = name == "ANIM" || name == "ANMF"
		return animated
	})
	return animated
}
