package storage

import (
	"errors"
	"net/http"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"inkfeed/cosmos/embedded/internal/apierror"
)

// examine looks at an error of SQLite. If it says that the database is damaged, the first
// time is logged, and from then on nothing is written: what SQLite would do to a tree of
// which a page is wrong may spoil others. What can be read still is.
//
// SQLite notices a page that cannot be what it should be when it comes to read it, not
// when it opens the file, and has no checksums: a disk that answers with an older state of
// a page, or with another value in the midst of one, goes unnoticed.
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

func Damaged() *apierror.Error {
	return apierror.New(http.StatusInternalServerError, apierror.SubNone,
		"The engine's database is damaged: nothing more is written to it. Stop the engine and restore a backup.")
}
