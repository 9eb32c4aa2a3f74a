package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// The readers here find the few relevant bytes in the metadata of a picture. They do not trust lengths: an invalid
// length ends the search.

var (
	exifPrefix = []byte("Exif\x00\x00")
	iccPrefix  = []byte("ICC_PROFILE\x00")
)

// pngFile describes a PNG, read from its chunks without decoding.
type pngFile struct {
	ended      bool // whether the picture has an end
	interlaced bool
	paletted   bool
	alpha      bool
	channels   int
	depth      int   // bits per sample
	data       int64 // compressed bytes of the pixels
	chunks     int64
	// critical are the signature and the chunks that decoding the pixels needs.
	critical []byte
	chunk    map[string][]byte // chunks that describe the picture
}

// pngChunk is a chunk of a PNG. It is not sound if its checksum does not match or its end is missing.
type pngChunk struct {
	name  string
	body  []byte
	whole []byte
}

func (c pngChunk) sound() bool {
	n := len(c.whole) - 4
	return n == 8+len(c.body) && crc32.ChecksumIEEE(c.whole[4:n]) == binary.BigEndian.Uint32(c.whole[n:])
}

// nextChunk returns the first chunk of a PNG without its signature, and the rest. The name is empty at the end.
func nextChunk(file []byte) (c pngChunk, rest []byte) {
	if len(file) < 8 {
		return c, nil
	}
	end := 8 + uint64(binary.BigEndian.Uint32(file)) // of the body
	size := uint64(len(file))
	return pngChunk{string(file[4:8]), file[8:min(end, size)], file[:min(end+4, size)]}, file[min(end+4, size):]
}

// readPNG reads the chunks to the end of the picture.
func readPNG(file []byte) (p pngFile) {
	p.critical, p.chunk = slices.Clone(file[:8]), make(map[string][]byte)
	for c, rest := nextChunk(file[8:]); c.name != ""; c, rest = nextChunk(rest) {
		p.chunks++
		body := c.body
		switch c.name {
		case "IHDR":
			if len(body) == 13 && p.depth == 0 && c.sound() {
				p.critical = append(p.critical, c.whole...)
				colour := body[9]
				p.interlaced, p.paletted, p.alpha = body[12] != 0, colour == 3, colour >= 4
				p.depth, p.channels = int(body[8]), map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
			}
		case "IDAT":
			p.data += int64(len(body))
		case "IEND":
			p.ended = true
			return p
		case "PLTE", "tRNS":
			// The other kinds of pictures have no palette, or have alpha.
			if used := p.paletted || c.name == "tRNS" && p.channels%2 == 1; used && p.data == 0 && c.sound() {
				p.critical, p.alpha = append(p.critical, c.whole...), p.alpha || c.name == "tRNS"
			}
		case "cICP", "iCCP", "sRGB", "gAMA", "cHRM", "eXIf":
			if (p.data == 0 || c.name == "eXIf") && c.sound() {
				p.chunk[c.name] = body
			}
		}
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
	icc      []byte
	animated bool
	alpha    bool // a lossy picture with separate alpha
	// The picture is either lossy or lossless. The alpha of a lossy picture is a lossless picture of the same size, or
	// uncompressed.
	lossy, lossless           bool
	lossyBytes, losslessBytes int64
}

func readWebP(file []byte) (w webpFile) {
	coloured := false
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
		case "VP8X":
			coloured = length > 0 && body[0]&0x20 != 0
		case "ICCP":
			if coloured && w.icc == nil {
				w.icc = body[:min(len(body), maxProfile)]
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
