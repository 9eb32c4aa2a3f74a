package picture

import (
	"bytes"
	"encoding/binary"
)

// The readers here find the few relevant bytes in the metadata of a picture. They do not trust lengths: an invalid
// length ends the search.

var exifPrefix = []byte("Exif\x00\x00")

// pngFile describes a PNG, read from its chunks without decoding.
type pngFile struct {
	exif       []byte
	interlaced bool
	paletted   bool
	alpha      bool
	channels   int
	depth      int   // bits per sample
	data       int64 // compressed bytes of the pixels
	chunks     int64
}

// readPNG reads the chunks to the end of the picture.
func readPNG(file []byte) (p pngFile) {
	for rest := file[8:]; len(rest) >= 12; {
		length := binary.BigEndian.Uint32(rest)
		if uint64(length)+12 > uint64(len(rest)) {
			break
		}
		p.chunks++
		body := rest[8 : 8+length]
		switch string(rest[4:8]) {
		case "IHDR":
			if len(body) == 13 && p.depth == 0 {
				colour := body[9]
				p.interlaced, p.paletted, p.alpha = body[12] != 0, colour == 3, colour >= 4
				p.depth, p.channels = int(body[8]), map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
			}
		case "tRNS":
			p.alpha = true
		case "IDAT":
			p.data += int64(length)
		case "eXIf":
			p.exif = body
		case "IEND":
			return p
		}
		rest = rest[12+length:]
	}
	return p
}

// pngPasses are the seven passes of an interlaced PNG: the distances between pixels and between rows, then the first
// pixel and row. https://www.w3.org/TR/png-3/#8Interlace
var pngPasses = [7][4]int{{8, 8, 0, 0}, {8, 8, 4, 0}, {4, 8, 0, 4}, {4, 4, 2, 0}, {2, 4, 0, 2}, {2, 2, 1, 0},
	{1, 2, 0, 1}}

// raw returns the number of bytes of the pixels before compression, including a filter byte for each row.
func (p pngFile) raw(width, height int) (n int64) {
	rows := func(width, height int) int64 {
		if width == 0 {
			return 0
		}
		return (1 + (int64(width)*int64(p.depth*p.channels)+7)/8) * int64(height)
	}
	if !p.interlaced {
		return rows(width, height)
	}
	for _, pass := range pngPasses {
		n += rows((width-pass[2]+pass[0]-1)/pass[0], (height-pass[3]+pass[1]-1)/pass[1])
	}
	return n
}

// webpFile describes a WebP, read from its chunks without decoding.
type webpFile struct {
	exif     []byte
	animated bool
	alpha    bool // a lossy picture with separate alpha
	// The picture is either lossy or lossless. The alpha of a lossy picture is a lossless picture of the same size, or
	// uncompressed.
	lossy, lossless           bool
	lossyBytes, losslessBytes int64
}

func readWebP(file []byte) (w webpFile) {
	for rest := file[12:]; len(rest) >= 8; {
		length := binary.LittleEndian.Uint32(rest[4:])
		if uint64(length)+8 > uint64(len(rest)) {
			// A file that is cut off is damaged, but the decoder reads up to the cut.
			length = uint32(len(rest) - 8)
		}
		body := rest[8 : 8+length]
		switch string(rest[:4]) {
		case "ANIM", "ANMF":
			w.animated = true
		case "EXIF":
			if w.exif == nil {
				w.exif = bytes.TrimPrefix(body, exifPrefix)
			}
		case "VP8 ":
			w.lossy, w.lossyBytes = true, w.lossyBytes+int64(length)
		case "VP8L":
			w.lossless, w.losslessBytes = true, w.losslessBytes+int64(length)
		case "ALPH":
			w.alpha, w.lossless, w.losslessBytes = true, true, w.losslessBytes+int64(length)
		}
		rest = rest[8+length:]
		if length%2 == 1 && len(rest) > 0 {
			rest = rest[1:]
		}
	}
	return w
}
