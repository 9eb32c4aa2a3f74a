package storage

import (
	"encoding/binary"
	"io"
	"os"
)

// refuseTorn fails if a part of the database file is missing. It checks lengths and the log, not
// the pages, because opening must not read the whole database. It must not be called while this
// process has the file open: closing a file releases SQLite's locks on it.
func refuseTorn(file string) error {
	switch torn, err := torn(file); {
	case err != nil:
		return err // the error names the file
	case torn:
		return errUnsound(file, "it is torn: a part of it is missing", nil)
	}
	return nil
}

// torn reports whether a part of the database file is missing. The file's length must equal the
// length in its header. While a log has not been written back, pages beyond the end of the file may
// be in the log.
func torn(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	log, err := ReadLog(file + "-wal")
	if err != nil {
		return false, err
	}
	var header [32]byte
	if _, err := io.ReadFull(f, header[:]); err != nil || string(header[:15]) != "SQLite format 3" {
		// The file is not a database, which SQLite will report. For an empty file, however, SQLite
		// would delete the log.
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
