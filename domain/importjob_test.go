package domain

import (
	"fmt"
	"testing"
	"time"
)

func TestRoomForUploads(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	// stored returns n uploads of different users, the first of which is the oldest.
	stored := func(n int, size int64, network string, age time.Duration, state ImportState) (all []ImportEntry) {
		for i := range n {
			all = append(all, ImportEntry{UserID: fmt.Sprintf("%s%d", network, i), Bytes: size, Network: network,
				State: state, Created: now.Add(-age + time.Duration(i)*time.Second)})
		}
		return all
	}
	const fresh, old = time.Minute, 2 * time.Hour
	for _, c := range []struct {
		name      string
		stored    []ImportEntry
		network   string
		ok        bool
		displaced int
	}{
		{"fifty tiny uploads leave room", stored(50, 1, "a", fresh, ImportReceiving), "b", true, 0},
		{"ten uploads of a network leave none for it", stored(10, 1, "a", fresh, ImportReceiving), "a", false, 0},
		{"they make room after an hour", stored(10, 1, "a", old, ImportReceiving), "a", true, 1},
		{"they make no room while they are imported", stored(10, 1, "a", old, ImportRunning), "a", false, 0},
		{"four large uploads of a network leave none for it", stored(4, MaxImportUpload, "a", fresh, ImportReceiving),
			"a", false, 0},
		{"private networks have no limit of their own", stored(50, 1, "", fresh, ImportReceiving), "", true, 0},
		{"fifty large uploads leave no room", stored(50, MaxImportUpload, "a", fresh, ImportReceiving), "b", false, 0},
		{"they make room after an hour for others", stored(50, MaxImportUpload, "a", old, ImportReceiving), "b",
			true, 1},
		{"many uploads leave no room", stored(500, 1, "a", fresh, ImportReceiving), "b", false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			displaced, ok := RoomForImport(c.stored, ImportJob{UserID: "new", Bytes: 1, Network: c.network}, now)
			if ok != c.ok || len(displaced) != c.displaced ||
				c.displaced > 0 && displaced[0].UserID != c.stored[0].UserID {
				t.Errorf("room %t, displaced %v", ok, displaced)
			}
			if _, ok := RoomForImport(c.stored, ImportJob{UserID: c.stored[0].UserID, Bytes: 1}, now); !ok {
				t.Error("there is no room for an upload in place of the user's own")
			}
		})
	}
}
