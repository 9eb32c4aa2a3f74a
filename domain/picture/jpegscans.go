package picture

import (
	"bytes"
	"encoding/binary"
)

// JPEG markers: ITU-T T.81, table B.1.
const (
	jpegFrameFirst = 0xc0
	jpegHuffman    = 0xc4
	jpegExtension  = 0xc8
	jpegArithmetic = 0xcc
	jpegFrameLast  = 0xcf
	jpegRestart    = 0xd0
	jpegEnd        = 0xd9
	jpegScan       = 0xda
	jpegTables     = 0xdb
	jpegInterval   = 0xdd
	jpegJFIF       = 0xe0
	jpegExif       = 0xe1
	jpegICC        = 0xe2
	jpegAdobe      = 0xee
)

// jpegFile describes a JPEG, read from its segments without decoding.
type jpegFile struct {
	exif        []byte
	icc         [][]byte // the parts of a profile, each with two bytes before it
	progressive bool
	ended       bool // whether the picture has an end
	width       int
	height      int
	components  []jpegComponent
	adobe       []byte // the body of Adobe's segment
	jfif        bool
	shown       bool // the frame is of a kind that browsers show: with Huffman codes, eight bits, and known colours
	scans       int
	// blockScans is the number of visits of scans to blocks of 8 x 8 coefficients.
	blockScans int64
	// refined is the number of visits of refinement scans to coefficients. Such a scan visits each coefficient in its
	// band, even if the file has no bit for it.
	refined int64
}

type jpegComponent struct {
	id           byte
	across, down int // sampling factors
	table        byte
	blocks       int64
}

// blocks returns the number of blocks in the picture.
func (j *jpegFile) blocks() (n int64) {
	for _, c := range j.components {
		n += c.blocks
	}
	return n
}

// readJPEG walks the segments of a whole file. It counts every scan that the decoder runs.
func readJPEG(file []byte) (j jpegFile) {
	j.ended = walkJPEG(file, func(marker byte, body, _ []byte) { j.segment(marker, body) })
	return j
}

// walkJPEG walks the segments of a whole file in the same way as image/jpeg, to the end of the picture, and passes each
// to the given function with what comes after it. It does not pass on a JPEG inside a segment, such as a thumbnail, or
// after the end. The walk stops where the decoder reports an error. Ended reports that the picture has an end.
func walkJPEG(file []byte, each func(marker byte, body, after []byte)) (ended bool) {
	for rest := file[2:]; len(rest) >= 2; {
		if rest[0] != 0xff || rest[1] == 0 || rest[1] >= jpegRestart && rest[1] < jpegEnd-1 {
			// Scan data, garbage, a zero after 0xff in scan data, or a restart marker.
			next := bytes.IndexByte(rest[1:], 0xff)
			if next < 0 {
				return false
			}
			rest = rest[1+next:]
			continue
		}
		marker := rest[1]
		if marker == 0xff { // fill byte
			rest = rest[1:]
			continue
		}
		if marker == jpegEnd {
			return true
		}
		if len(rest) < 4 {
			return false
		}
		length := int(binary.BigEndian.Uint16(rest[2:]))
		if length < 2 || len(rest) < 2+length {
			return false
		}
		body := rest[4 : 2+length]
		rest = rest[2+length:]
		each(marker, body, rest)
	}
	return false
}

func (j *jpegFile) segment(marker byte, body []byte) {
	switch {
	case marker == jpegExif && j.exif == nil && bytes.HasPrefix(body, exifPrefix):
		j.exif = body[len(exifPrefix):]
	case marker == jpegICC && bytes.HasPrefix(body, iccPrefix) && len(body) >= len(iccPrefix)+2 && len(j.icc) < 256:
		j.icc = append(j.icc, body[len(iccPrefix):])
	case marker == jpegAdobe && len(body) >= 12 && string(body[:5]) == "Adobe":
		j.adobe = body
	case marker == jpegJFIF && bytes.HasPrefix(body, []byte("JFIF\x00")):
		j.jfif = true
	case marker == jpegScan:
		j.scan(body)
	case marker >= jpegFrameFirst && marker <= jpegFrameLast &&
		marker != jpegHuffman && marker != jpegArithmetic && marker != jpegExtension && j.components == nil:
		j.progressive = marker != jpegFrameFirst && marker != jpegFrameFirst+1
		j.frame(body)
		j.shown = j.shown && marker <= jpegFrameFirst+2
	}
}

// frame reads a frame header: T.81, B.2.2.
func (j *jpegFile) frame(body []byte) {
	if len(body) < 6 || len(body) < 6+3*int(body[5]) {
		return
	}
	height, width := int64(binary.BigEndian.Uint16(body[1:])), int64(binary.BigEndian.Uint16(body[3:]))
	var across, down int64 = 1, 1 // most blocks of any component in a unit, each way
	for c := body[6:][:3*int(body[5])]; len(c) > 0 && body[5] > 1; c = c[3:] {
		across, down = max(across, int64(c[1]>>4)), max(down, int64(c[1]&15))
	}
	units := ((width + 8*across - 1) / (8 * across)) * ((height + 8*down - 1) / (8 * down))
	j.width, j.height = int(width), int(height)
	j.shown = body[0] == 8 && (body[5] == 1 || body[5] == 3 || body[5] == 4)
	for c := body[6:][:3*int(body[5])]; len(c) > 0; c = c[3:] {
		part := jpegComponent{id: c[0], across: int(c[1] >> 4), down: int(c[1] & 15), table: c[2] & 3, blocks: units}
		if body[5] == 1 {
			part.across, part.down = 1, 1
		}
		j.shown = j.shown && part.across >= 1 && part.across <= 4 && part.down >= 1 && part.down <= 4
		part.blocks *= int64(part.across) * int64(part.down)
		j.components = append(j.components, part)
	}
}

// scan reads a scan header: T.81, B.2.3.
func (j *jpegFile) scan(body []byte) {
	j.scans++
	if len(body) < 4 || len(body) < 4+2*int(body[0]) {
		return
	}
	n := int(body[0])
	from, to, refines := body[1+2*n], body[2+2*n], body[3+2*n]>>4 != 0
	for i := range n {
		for _, c := range j.components {
			if c.id != body[1+2*i] {
				continue
			}
			j.blockScans += c.blocks
			if j.progressive && refines && to >= from {
				j.refined += c.blocks * int64(to-from+1)
			}
		}
	}
}
