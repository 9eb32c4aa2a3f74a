package picture

import (
	"encoding/binary"
	"slices"
)

func riffOf(chunks ...[]byte) []byte {
	body := slices.Concat(chunks...)
	return append(
		binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body)+4)),
		append([]byte("WEBP"), body...)...)
}

func riffChunk(name string, body []byte) []byte {
	chunk := append(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(body))), body...)
	if len(body)%2 == 1 {
		chunk = append(chunk, 0)
	}
	return chunk
}

// vp8x returns the header chunk of a picture with alpha.
func vp8x(width, height int) []byte {
	size := binary.LittleEndian.AppendUint64(nil, uint64(width-1)|uint64(height-1)<<24)[:6]
	return riffChunk("VP8X", append([]byte{0x10, 0, 0, 0}, size...))
}

// lossless returns a VP8L picture, without its header if it is only alpha. It uses all transforms. Its pixels have four
// bits each, one per channel. Format:
// https://developers.google.com/speed/webp/docs/webp_lossless_bitstream_specification
func lossless(width, height int, predictor byte, header bool, pixels []byte) []byte {
	w := &bitWriter{}
	if header {
		w.write(0x2f, 8)
		w.write(uint64(width-1), 14)
		w.write(uint64(height-1), 14)
		w.write(1, 4)
	}
	tree := func(symbols ...byte) {
		w.write(1, 1)
		w.write(uint64(len(symbols)-1), 1)
		w.write(1, 1)
		for _, s := range symbols {
			w.write(uint64(s), 8)
		}
	}
	image := func(green byte) { // writes an image of one colour
		w.write(0, 1) // no colour cache
		tree(green)
		tree(9)
		tree(7)
		tree(255)
		tree(0)
	}
	for _, transform := range []int{0, 1, 2} { // predictor, cross-colour, subtract green
		w.write(1, 1)
		w.write(uint64(transform), 2)
		if transform == 2 {
			continue
		}
		w.write(0, 3) // tiles of 4 x 4
		image(predictor)
	}
	w.write(0, 1)
	w.write(0, 1) // no cache
	w.write(0, 1) // one group of trees
	if pixels == nil {
		tree(3)
		tree(5)
		tree(7)
		tree(255)
	} else {
		tree(3, 200)
		tree(5, 129)
		tree(7, 99)
		tree(255, 90)
	}
	tree(0)
	for _, p := range pixels {
		w.write(uint64(p), 8)
	}
	w.write(0, 8)
	w.align()
	return w.Bytes()
}

// lossy returns a VP8 key frame (RFC 6386) of random bits after its header, which begins with the given bytes.
func lossy(width, height int, first []byte, partition int, tokens []byte) []byte {
	head := uint32(1<<4 | partition<<5)
	file := []byte{byte(head), byte(head >> 8), byte(head >> 16), 0x9d, 0x01, 0x2a}
	file = binary.LittleEndian.AppendUint16(file, uint16(width))
	file = binary.LittleEndian.AppendUint16(file, uint16(height))
	return slices.Concat(file, first, tokens)
}
