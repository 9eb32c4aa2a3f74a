package picture

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
)

// bitWriter writes bits, the least significant first, as in deflate and WebP.
type bitWriter struct {
	bytes.Buffer
	bits uint64
	n    int
}

func (w *bitWriter) write(value uint64, n int) {
	w.bits |= value << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.WriteByte(byte(w.bits))
		w.bits >>= 8
	}
}

func (w *bitWriter) align() {
	if w.n > 0 {
		w.write(0, 8-w.n)
	}
}

// matchBlock writes a block in which each match of three bytes takes two bits. The bytes are zeros.
func matchBlock(w *bitWriter, matches int) {
	w.write(0b100, 3)
	w.write(1, 5) // 258 codes
	w.write(1, 5) // 2 of distances
	w.write(18-4, 4)
	for i := range 18 {
		length := uint64(0)
		switch i {
		case 2: // of 18
			length = 2
		case 3, 15: // of 0, of 2
			length = 3
		case 17: // of 1
			length = 1
		}
		w.write(length, 3)
	}
	// 1: 0, 18: 10, 0: 110, 2: 111, written with their first bits first.
	w.write(0b111, 3) // literal 0: 2 bits
	w.write(0b01, 2)
	w.write(138-11, 7)
	w.write(0b01, 2)
	w.write(117-11, 7)
	w.write(0b111, 3) // end: 2 bits
	w.write(0, 1)     // a length of 3: 1 bit
	w.write(0, 1)     // distance 1
	w.write(0, 1)     // distance 2
	// A length of 3 is 0, the literal is 10 and the end 11.
	w.write(0b01, 2)
	for range matches {
		w.write(0, 2)
	}
	w.write(0b11, 2)
}

// zlibOf returns a zlib stream of the given number of zeros. The function blocks writes its first part.
func zlibOf(blocks func(w *bitWriter) (zeros int), zeros int) []byte {
	w := &bitWriter{}
	w.Write([]byte{0x78, 0x01})
	have := blocks(w)
	matchBlockRest(w, zeros-have)
	sum := adler32Zeros(zeros)
	return binary.BigEndian.AppendUint32(w.Bytes(), sum)
}

// matchBlockRest writes the last block, with the given number of zeros in runs of the maximum length.
func matchBlockRest(w *bitWriter, zeros int) {
	w.write(0b011, 3) // the last; fixed tables
	for ; zeros > 0 && zeros%258 != 1; zeros-- {
		w.write(0b00001100, 8) // the literal 0: 00110000, first bit first
	}
	if zeros > 0 {
		w.write(0b00001100, 8)
		for range zeros / 258 {
			w.write(0b10100011, 8) // a length of 258: 11000101
			w.write(0, 5)          // distance 1
		}
	}
	w.write(0, 7)
	w.align()
}

func adler32Zeros(n int) uint32 {
	h := adler32.New()
	zeros := make([]byte, 1<<16)
	for n > 0 {
		m := min(n, len(zeros))
		_, _ = h.Write(zeros[:m])
		n -= m
	}
	return h.Sum32()
}

func pngOf(width, height int, depth, colour, interlace byte, chunks ...[]byte) []byte {
	header := binary.BigEndian.AppendUint32(nil, uint32(width))
	header = binary.BigEndian.AppendUint32(header, uint32(height))
	file := appendPNGChunk([]byte("\x89PNG\r\n\x1a\n"), "IHDR", append(header, depth, colour, 0, 0, interlace))
	for _, c := range chunks {
		file = append(file, c...)
	}
	return appendPNGChunk(file, "IEND", nil)
}
