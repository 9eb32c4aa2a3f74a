package picturetest

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"math"
	"slices"
)

// JPEG describes a JPEG of the squares. Its blocks are flat, so it has no AC coefficients.
type JPEG struct {
	Sampling    []byte // of each component; as in the file
	Apart       bool   // a scan for each component
	Progressive bool   // scans with fewer bits, with the last bit, and without AC coefficients
	Restart     int    // units between restart markers
	Adobe       string // the last byte of Adobe's segment, if there is one
	Inverted    bool   // four components hold 255 minus the ink
	Segments    [][]byte
	Marker      byte   // of the frame; 0 for the usual one
	Precision   byte   // 0 for 8
	IDs         string // of the components
	JFIF        bool
}

// Segment returns a segment of a JPEG.
func Segment(marker byte, body []byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)), body...)
}

// ICC returns a profile in the given number of segments.
func ICC(profile []byte, segments int) (out []byte) {
	each := (len(profile) + segments - 1) / segments
	for i := range segments {
		part := profile[i*each : min((i+1)*each, len(profile))]
		out = append(out, Segment(0xe2, slices.Concat([]byte("ICC_PROFILE\x00"), []byte{byte(i + 1), byte(segments)},
			part))...)
	}
	return out
}

type bits struct {
	bytes.Buffer
	have uint32
	n    int
}

func (b *bits) write(value uint32, n int) {
	for i := n - 1; i >= 0; i-- {
		b.have = b.have<<1 | value>>i&1
		if b.n++; b.n == 8 {
			b.WriteByte(byte(b.have))
			if byte(b.have) == 0xff {
				b.WriteByte(0)
			}
			b.have, b.n = 0, 0
		}
	}
}

func (b *bits) align() {
	for b.n > 0 {
		b.write(1, 1)
	}
}

// difference writes a DC difference, whose category is a code of four bits.
func (b *bits) difference(d int) {
	size := 0
	for abs := max(d, -d); abs > 0; abs >>= 1 {
		size++
	}
	b.write(uint32(size), 4)
	if d < 0 {
		d += 1<<size - 1
	}
	b.write(uint32(d), size)
}

// samples returns the components of a colour, minus 128.
func (j JPEG) samples(c color.NRGBA) []int {
	var s []float64
	r, g, b := float64(c.R), float64(c.G), float64(c.B)
	y, cb, cr := 0.299*r+0.587*g+0.114*b, 128-0.168736*r-0.331264*g+0.5*b, 128+0.5*r-0.418688*g-0.081312*b
	switch {
	case len(j.Sampling) == 1:
		s = []float64{y}
	case len(j.Sampling) == 4 && j.Adobe == "\x02":
		s = []float64{y, cb, cr, 230} // Inverted
	case len(j.Sampling) == 4:
		s = []float64{r, g, b, 230}
	case j.IDs == "RGB" || j.Adobe == "\x00":
		s = []float64{r, g, b}
	default:
		s = []float64{y, cb, cr}
	}
	out := make([]int, len(s))
	for i, v := range s {
		if len(s) == 4 && !j.Inverted {
			v = 255 - v
		}
		out[i] = int(math.Round(min(max(v, 0), 255))) - 128
	}
	return out
}

// File returns the file.
func (j JPEG) File() []byte {
	var b bytes.Buffer
	b.WriteString("\xff\xd8")
	if j.JFIF {
		b.Write(Segment(0xe0, []byte("JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")))
	}
	if j.Adobe != "" {
		b.Write(Segment(0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00"+j.Adobe)))
	}
	for _, s := range j.Segments {
		b.Write(s)
	}
	b.Write(Segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)))
	precision, marker := max(j.Precision, 8), j.Marker
	if marker == 0 {
		marker = 0xc0
	}
	if j.Progressive {
		marker = 0xc2
	}
	if j.IDs == "" {
		j.IDs = "\x01\x02\x03\x04"
	}
	frame := []byte{precision, 0, Height, 0, Width, byte(len(j.Sampling))}
	for i, hv := range j.Sampling {
		frame = append(frame, j.IDs[i], hv, 0)
	}
	b.Write(Segment(marker, frame))
	// Twelve codes of four bits, and one of one bit for the end of a block.
	b.Write(Segment(0xc4, []byte{0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
	b.Write(Segment(0xc4, []byte{0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
	if j.Restart > 0 {
		b.Write(Segment(0xdd, []byte{byte(j.Restart >> 8), byte(j.Restart)}))
	}
	all := make([]int, len(j.Sampling))
	for i := range all {
		all[i] = i
	}
	scans := [][]int{all}
	if j.Apart {
		scans = nil
		for i := range all {
			scans = append(scans, []int{i})
		}
	}
	for _, s := range scans {
		j.scan(&b, s, 0)
	}
	if j.Progressive {
		for _, s := range scans {
			j.scan(&b, s, 1)
		}
		for i := range all {
			j.scan(&b, []int{i}, 2)
		}
	}
	b.WriteString("\xff\xd9")
	return b.Bytes()
}

func (j JPEG) scan(b *bytes.Buffer, components []int, pass int) {
	head := []byte{byte(len(components))}
	for _, c := range components {
		head = append(head, j.IDs[c], 0)
	}
	switch {
	case !j.Progressive:
		head = append(head, 0, 63, 0)
	case pass == 0:
		head = append(head, 0, 0, 1)
	case pass == 2:
		head = append(head, 1, 63, 0)
	default:
		head = append(head, 0, 0, 0x10)
	}
	b.Write(Segment(0xda, head))
	var across, down byte
	for _, hv := range j.Sampling {
		across, down = max(across, hv>>4), max(down, hv&15)
	}
	data, last := &bits{}, make([]int, 4)
	n := 0
	unit := func(blocks func(c int, block func(x, y int))) {
		if j.Restart > 0 && n > 0 && n%j.Restart == 0 {
			data.align()
			data.Write([]byte{0xff, 0xd0 + byte(n/j.Restart-1)%8})
			clear(last)
		}
		n++
		for _, c := range components {
			blocks(c, func(x, y int) {
				h, v := int(j.Sampling[c]>>4), int(j.Sampling[c]&15)
				// The middle of the block, in pixels of the picture.
				px, py := (8*x+4)*int(across)/h, (8*y+4)*int(down)/v
				at := min(py/Side, Rows-1)*Columns + min(px/Side, Columns-1)
				dc := 8 * j.samples(Colours[at])[c]
				switch {
				case !j.Progressive:
					data.difference(dc - last[c])
					data.write(0, 1)
					last[c] = dc
				case pass == 2:
					data.write(0, 1)
				case pass == 0:
					data.difference(dc>>1 - last[c])
					last[c] = dc >> 1
				default:
					data.write(uint32(dc&1), 1)
				}
			})
		}
	}
	ceil := func(a, b int) int { return (a + b - 1) / b }
	if len(components) == 1 {
		h, v := int(j.Sampling[components[0]]>>4), int(j.Sampling[components[0]]&15)
		for y := range ceil(ceil(Height*v, int(down)), 8) {
			for x := range ceil(ceil(Width*h, int(across)), 8) {
				unit(func(_ int, block func(x, y int)) { block(x, y) })
			}
		}
		data.align()
		b.Write(data.Bytes())
		return
	}
	for my := range ceil(Height, 8*int(down)) {
		for mx := range ceil(Width, 8*int(across)) {
			unit(func(c int, block func(x, y int)) {
				h, v := int(j.Sampling[c]>>4), int(j.Sampling[c]&15)
				for i := range h * v {
					block(mx*h+i%h, my*v+i/h)
				}
			})
		}
	}
	data.align()
	b.Write(data.Bytes())
}
