package search_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/workers/search"
	"inkfeed/workers/tailer"
)

func TestIndexFile(t *testing.T) {
	t.Run("is opened again after a restart, with its marks", func(t *testing.T) {
		w := newWorld(t)
		w.write(post("kept", "alpha"))
		w.reopen()
		w.finds("alpha", "kept")
		container, marks, err := w.Marks(t.Context())
		if container != "rid" || len(marks) != 1 || marks[0].Continuation != "1" || err != nil {
			t.Errorf("container %q, marks %+v, %v", container, marks, err)
		}
	})
	t.Run("is being built after a restart until the feed was read to its end", func(t *testing.T) {
		w := newWorld(t)
		w.write(post("kept", "alpha"))
		if building, err := w.Building(t.Context()); building || err != nil {
			t.Errorf("at the end of the feed: building %v, %v", building, err)
		}
		w.reopen()
		if building, err := w.Building(t.Context()); !building || err != nil || !w.search("alpha").Building {
			t.Errorf("after the restart: building %v, %v", building, err)
		}
		w.write()
		if building, err := w.Building(t.Context()); building || err != nil || w.search("alpha").Building {
			t.Errorf("at the end of the feed again: building %v, %v", building, err)
		}
	})
	t.Run("reports that it is being built until every range was read to its end", func(t *testing.T) {
		w := newWorld(t)
		if !w.search("x").Building || !w.search("").Building {
			t.Error("a new index is complete")
		}
		w.write()
		if w.search("x").Building {
			t.Error("it is being built after the end of the feed was reached")
		}
		parts := []feeds.Range{{MaxExclusive: "7F"}, {MinInclusive: "7F", MaxExclusive: "FF"}}
		marks := []tailer.Mark{{Range: parts[0], Complete: true}, {Range: parts[1]}}
		if err := w.Replace(t.Context(), []feeds.Range{whole}, marks); err != nil {
			t.Fatal(err)
		}
		if !w.search("x").Building {
			t.Error("it is complete although a range was not read")
		}
	})
	t.Run("has no marks if it was not updated for longer than deletions stay in the feed", func(t *testing.T) {
		w := newWorld(t)
		changes, mark := w.page(post("old", "alpha"))
		mark.Read = time.Now().Add(-domain.MarkerTime - time.Hour)
		if err := w.Follow(t.Context(), changes, mark); err != nil {
			t.Fatal(err)
		}
		if container, marks, err := w.Marks(t.Context()); container != "" || len(marks) != 0 || err != nil {
			t.Errorf("container %q, marks %v, %v", container, marks, err)
		}
		if !strings.Contains(w.log.String(), "too old, building a new one") {
			t.Errorf("log %s", w.log)
		}
	})
	damage := map[string]func(t *testing.T, file string){
		"is not a database": func(t *testing.T, file string) {
			if err := os.WriteFile(file, bytes.Repeat([]byte("not SQLite "), 1000), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"is empty": func(t *testing.T, file string) {
			if err := os.Truncate(file, 0); err != nil {
				t.Fatal(err)
			}
		},
		"has another form": func(t *testing.T, file string) {
			f, err := os.OpenFile(file, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteAt([]byte{0, 0, 0, 0}, 60); err != nil { // user_version
				t.Fatal(err)
			}
		},
	}
	for what, do := range damage {
		t.Run("is rebuilt if it "+what, func(t *testing.T) {
			w := newWorld(t)
			w.write(post("lost", "alpha"))
			w.Close()
			file := filepath.Join(w.dir, "search.db")
			for _, suffix := range []string{"-wal", "-shm"} {
				os.Remove(file + suffix)
			}
			do(t, file)
			w.open()
			if _, marks, err := w.Marks(t.Context()); len(marks) != 0 || err != nil {
				t.Errorf("marks %v, %v", marks, err)
			}
			if !strings.Contains(w.log.String(), "cannot use the search index, building a new one") {
				t.Errorf("log %s", w.log)
			}
			w.begin()
			w.write(post("new", "beta"))
			w.finds("beta", "new")
			w.finds("alpha")
		})
	}
	t.Run("is rebuilt if it turns out to be damaged while it is used", func(t *testing.T) {
		w := newWorld(t)
		for range 50 {
			w.write(post("lost", strings.Repeat("alpha beta gamma ", 200)))
		}
		w.Close()
		file := filepath.Join(w.dir, "search.db")
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(file, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		for at := int64(4096); at < info.Size(); at += 4096 { // all but the first page
			f.WriteAt(bytes.Repeat([]byte{0xa5}, 4096), at)
		}
		f.Close()
		search, err := search.Open(w.dir, markdown.New(), slog.New(slog.NewTextHandler(w.log, nil)))
		if err != nil {
			t.Fatalf("it does not open: %v", err)
		}
		w.Index = search
		t.Cleanup(func() { search.Close() })
		changes, mark := w.page(post("new", "delta"))
		w.Search(t.Context(), "alpha", 1) // may be the first to notice the damage
		if err := w.Follow(t.Context(), changes, mark); !errors.Is(err, tailer.ErrLost) {
			t.Fatalf("error %v", err)
		}
		w.begin()
		w.write(post("new", "delta"))
		w.finds("delta", "new")
		if !strings.Contains(w.log.String(), "building a new one") {
			t.Errorf("log %s", w.log)
		}
	})
	t.Run("belongs to one process when several share a folder", func(t *testing.T) {
		a := newWorld(t)
		b := &world{t: t, dir: a.dir, log: &bytes.Buffer{}}
		b.open()
		b.begin()
		a.write(post("of a", "alpha"))
		b.write(post("of b", "beta"))
		a.finds("beta")
		b.finds("beta", "of b")
		a.finds("alpha", "of a")
	})
	t.Run("is not available after it was closed", func(t *testing.T) {
		w := newWorld(t)
		w.Close()
		if _, err := w.Search(t.Context(), "x", 1); !domain.Is(err, domain.Unavailable) {
			t.Errorf("error %v", err)
		}
		changes, mark := w.page()
		if err := w.Follow(t.Context(), changes, mark); err == nil {
			t.Error("a closed index accepts changes")
		}
	})
}
