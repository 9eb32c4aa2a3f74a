package picture

// codes are the Huffman codes of a JPEG: T.81, annex C.
type codes struct {
	table   []byte // as in its segment: a byte, the numbers of codes of each length, symbols
	most    [17]int
	shift   [17]int // from a code to the index of its symbol
	symbols []byte
}

// newCodes reads the first table in a segment with at least 17 bytes. It returns nil if the table is damaged.
func newCodes(segment []byte) *codes {
	c := &codes{}
	code, k := 0, 0
	for n := 1; n <= 16; n++ {
		count := int(segment[n])
		c.most[n], c.shift[n] = -1, k-code
		if code, k = code+count, k+count; count > 0 {
			c.most[n] = code - 1
		}
		code <<= 1
	}
	if k > 256 || len(segment) < 17+k {
		return nil
	}
	c.table, c.symbols = segment[:17+k], segment[17:17+k]
	return c
}

// codeReader reads the bits of a scan.
type codeReader struct {
	data  []byte
	have  byte
	n     int // bits in have
	ended bool
}

func (r *codeReader) bits(n int) (value uint32) {
	for range n {
		if r.n == 0 {
			r.fill()
		}
		r.n--
		value = value<<1 | uint32(r.have>>r.n&1)
	}
	return value
}

func (r *codeReader) fill() {
	r.n, r.have = 8, 0
	switch {
	case r.ended || len(r.data) == 0, r.data[0] == 0xff && (len(r.data) == 1 || r.data[1] != 0):
		r.ended = true
		return
	case r.data[0] == 0xff:
		r.have, r.data = 0xff, r.data[2:]
	default:
		r.have, r.data = r.data[0], r.data[1:]
	}
}

// code returns the symbol of the next code, and the code with its length.
func (r *codeReader) code(c *codes) (symbol byte, code uint32, n int) {
	for n = 1; n <= 16 && !r.ended; n++ {
		code = code<<1 | r.bits(1)
		if int(code) <= c.most[n] {
			return c.symbols[int(code)+c.shift[n]], code, n
		}
	}
	r.ended = true
	return 0, 0, 0
}

// restart skips a restart marker.
func (r *codeReader) restart() {
	r.n = 0
	if len(r.data) < 2 || r.data[0] != 0xff || r.data[1] < jpegRestart || r.data[1] >= jpegRestart+8 {
		r.ended = true
		return
	}
	r.data = r.data[2:]
}

// codeWriter writes the bits of a row of blocks.
type codeWriter struct {
	data []byte
	have uint64
	n    int
	last int // the DC coefficient of the last block
}

func (w *codeWriter) write(value uint32, n int) {
	if w == nil {
		return
	}
	w.have, w.n = w.have<<n|uint64(value), w.n+n
	for ; w.n >= 8; w.n -= 8 {
		b := byte(w.have >> (w.n - 8))
		if w.data = append(w.data, b); b == 0xff {
			w.data = append(w.data, 0)
		}
	}
}

// writeDC writes the difference to the last DC coefficient: its size as a code of five bits, and its bits.
func (w *codeWriter) writeDC(dc int) {
	if w == nil {
		return
	}
	d := dc - w.last
	w.last = dc
	size := 0
	for abs := max(d, -d); abs > 0; abs >>= 1 {
		size++
	}
	if d < 0 {
		d += 1<<size - 1
	}
	w.write(uint32(size), 5)
	w.write(uint32(d), size)
}

// end returns the bits, filled up with ones.
func (w *codeWriter) end() []byte {
	if w.n > 0 {
		w.write(1<<(8-w.n)-1, 8-w.n)
	}
	return w.data
}

// scanEnd returns where the data of a scan ends. Cut reports that the file ends before.
func scanEnd(data []byte) (end int, cut bool) {
	for end+1 < len(data) {
		next := data[end+1]
		if data[end] == 0xff && next != 0 && (next < jpegRestart || next >= jpegRestart+8) {
			return end, false
		}
		end++
	}
	return 0, true
}
