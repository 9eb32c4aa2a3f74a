package throttle

import (
	"bufio"
	"io"
)

// Reader returns a reader that yields the turn before each read. It makes steps of the work of a decoder.
func (t *Turn) Reader(r io.Reader) io.Reader {
	if t == nil {
		return r
	}
	return yieldingReader{r, t}
}

type yieldingReader struct {
	io.Reader
	turn *Turn
}

func (y yieldingReader) Read(b []byte) (int, error) {
	y.turn.Yield()
	return y.Reader.Read(b)
}

// Writer returns a writer that yields the turn before each write. It makes steps of the work of an encoder.
func (t *Turn) Writer(w io.Writer) io.Writer {
	if t == nil {
		return w
	}
	return yieldingWriter{w, t}
}

type yieldingWriter struct {
	io.Writer
	turn *Turn
}

func (y yieldingWriter) Write(b []byte) (int, error) {
	y.turn.Yield()
	return y.Writer.Write(b)
}

// blockSize is the size of the blocks that Input and Output transfer: so many that a turn is rarely interrupted.
const blockSize = 64 << 10

// Output returns a buffered writer for a client that may be slow. Others have the turn while it writes.
func (t *Turn) Output(w io.Writer) *bufio.Writer {
	return bufio.NewWriterSize(waitingWriter{w, t}, blockSize)
}

type waitingWriter struct {
	io.Writer
	turn *Turn
}

func (o waitingWriter) Write(b []byte) (n int, err error) {
	o.turn.Without(func() { n, err = o.Writer.Write(b) })
	return n, err
}

// Input returns a buffered reader of a file that may be elsewhere. Others have the turn while it reads.
func (t *Turn) Input(r io.Reader) *bufio.Reader {
	return bufio.NewReaderSize(waitingReader{r, t}, blockSize)
}

type waitingReader struct {
	io.Reader
	turn *Turn
}

func (i waitingReader) Read(b []byte) (n int, err error) {
	i.turn.Without(func() { n, err = i.Reader.Read(b) })
	return n, err
}
