package throttle

import (
	"bufio"
	"io"
)

// Reader returns a reader that yields the turn before each read. It makes steps of the work of a decoder.
func (t *Turn) Reader(r io.Reader) io.Reader {
	return reader(func(b []byte) (int, error) {
		t.Yield()
		return r.Read(b)
	})
}

// Writer returns a writer that yields the turn before each write. It makes steps of the work of an encoder.
func (t *Turn) Writer(w io.Writer) io.Writer {
	return writer(func(b []byte) (int, error) {
		t.Yield()
		return w.Write(b)
	})
}

// blockSize is the size of the blocks that Input and Output transfer: so many that a turn is rarely interrupted.
const blockSize = 64 << 10

// Input returns a buffered reader of a file that may be elsewhere. Others have the turn while it reads.
func (t *Turn) Input(r io.Reader) *bufio.Reader {
	return bufio.NewReaderSize(reader(func(b []byte) (n int, err error) {
		t.Without(func() { n, err = r.Read(b) })
		return n, err
	}), blockSize)
}

// Output returns a buffered writer for a client that may be slow. Others have the turn while it writes.
func (t *Turn) Output(w io.Writer) *bufio.Writer {
	return bufio.NewWriterSize(writer(func(b []byte) (n int, err error) {
		t.Without(func() { n, err = w.Write(b) })
		return n, err
	}), blockSize)
}

type reader func(b []byte) (int, error)

func (r reader) Read(b []byte) (int, error) { return r(b) }

type writer func(b []byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }
