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
	jpegExif       = 0xe1
)

// jpegFile describes a JPEG, read from its segments without decoding.
type jpegFile struct {
	exif        []byte
	progressive bool
	components  []jpegComponent
	scans       int
	// blockScans is the number of visits of scans to blocks of 8 x 8 coefficients.
	blockScans int64
	// refined is the number of visits of refinement scans to coefficients. Such a scan visits each coefficient in its
	// band, even if the file has no bit for it.
	refined int64
}

type jpegComponent struct {
	id     byte
	blocks int64
}

// blocks returns the number of blocks in the picture.
func (j *jpegFile) blocks() (n int64) {
	for _, c := range j.components {
		n += c.blocks
	}
	return n
}

// readJPEG walks the segments of a whole file in the same way as image/jpeg, to the end of the picture. It counts every
// scan that the decoder runs. It does not count a JPEG inside a segment, such as a thumbnail, or after the end. The
// walk stops where the decoder reports an error.
func readJPEG(file []byte) (j jpegFile) {
	for rest := file[2:]; len(rest) >= 2; {
		if rest[0] != 0xff || rest[1] == 0 || rest[1] >= jpegRestart && rest[1] < jpegEnd-1 {
			// Scan data, garbage, a zero after 0xff in scan data, or a restart marker.
			next := bytes.IndexByte(rest[1:], 0xff)
			if next < 0 {
				break
			}
			rest = rest[1+next:]
			continue
		}
		marker := rest[1]
		if marker == 0xff { // fill byte
			rest = rest[1:]
			continue
		}
		if marker == jpegEnd || len(rest) < 4 {
			break
		}
		length := int(binary.BigEndian.Uint16(rest[2:]))
		if length < 2 || len(rest) < 2+length {
			break
		}
		j.segment(marker, rest[4:2+length])
		rest = rest[2+length:]
	}
	return j
}

func (j *jpegFile) segment(marker byte, body []byte) {
	switch {
	case marker == jpegExif && j.exif == nil && bytes.HasPrefix(body, exifPrefix):
		j.exif = body[len(exifPrefix):]
	case marker == jpegScan:
		j.scan(body)
	case marker >= jpegFrameFirst && marker <= jpegFrameLast &&
		marker != jpegHuffman && marker != jpegArithmetic && marker != jpegExtension && j.components == nil:
		j.progressive = marker != jpegFrameFirst && marker != jpegFrameFirst+1
		j.frame(body)
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
	for c := body[6:][:3*int(body[5])]; len(c) > 0; c = c[3:] {
		blocks := units
		if body[5] > 1 {
			blocks *= int64(c[1]>>4) * int64(c[1]&15)
		}
		j.components = append(j.components, jpegComponent{c[0], blocks})
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
