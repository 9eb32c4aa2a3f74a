package picture

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

// slowJPEG describes a JPEG that is slow to decode and is written bit by bit.
type slowJPEG struct {
	width, height int
	sampling      []byte // of each component
	progressive   bool
	scans         []slowScan
	adobe         bool // four components need it
}

// slowScan is a scan of components with one table of each kind.
type slowScan struct {
	components             []int
	from, to, before, rest byte    // the band and the bits, as T.81 calls Ss, Se, Ah and Al
	dc, ac                 huffman // at most 15 codes, of 1, 2, 3 bits and so on
	data                   []byte  // without the zeros after 0xff
}

// huffman lists symbols. The code of the first is 0, of the second 10, of the third 110.
type huffman []byte

func (h huffman) segment(class byte) []byte {
	var counts [16]byte
	for i := range h {
		counts[min(i, max(0, len(h)-2))]++ // the last two have the same length, so that any bits form a code
	}
	return jpegSegmentOf(0xc4, slices.Concat([]byte{class << 4}, counts[:], h))
}

func jpegSegmentOf(marker byte, body []byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)), body...)
}

func (j slowJPEG) file() []byte {
	var b bytes.Buffer
	b.WriteString("\xff\xd8")
	if j.adobe {
		b.Write(jpegSegmentOf(0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00")))
	}
	b.Write(jpegSegmentOf(0xdb, append([]byte{0}, bytes.Repeat([]byte{3}, 64)...)))
	frame := []byte{8, byte(j.height >> 8), byte(j.height), byte(j.width >> 8), byte(j.width), byte(len(j.sampling))}
	for i, hv := range j.sampling {
		frame = append(frame, byte(i+1), hv, 0)
	}
	marker := byte(0xc1)
	if j.progressive {
		marker = 0xc2
	}
	b.Write(jpegSegmentOf(marker, frame))
	for _, s := range j.scans {
		b.Write(s.dc.segment(0))
		b.Write(s.ac.segment(1))
		head := []byte{byte(len(s.components))}
		for _, c := range s.components {
			head = append(head, byte(c+1), 0)
		}
		b.Write(jpegSegmentOf(0xda, append(head, s.from, s.to, s.before<<4|s.rest)))
		b.Write(bytes.ReplaceAll(s.data, []byte{0xff}, []byte{0xff, 0}))
	}
	b.WriteString("\xff\xd9")
	return b.Bytes()
}

func randomBytes(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return data
}

// emptyScans returns a progressive grey picture with the given number of refinement scans that
// change nothing.
func emptyScans(width, height, scans int, refine bool) []byte {
	blocks := ((width + 7) / 8) * ((height + 7) / 8)
	j := slowJPEG{width: width, height: height, sampling: []byte{0x11}, progressive: true}
	j.scans = append(j.scans,
		slowScan{components: []int{0}, rest: 1, dc: huffman{0}, ac: huffman{0}, data: make([]byte, blocks/8+8)})
	for range scans {
		// Each code is followed by 14 bits. All ones mean the longest run of blocks without coefficients.
		s := slowScan{components: []int{0}, from: 1, to: 63, dc: huffman{0}, ac: huffman{0xe0}}
		s.data = ones(15, blocks/(1<<15-1)+1)
		if refine {
			s.before, s.rest = 1, 0
		}
		j.scans = append(j.scans, s)
	}
	return j.file()
}

// ones returns n codes, each a zero and then ones up to the given number of bits, padded with ones.
func ones(bits, n int) []byte {
	data := bytes.Repeat([]byte{0xff}, (bits*n+7)/8+8)
	for i := range n {
		data[i*bits/8] &^= 0x80 >> (i * bits % 8)
	}
	return data
}
