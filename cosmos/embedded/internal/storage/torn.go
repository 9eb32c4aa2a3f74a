package storage

import (
	"encoding/binary"
	"io"
	"os"
)

// refuseTorn refuses a database file of which a part is missing. It looks at lengths and
// at the log, not at the pages: opening a database must not read it all. It must not be
// called where this process has the file open, for closing a file gives up the locks
// that SQLite has on it.
func refuseTorn(file string) error {
	switch torn, err := torn(file); {
	case err != nil:
		return err // it names the file
	case torn:
		return unsound(file, "it is torn: a part of it is missing", nil)
	}
	return nil
}

// torn tells whether a part of the database file is missing. The file has the length
// that its header says, except while there is a log that has yet to be written back:
// then the pages past its end are in the log.
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
