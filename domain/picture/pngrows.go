package picture

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"

	"github.com/klauspost/compress/zlib"

	"inkfeed/domain/throttle"
)

// pngData reads the compressed pixels of a PNG, which begins after its signature.
type pngData struct{ rest, body []byte }

func (d *pngData) Read(b []byte) (int, error) {
	for len(d.body) == 0 {
		var c pngChunk
		if c, d.rest = nextChunk(d.rest); c.name == "" || c.name == "IEND" {
			return 0, io.EOF
		}
		if c.name == "IDAT" {
			d.body = c.body
		}
	}
	n := copy(b, d.body)
	d.body = d.body[n:]
	return n, nil
}

// decodePNG decodes a PNG as browsers do: it ignores checksums of the pixels, other chunks, and a missing end. If
// pixels are missing, it returns the rows above them. It passes only a clean file to the decoder of the standard
// library, which is strict: the critical chunks and the pixels, not compressed.
func (s *seen) decodePNG(turn *throttle.Turn) (image.Image, error) {
	raw := make([]byte, s.png.raw(s.Width, s.Height))
	z, err := zlib.NewReader(turn.Reader(&pngData{rest: s.file[8:]}))
	if err != nil {
		return nil, err
	}
	clean := bytes.Clone(s.png.critical)
	if n, err := io.ReadFull(z, raw); err != nil {
		row := len(raw) / s.Height
		if s.png.interlaced || n < row {
			return nil, err
		}
		s.Height, s.cut = n/row, true
		raw = raw[:row*s.Height]
		const header = 8 + 8
		binary.BigEndian.PutUint32(clean[header+4:], uint32(s.Height))
		binary.BigEndian.PutUint32(clean[header+13:], crc32.ChecksumIEEE(clean[header-4:header+13]))
	}
	file := bytes.NewBuffer(make([]byte, 0, len(clean)+len(raw)+len(raw)/1000+200))
	file.Write(clean)
	file.WriteString("0000IDAT")
	stored, err := zlib.NewWriterLevel(file, zlib.NoCompression)
	if err == nil {
		_, err = turn.Writer(stored).Write(raw)
		err = cmp.Or(err, stored.Close())
	}
	if err != nil {
		return nil, err
	}
	b := file.Bytes()
	binary.BigEndian.PutUint32(b[len(clean):], uint32(len(b)-len(clean)-8))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[len(clean)+4:]))
	return png.Decode(turn.Reader(bytes.NewReader(appendPNGChunk(b, "IEND", nil))))
}
