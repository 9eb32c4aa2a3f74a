package storage

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"os"
)

// logContent describes the committed transactions in a write-ahead log.
type logContent struct {
	pages   int64           // size of the database in pages after the last commit; 0: no commit
	holds   map[uint32]bool // page numbers in the log
	Commits int
}

// Sizes of the parts of a write-ahead log. After a power failure any part may be missing, see
// https://www.sqlite.org/fileformat2.html#the_write_ahead_log.
const (
	LogHeaderSize   = 32
	FrameHeaderSize = 24
	logMagic        = 0x377f0682 // the lowest bit means big-endian checksums
)

// ReadLog reads a write-ahead log as SQLite does in recovery. It stops at the first frame that
// belongs to another log or has a wrong checksum. The checksum covers all earlier frames too.
// Transactions after the last commit before that frame were never acknowledged. The file need not
// exist.
func ReadLog(file string) (logContent, error) {
	content := logContent{holds: make(map[uint32]bool)}
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return content, nil
	}
	if err != nil {
		return content, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	header := make([]byte, LogHeaderSize)
	if err := readPart(r, header); err != nil {
		return content, ignoreEnd(err) // the log is empty
	}
	magic, size := binary.BigEndian.Uint32(header), binary.BigEndian.Uint32(header[8:])
	sum := logSum{big: magic&1 == 1}
	sum.add(header[:24])
	if magic&^1 != logMagic || size < 512 || size > 65536 || size&(size-1) != 0 || !sum.is(header[24:]) {
		return content, nil
	}
	var pending []uint32 // pages of a transaction without a commit so far
	frame := make([]byte, FrameHeaderSize+size)
	for {
		if err := readPart(r, frame); err != nil {
			return content, ignoreEnd(err)
		}
		sum.add(frame[:8])
		sum.add(frame[FrameHeaderSize:])
		if string(frame[8:16]) != string(header[16:24]) || !sum.is(frame[16:]) {
			return content, nil
		}
		pending = append(pending, binary.BigEndian.Uint32(frame))
		pages := binary.BigEndian.Uint32(frame[4:])
		if pages == 0 {
			continue
		}
		for _, page := range pending {
			content.holds[page] = true
		}
		content.pages, pending = int64(pages), pending[:0]
		content.Commits++
	}
}

func readPart(r io.Reader, part []byte) error {
	_, err := io.ReadFull(r, part)
	return err
}

// ignoreEnd ignores the end of the file, because a log may end anywhere.
func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// logSum is the running checksum of a write-ahead log.
type logSum struct {
	big    bool // big-endian words
	s0, s1 uint32
}

// add adds the bytes in blocks of 8.
func (s *logSum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		x, y := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		if s.big {
			x, y = bits.ReverseBytes32(x), bits.ReverseBytes32(y)
		}
		s.s0 += x + s.s1
		s.s1 += y + s.s0
	}
}

func (s *logSum) is(stored []byte) bool {
	return s.s0 == binary.BigEndian.Uint32(stored) && s.s1 == binary.BigEndian.Uint32(stored[4:])
}
