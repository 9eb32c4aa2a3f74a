package picture

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"

	"inkfeed/domain/throttle"
)

var errJPEG = errors.New("the JPEG has no rows, or is of a kind that browsers don't show")

// jpegParts writes each component of a JPEG as a grey JPEG of its own. image/jpeg decodes that whatever the sampling
// and the meaning of the components are. The parts have the coefficients of the file. Their DC coefficients, whose
// order depends on the sampling, get other codes. The parts end where the file is cut off: after the last whole row of
// units, or before a scan that only adds details.
type jpegParts struct {
	jpegFile
	across, down int // the largest sampling factors
	rows         int // of pixels, which all components have
	codes        [2][4]*codes
	quantization [4][]byte // tables, as in their segments
	interval     int
	parts        []*jpegPart
	cut          bool
}

// jpegPart is a component. Its size is in blocks.
type jpegPart struct {
	jpegComponent
	width, height int
	scans         bytes.Buffer
	last          int // the DC coefficient of the last block
	dc, ac        *codes
	written       *codes       // the last table in scans
	rows          []codeWriter // rows of blocks in the current row of units
}

// decodeParts decodes the components one by one, and joins them.
func (s *seen) decodeParts(turn *throttle.Turn) (image.Image, error) {
	p := &jpegParts{jpegFile: s.jpeg, across: 1, down: 1, rows: s.Height}
	for _, c := range p.components {
		p.across, p.down = max(p.across, c.across), max(p.down, c.down)
	}
	for _, c := range p.components {
		width, height := ceil(s.Width*c.across, p.across), ceil(s.Height*c.down, p.down)
		p.parts = append(p.parts, &jpegPart{jpegComponent: c, width: ceil(width, 8), height: ceil(height, 8)})
	}
	walkJPEG(s.file, p.segment)
	planes := make([]*image.Gray, len(p.parts))
	for i, part := range p.parts {
		if part.scans.Len() == 0 || p.rows < 1 {
			return nil, errJPEG
		}
		img, err := jpeg.Decode(turn.Reader(bytes.NewReader(p.file(part))))
		if err != nil {
			return nil, err
		}
		planes[i] = img.(*image.Gray)
		part.scans = bytes.Buffer{}
	}
	s.Height, s.cut = p.rows, p.cut
	return p.join(planes), nil
}

func ceil(a, b int) int { return (a + b - 1) / b }

func jpegSegment(b *bytes.Buffer, marker byte, body ...byte) {
	b.Write(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)))
	b.Write(body)
}

// file returns a component as a grey JPEG.
func (p *jpegParts) file(part *jpegPart) []byte {
	var b bytes.Buffer
	b.WriteString("\xff\xd8")
	jpegSegment(&b, jpegTables, p.quantization[part.table]...)
	// A code of five bits for each size of a difference.
	jpegSegment(&b, jpegHuffman, 0, 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
	frame := byte(jpegFrameFirst + 1)
	if p.progressive {
		frame++
	}
	w, h := ceil(p.width*part.across, p.across), ceil(p.rows*part.down, p.down)
	jpegSegment(&b, frame, 8, byte(h>>8), byte(h), byte(w>>8), byte(w), 1, 1, 0x11, 0)
	b.Write(part.scans.Bytes())
	b.WriteString("\xff\xd9")
	return b.Bytes()
}

func (p *jpegParts) segment(marker byte, body, after []byte) {
	switch {
	case p.cut:
	case marker == jpegInterval && len(body) >= 2:
		p.interval = int(binary.BigEndian.Uint16(body))
	case marker == jpegHuffman:
		for len(body) >= 17 {
			c := newCodes(body)
			if c == nil {
				return
			}
			p.codes[body[0]>>4&1][body[0]&3] = c
			body = body[len(c.table):]
		}
	case marker == jpegTables:
		for len(body) >= 65 {
			wide := body[0] & 0x10
			size := 65 + 4*int(wide)
			if len(body) < size {
				return
			}
			p.quantization[body[0]&3] = append([]byte{wide}, body[1:size]...)
			body = body[size:]
		}
	case marker == jpegScan && len(body) > 0 && len(body) == 4+2*int(body[0]):
		p.scan(body, after)
	}
}

// scan writes a scan to its components.
func (p *jpegParts) scan(header, data []byte) {
	n, bands := int(header[0]), header[1+2*int(header[0]):]
	var of []*jpegPart
	for i := range n {
		for _, part := range p.parts {
			if part.id == header[1+2*i] {
				tables := header[2+2*i]
				part.dc, part.ac = p.codes[0][tables>>4&3], cmp.Or(p.codes[1][tables&3], part.written)
				of = append(of, part)
			}
		}
	}
	refines := bands[2]>>4 > 0
	for _, part := range of {
		if !refines && bands[0] == 0 && part.dc == nil || !p.progressive && part.ac == nil {
			return
		}
	}
	switch {
	case len(of) != n || n == 0:
	case p.progressive && bands[0] > 0: // AC coefficients are of one component, and stay as they are
		var end int
		if end, p.cut = scanEnd(data); !p.cut {
			of[0].begin(p.interval, bands)
			of[0].scans.Write(data[:end])
		}
	default:
		p.units(of, &codeReader{data: data}, bands, refines)
	}
}

// begin writes the header of a scan. It repeats no table, because a file may have very many scans.
func (part *jpegPart) begin(interval int, bands []byte) {
	jpegSegment(&part.scans, jpegInterval, byte(interval>>8), byte(interval))
	if part.ac != part.written {
		jpegSegment(&part.scans, jpegHuffman, append([]byte{0x10}, part.ac.table[1:]...)...)
		part.written = part.ac
	}
	jpegSegment(&part.scans, jpegScan, append([]byte{1, 1, 0}, bands...)...)
}

// units writes the blocks of a scan in rows. A restart marker follows each row, so that every row can be written apart.
func (p *jpegParts) units(of []*jpegPart, r *codeReader, bands []byte, refines bool) {
	single := len(of) == 1
	across, down := of[0].width, of[0].height
	if !single {
		across, down = ceil(p.width, 8*p.across), ceil(p.height, 8*p.down)
	}
	for _, part := range of {
		part.begin(part.width, bands)
		part.last = 0
	}
	for y := range down {
		for _, part := range of {
			part.rows = make([]codeWriter, part.down)
		}
		for x := range across {
			if unit := y*across + x; p.interval > 0 && unit > 0 && unit%p.interval == 0 {
				r.restart()
				for _, part := range of {
					part.last = 0
				}
			}
			for _, part := range of {
				h, v := part.across, part.down
				if single {
					h, v = 1, 1
				}
				for i := range h * v {
					w := &part.rows[i/h]
					if x*h+i%h >= part.width {
						w = nil // a block beyond the picture
					}
					part.block(r, w, !p.progressive, refines)
				}
			}
			if r.ended {
				rows := 8 * y * p.down
				if single {
					rows /= of[0].down
				}
				p.cut, p.rows = true, min(p.rows, rows)
				return
			}
		}
		for _, part := range of {
			part.endRow(y, single)
		}
	}
}

func (part *jpegPart) endRow(y int, single bool) {
	rows := part.rows
	if single {
		rows = rows[:1]
	}
	for i := range rows {
		if at := y*len(rows) + i; at < part.height {
			part.scans.Write(rows[i].end())
			part.scans.Write([]byte{0xff, jpegRestart + byte(at%8)})
		}
	}
}

// block copies a block. A writer of nil discards it.
func (part *jpegPart) block(r *codeReader, w *codeWriter, all, refines bool) {
	if refines {
		w.write(r.bits(1), 1)
		return
	}
	size, _, _ := r.code(part.dc)
	difference := int(r.bits(int(size & 15)))
	if size > 0 && difference < 1<<(size-1) {
		difference += 1 - 1<<size
	}
	part.last = max(min(part.last+difference, 1<<15-1), -1<<15+1)
	w.writeDC(part.last)
	for k := 1; all && k < 64 && !r.ended; k++ {
		symbol, code, n := r.code(part.ac)
		w.write(code, n)
		run, size := int(symbol>>4), int(symbol&15)
		if size == 0 && run < 15 {
			break
		}
		if k += run; k >= 64 {
			r.ended = true // the data are damaged
		}
		w.write(r.bits(size), size)
	}
}

// join returns the picture. The inks of four components are the remaining light, as browsers read them.
func (p *jpegParts) join(planes []*image.Gray) image.Image {
	if len(planes) == 1 {
		return planes[0]
	}
	inks := len(planes) == 4
	marked := p.adobe != nil && (inks || !p.jfif)
	named := !p.jfif && p.parts[0].id == 'R' && p.parts[1].id == 'G' && p.parts[2].id == 'B'
	ycc := marked && p.adobe[11] != 0 || !marked && !inks && !named
	img := image.NewRGBA(image.Rect(0, 0, p.width, p.rows))
	columns, rows := make([][]int, len(planes)), make([][]byte, len(planes))
	for i, part := range p.parts {
		for x := range p.width {
			columns[i] = append(columns[i], x*part.across/p.across)
		}
	}
	for at := 0; at < len(img.Pix); at += 4 {
		x := at % img.Stride / 4
		for i, plane := range planes {
			if x == 0 {
				rows[i] = plane.Pix[at/img.Stride*p.parts[i].down/p.down*plane.Stride:]
			}
		}
		v := [4]byte{3: 255}
		for i, row := range rows {
			v[i] = row[columns[i][x]]
		}
		if ycc {
			v[0], v[1], v[2] = color.YCbCrToRGB(v[0], v[1], v[2])
		}
		for i := range 3 {
			if inks && ycc {
				v[i] = 255 - v[i]
			}
			v[i] = premultiplied(v[i], uint32(v[3])) // the fourth component is black
		}
		img.Pix[at], img.Pix[at+1], img.Pix[at+2], img.Pix[at+3] = v[0], v[1], v[2], 255
	}
	return img
}
