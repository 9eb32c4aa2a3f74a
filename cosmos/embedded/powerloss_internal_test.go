package embedded

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/embedded/internal/storage"
)

const (
	testPage   = 4096
	testSector = 512 // size that a disk writes atomically
)

// onDisk is the content of a disk while an engine ran.
type onDisk struct {
	file, log []byte
	first     int   // batches in the file
	ends      []int // length of the log after each acknowledged batch
}

// mustRun runs an engine that commits batches. With an older log, its log restarts at the front of
// one that was written back.
func mustRun(t *testing.T, olderLog bool) onDisk {
	t.Helper()
	dir := t.TempDir()
	batch := func(e *Engine, i int) {
		key := fmt.Sprint("batch", i)
		send(t, e, "POST", docs, batchOfThree(key), atomicBatch(key)...).want(t, 200)
	}
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	e := reopen(t, dir)
	send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
	send(t, e, "POST", "/dbs/d/colls", plainContainer).want(t, 201)
	batch(e, 0)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = reopen(t, dir)
	disk := onDisk{first: 1}
	if olderLog {
		for ; disk.first < 9; disk.first++ {
			batch(e, disk.first)
		}
		if row, err := e.store.Writer.One("PRAGMA wal_checkpoint(RESTART)"); err != nil || storage.AsInt(row[0]) != 0 {
			t.Fatal(row, err)
		}
		disk.log = read(storage.DatabaseFile + "-wal")
	}
	for i := range 4 {
		batch(e, disk.first+i)
		log := read(storage.DatabaseFile + "-wal")
		end := len(log)
		for end <= len(disk.log) && log[end-1] == disk.log[end-1] {
			end--
		}
		const frame = storage.FrameHeaderSize + testPage
		disk.ends = append(disk.ends, (end-storage.LogHeaderSize+frame-1)/frame*frame+storage.LogHeaderSize)
		disk.log = log
	}
	disk.file = read(storage.DatabaseFile)
	return disk
}

// wake opens the remaining files and checks that they contain the first batches, at least least and
// at most most.
func (d onDisk) wake(t *testing.T, least, most int, file, log []byte) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string][]byte{storage.DatabaseFile: file, storage.DatabaseFile + "-wal": log} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := reopen(t, dir)
	found := wholeBatches(t, e)
	if len(found) < least || len(found) > most {
		t.Errorf("found %d batches, want from %d to %d", len(found), least, most)
	}
	for i := range found {
		var n int
		if fmt.Sscanf(i, "batch%d", &n); n >= len(found) {
			t.Errorf("batch %d exists, but an earlier one is missing", n)
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// committed returns the number of batches in a log of a length, in addition to those in the file.
func (d onDisk) committed(length int) (n int) {
	for _, end := range d.ends {
		if end <= length {
			n++
		}
	}
	return d.first + n
}

// TestPowerLoss simulates a disk that loses power. It keeps all synced content, which includes
// everything acknowledged, and any part of later content.
func TestPowerLoss(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for name, olderLog := range map[string]bool{"a new log": false, "a log begun again": true} {
		t.Run(name, func(t *testing.T) {
			disk := mustRun(t, olderLog)
			all := disk.first + len(disk.ends)
			disk.wake(t, all, all, disk.file, disk.log)

			const frame = storage.FrameHeaderSize + testPage
			t.Run("the log ends anywhere", func(t *testing.T) {
				cuts := []int{0, 1, storage.LogHeaderSize - 1}
				for at := storage.LogHeaderSize; at <= disk.ends[len(disk.ends)-1]; at += frame {
					cuts = append(cuts, at+random.IntN(2)*random.IntN(frame))
				}
				for _, cut := range cuts {
					cut = min(cut, len(disk.log))
					n := disk.committed(cut)
					disk.wake(t, n, n, disk.file, disk.log[:cut])
				}
			})
			t.Run("the log continues with its former content", func(t *testing.T) {
				for i := range 12 {
					cut := storage.LogHeaderSize + random.IntN(disk.ends[len(disk.ends)-1]-storage.LogHeaderSize)
					log := bytes.Clone(disk.log)
					for j := cut; j < len(log); j++ {
						log[j] = []byte{0, 0xff, byte(random.Uint32())}[i%3]
					}
					for cut < len(log) && log[cut] == disk.log[cut] {
						cut++ // identical by chance
					}
					n := disk.committed(cut)
					disk.wake(t, n, n, disk.file, log)
				}
			})
			t.Run("some sectors of the last writes are lost", func(t *testing.T) {
				for range 12 {
					synced := random.IntN(len(disk.ends))
					from := storage.LogHeaderSize
					if synced > 0 {
						from = disk.ends[synced-1]
					}
					log := bytes.Clone(disk.log)
					for at := (from + testSector - 1) / testSector * testSector; at < len(log); at += testSector {
						if random.IntN(8) == 0 {
							clear(log[at:min(at+testSector, len(log))])
						}
					}
					disk.wake(t, disk.first+synced, all, disk.file, log)
				}
			})
			t.Run("while the log is written back", func(t *testing.T) {
				for range 10 {
					disk.wake(t, all, all, writtenBack(disk, random), disk.log)
				}
			})
		})
	}
}

// writtenBack returns the file with some sectors replaced from the log.
func writtenBack(disk onDisk, random *rand.Rand) []byte {
	file := bytes.Clone(disk.file)
	for at := storage.LogHeaderSize; at < disk.ends[len(disk.ends)-1]; at += storage.FrameHeaderSize + testPage {
		page := int(binary.BigEndian.Uint32(disk.log[at:])) - 1
		content := disk.log[at+storage.FrameHeaderSize:][:testPage]
		for sector := 0; sector < testPage; sector += testSector {
			if random.IntN(2) == 0 {
				continue
			}
			to := page*testPage + sector
			if grow := to + testSector - len(file); grow > 0 {
				file = append(file, make([]byte, grow)...)
			}
			copy(file[to:], content[sector:sector+testSector])
		}
	}
	return file
}

// TestOpenAfterAnInterruptedCreation opens after a crash during creation, which leaves a draft or a lock and no
// database.
func TestOpenAfterAnInterruptedCreation(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{storage.DatabaseFile + ".new", storage.DatabaseFile + ".new-journal",
		storage.LockFile} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("half ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := reopen(t, dir)
	send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
}
