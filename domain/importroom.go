package domain

import (
	"slices"
	"time"
)

// Limits of the uploads that a site keeps, and of those that it keeps from one network. A user has one upload.
const (
	maxStoredImports  = 500
	maxStoredBytes    = 50 * MaxImportUpload
	maxNetworkImports = 10
	maxNetworkBytes   = 4 * MaxImportUpload
	// importRoomTime is how long an upload whose user has not decided about it is kept if others need its room.
	importRoomTime = time.Hour
)

// RoomForImport reports whether there is room for the upload of j beside those that are stored. The uploads of displaced
// must be deleted for that: the oldest ones about which their users have not decided for an hour.
func RoomForImport(stored []ImportEntry, j ImportJob, now time.Time) (displaced []ImportEntry, ok bool) {
	others := slices.DeleteFunc(slices.Clone(stored), func(e ImportEntry) bool { return e.UserID == j.UserID })
	slices.SortFunc(others, func(a, b ImportEntry) int { return a.Created.Compare(b.Created) })
	for {
		crowded := func(ImportEntry) bool { return true } // entries of which one must go
		switch {
		case j.Network != "" && !fits(others, j.fromNetwork, j.Bytes, maxNetworkImports, maxNetworkBytes):
			crowded = j.fromNetwork
		case fits(others, crowded, j.Bytes, maxStoredImports, maxStoredBytes):
			return displaced, true
		}
		oldest := slices.IndexFunc(others, func(e ImportEntry) bool {
			return crowded(e) && !e.State.Works() && now.Sub(e.Created) > importRoomTime
		})
		if oldest < 0 {
			return nil, false
		}
		displaced = append(displaced, others[oldest])
		others = slices.Delete(others, oldest, oldest+1)
	}
}

func (j ImportJob) fromNetwork(e ImportEntry) bool { return e.Network == j.Network }

// fits reports whether one more upload fits among the entries that count.
func fits(entries []ImportEntry, counts func(ImportEntry) bool, size int64, most int, mostBytes int64) bool {
	for _, e := range entries {
		if counts(e) {
			most--
			size += e.Bytes
		}
	}
	return most > 0 && size <= mostBytes
}
