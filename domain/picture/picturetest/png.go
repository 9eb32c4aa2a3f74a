package picturetest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"math"
	"slices"
)

// PNG returns a picture as a PNG with chunks after its header.
func PNG(img image.Image, chunks ...[]byte) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	const afterHeader = 8 + 25
	return slices.Concat(b.Bytes()[:afterHeader], slices.Concat(chunks...), b.Bytes()[afterHeader:])
}

// Chunk returns a chunk of a PNG.
func Chunk(name string, body []byte) []byte {
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), name...)
	chunk = append(chunk, body...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}

// ICCP returns a chunk with a profile.
func ICCP(profile []byte) []byte {
	var b bytes.Buffer
	b.WriteString("profile\x00\x00")
	z := zlib.NewWriter(&b)
	_, _ = z.Write(profile)
	_ = z.Close()
	return Chunk("iCCP", b.Bytes())
}

// GAMA returns a chunk with an exponent for encoding, such as 1/2.2.
func GAMA(g float64) []byte {
	return Chunk("gAMA", binary.BigEndian.AppendUint32(nil, uint32(math.Round(g*100000))))
}

// CHRM returns a chunk with primaries.
func CHRM(p Primaries) []byte {
	var body []byte
	for _, i := range []int{6, 7, 0, 1, 2, 3, 4, 5} {
		body = binary.BigEndian.AppendUint32(body, uint32(math.Round(p[i]*100000)))
	}
	return Chunk("cHRM", body)
}

// CICP returns a chunk with numbers of primaries and of a transfer function.
func CICP(primaries, transfer byte) []byte { return Chunk("cICP", []byte{primaries, transfer, 0, 1}) }

// chunkAt returns the positions of the beginning and the end of a chunk.
func chunkAt(file []byte, name string) (from, to int) {
	for at := 8; at+12 <= len(file); {
		next := at + 12 + int(binary.BigEndian.Uint32(file[at:]))
		if string(file[at+4:at+8]) == name {
			return at, next
		}
		at = next
	}
	panic("picturetest: no chunk " + name)
}

// withWrongSum returns a PNG with a wrong checksum of a chunk.
func withWrongSum(file []byte, name string) []byte {
	file = slices.Clone(file)
	_, end := chunkAt(file, name)
	file[end-1] ^= 0xff
	return file
}
