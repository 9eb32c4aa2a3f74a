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

// How well pages are compressed that are sent more than once: better takes a multiple of the
// time for a hundredth less, and somebody may be waiting.
const (
	gzipLevel    = 6
	brotliLevel  = 5
	brotliWindow = 18 // bits
)

// encoders compress what is kept. They are used again, since the tables of one take thirty times
// what a page takes.
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
			panic(err) // the level is one of the library's
		}
		return w
	}
	p.brotli.New = func() any {
		return brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: brotliLevel, LGWin: brotliWindow})
	}
	p.deflate.New = func() any {
		w, err := flate.NewWriter(nil, gzipLevel)
		if err != nil {
			panic(err) // as above
		}
		return w
	}
	return p
}

// pack is the text in a coding. The bytes are the caller's.
func (p *encoders) pack(c static.Coding, text []byte) []byte {
	if c == static.Brotli {
		return packed(&p.brotli, text, encoder.Close)
	}
	return packed(&p.gzip, text, encoder.Close)
}

// piece is the text deflated to a whole byte, with more to come. The bytes are the caller's.
func (p *encoders) piece(text []byte) []byte { return packed(&p.deflate, text, encoder.Flush) }

func packed(pool *sync.Pool, text []byte, end func(encoder) error) []byte {
	p := pool.Get().(encoder)
	defer pool.Put(p)
	var b bytes.Buffer
	p.Reset(&b)
	_, _ = p.Write(text) // a bytes.Buffer does not fail
	_ = end(p)
	p.Reset(nil)
	return bytes.Clone(b.Bytes())
}
