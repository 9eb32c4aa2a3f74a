package embedded

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// torn tells whether a part of the database file is missing. The file has the length
// that its header says, except while there is a log that has yet to be written back:
// then the pages past its end are in the log.
func torn(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	log, err := readLog(file + "-wal")
	if err != nil {
		return false, err
	}
	var header [32]byte
	if _, err := io.ReadFull(f, header[:]); err != nil || string(header[:15]) != "SQLite format 3" {
		// It is no database at all, as SQLite will say; but of an empty file it would
		// delete the log.
		return log.pages > 0, nil
	}
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	pageSize := int64(binary.BigEndian.Uint16(header[16:]))
	if pageSize == 1 {
		pageSize = 65536
	}
	if log.pages == 0 {
		return info.Size() != pageSize*int64(binary.BigEndian.Uint32(header[28:])), nil
	}
	for page := info.Size()/max(pageSize, 1) + 1; page <= log.pages; page++ {
		if !log.holds[uint32(page)] {
			return true, nil
		}
	}
	return false, nil
}

// logContent is what the committed transactions of a write-ahead log hold.
type logContent struct {
	pages int64           // of the database after the last; 0: there is none
	holds map[uint32]bool // by page number
}

// readLog reads the headers of a write-ahead log, which need not exist. Its layout is
// https://www.sqlite.org/fileformat2.html#the_write_ahead_log. SQLite checks the rest.
func readLog(file string) (logContent, error) {
	content := logContent{holds: make(map[uint32]bool)}
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return content, nil
	}
	if err != nil {
		return content, err
	}
	defer f.Close()
	var header [32]byte
	if _, err := io.ReadFull(f, header[:]); err != nil {
		return content, nil // it has not begun
	}
	size := int64(binary.BigEndian.Uint32(header[8:]))
	var pending []uint32 // pages of a transaction whose end is yet to come
	var frame [24]byte
	for at := int64(len(header)); ; at += int64(len(frame)) + size {
		// What follows the frames of this log is left of an earlier one, with another salt.
		if _, err := f.ReadAt(frame[:], at); err != nil || string(frame[8:16]) != string(header[16:24]) {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return content, err
		}
		pending = append(pending, binary.BigEndian.Uint32(frame[:]))
		pages := binary.BigEndian.Uint32(frame[4:])
		if pages == 0 {
			continue
		}
		for _, page := range pending {
			content.holds[page] = true
		}
		content.pages, pending = int64(pages), pending[:0]
	}
}
