package storage

import (
	"errors"
	"net/http"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"inkfeed/cosmos/embedded/internal/apierror"
)

// Examine checks whether an error of SQLite means that the database is damaged. It logs the first
// such error. From then on nothing is written, because writing to a damaged tree could damage more
// of it. Reads continue.
//
// SQLite detects a malformed page when it reads the page, not when it opens the file. Pages have no
// checksums, so SQLite does not notice if a disk returns an old version of a page or a changed
// value in it.
func (s *Store) Examine(err error) error {
	failed, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	switch failed.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
	default:
		return err
	}
	if s.Damaged.CompareAndSwap(false, true) {
		s.log.Error("the database is damaged: nothing more is written to it; stop the engine and restore a backup",
			"file", s.File, "error", err)
	}
	return Damaged()
}

// Damaged returns the error for writes to a damaged database, 500.
func Damaged() *apierror.Error {
	return apierror.New(http.StatusInternalServerError, apierror.SubNone,
		"The engine's database is damaged: nothing more is written to it. Stop the engine and restore a backup.")
}
