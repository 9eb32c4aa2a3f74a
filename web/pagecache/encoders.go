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
		return w
	}
	p.brotli.New = func() any {
		return brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: brotliLevel, LGWin: brotliWindow})
	}
	p.deflate.New = func() any {
		w, err := flate.NewWriter(nil, gzipLevel)
		if err != nil {
			panic(err)
		}
		return w
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
	p := pool.Get().(encoder)
	defer pool.Put(p)
	var b bytes.Buffer
	p.Reset(&b)
	_, _ = p.Write(text) // writing to a bytes.Buffer does not fail
	_ = end(p)
	p.Reset(nil)
	return bytes.Clone(b.Bytes())
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
