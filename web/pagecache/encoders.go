package pagecache

import (
	"bytes"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"

	"inkfeed/static"
)

// Compression levels for responses that are sent more than once. Higher levels take several times
// as long and save one percent, and a visitor may be waiting.
const (
	gzipLevel    = 6
	brotliLevel  = 5
	brotliWindow = 18 // bits
)

// encoders compress cached responses. The compressors are pooled: their tables are thirty times as
// large as a page.
type encoders struct{ gzip, brotli, deflate sync.Pool }

// compressor is an encoder with a buffer for its output, whose memory is used again.
type compressor struct {
	encoder
	out bytes.Buffer
}

type encoder interface {
	io.WriteCloser
	Flush() error
	Reset(io.Writer)
}

func newEncoders() *encoders {
	p := new(encoders)
	p.gzip.New = func() any {
		w, err := gzip.NewWriterLevel(nil, gzipLevel)
		if err != nil {
			panic(err) // the level is valid
		}
		return &compressor{encoder: w}
	}
	p.brotli.New = func() any {
		options := brotli.WriterOptions{Quality: brotliLevel, LGWin: brotliWindow}
		return &compressor{encoder: brotli.NewWriterOptions(nil, options)}
	}
	p.deflate.New = func() any {
		w, err := flate.NewWriter(nil, gzipLevel)
		if err != nil {
			panic(err)
		}
		return &compressor{encoder: w}
	}
	return p
}

// encode returns the text, compressed with this coding. The caller owns the result.
func (p *encoders) encode(c static.Coding, text []byte) []byte {
	if c == static.Brotli {
		return compress(&p.brotli, text, encoder.Close)
	}
	return compress(&p.gzip, text, encoder.Close)
}

// deflatePiece returns the text deflated up to a byte boundary, so that more data can follow. The
// caller owns the result.
func (p *encoders) deflatePiece(text []byte) []byte { return compress(&p.deflate, text, encoder.Flush) }

func compress(pool *sync.Pool, text []byte, end func(encoder) error) []byte {
	c := pool.Get().(*compressor)
	defer pool.Put(c)
	c.out.Reset()
	c.Reset(&c.out)
	_, _ = c.Write(text) // writing to a bytes.Buffer does not fail
	_ = end(c.encoder)
	return bytes.Clone(c.out.Bytes())
}

// decode returns the text of this size that encode has compressed with this coding.
func decode(c static.Coding, body []byte, size int) (text []byte, err error) {
	var r io.Reader = bytes.NewReader(body)
	if c == static.Brotli {
		r = brotli.NewReader(r)
	} else if r, err = gzip.NewReader(r); err != nil {
		return nil, err
	}
	text = make([]byte, size)
	_, err = io.ReadFull(r, text)
	return text, err
}
