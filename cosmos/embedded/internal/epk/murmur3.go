package epk

import (
	"encoding/binary"
	"math/bits"
)

const (
	c1 = 0x87c37b91114253d5
	c2 = 0x4cf5ad432745937f
)

// murmur3 is MurmurHash3 x64 128-bit with seed 0.
func murmur3(data []byte) (h1, h2 uint64) {
	length := uint64(len(data))
	for len(data) >= 16 {
		h1 ^= mix1(binary.LittleEndian.Uint64(data))
		h1 = bits.RotateLeft64(h1, 27) + h2
		h1 = h1*5 + 0x52dce729
		h2 ^= mix2(binary.LittleEndian.Uint64(data[8:]))
		h2 = bits.RotateLeft64(h2, 31) + h1
		h2 = h2*5 + 0x38495ab5
		data = data[16:]
	}
	if len(data) > 0 {
		var tail [16]byte
		copy(tail[:], data)
		h2 ^= mix2(binary.LittleEndian.Uint64(tail[8:]))
		h1 ^= mix1(binary.LittleEndian.Uint64(tail[:]))
	}
	h1 ^= length
	h2 ^= length
	h1 += h2
	h2 += h1
	h1 = fmix(h1)
	h2 = fmix(h2)
	h1 += h2
	h2 += h1
	return h1, h2
}

func mix1(k uint64) uint64 { return bits.RotateLeft64(k*c1, 31) * c2 }
func mix2(k uint64) uint64 { return bits.RotateLeft64(k*c2, 33) * c1 }

func fmix(k uint64) uint64 {
	k ^= k >> 33
	k *= 0xff51afd7ed558ccd
	k ^= k >> 33
	k *= 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}
