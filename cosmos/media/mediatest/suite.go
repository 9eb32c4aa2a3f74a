// Package mediatest is the contract of a store for the files of pictures.
package mediatest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
)

// Store is the store under test.
type Store interface {
	Put(ctx context.Context, name string, content []byte) error
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
	Delete(ctx context.Context, name string) error
}

// Run checks a store against the contract. It does not touch other files in the store and leaves
// none behind. reopened returns the store as another process opens it. Both stores have been
// prepared.
func Run(t *testing.T, store Store, reopened func(t *testing.T) Store) {
	t.Run("a stored file can be read", func(t *testing.T) {
		name, content := keep(t, store, 100_000)
		wantContent(t, store, name, content)
	})
	t.Run("another process can read a stored file", func(t *testing.T) {
		name, content := keep(t, store, 1000)
		wantContent(t, reopened(t), name, content)
	})
	t.Run("variants of a picture are separate files", func(t *testing.T) {
		n, content := newPicture(1000)
		put(t, store, n.String(), content)
		put(t, store, n.Variant(480), content[:10])
		put(t, store, n.Variant(960), content[:20])
		wantContent(t, store, n.String(), content)
		wantContent(t, store, n.Variant(480), content[:10])
		wantContent(t, store, n.Variant(960), content[:20])
	})
	t.Run("pictures of different users are separate files", func(t *testing.T) {
		n, _ := newPicture(1)
		put(t, store, n.OwnerFile(), []byte("user"))
		wantContent(t, store, n.OwnerFile(), []byte("user"))
		forget(t, store, n.OwnerFile())
	})
	t.Run("storing a file twice has no further effect", func(t *testing.T) {
		name, content := keep(t, store, 5000)
		put(t, store, name, content)
		wantContent(t, store, name, content)
	})
	t.Run("a file can be stored many times concurrently", func(t *testing.T) {
		n, content := newPicture(50_000)
		var putting sync.WaitGroup
		for range 8 {
			putting.Go(func() {
				if err := store.Put(t.Context(), n.String(), content); err != nil {
					t.Error(err)
				}
			})
		}
		putting.Wait()
		forget(t, store, n.String())
		wantContent(t, store, n.String(), content)
	})
	t.Run("a missing file is not found", func(t *testing.T) {
		n, _ := newPicture(1)
		wantMissing(t, store, n.String())
	})
	t.Run("a deleted file is not found and can be stored again", func(t *testing.T) {
		name, content := keep(t, store, 100)
		for range 2 { // storing twice has the same effect as once
			if err := store.Delete(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		wantMissing(t, store, name)
		put(t, store, name, content)
		wantContent(t, store, name, content)
	})
	t.Run("rejects names that are not of a picture", func(t *testing.T) {
		n, content := newPicture(10)
		for _, name := range []string{"", ".", "..", "../" + n.String(), "a/" + n.String(), "/etc/passwd", "new-1",
			n.String() + "/",
			n.String() + "?x=y", n.Hash + "-5x5.html", n.Variant(481), n.Variant(480) + ".owner"} {
			if err := store.Put(t.Context(), name, content); !domain.Is(err, domain.NotFound) {
				t.Errorf("put %q: error %v", name, err)
			}
			wantMissing(t, store, name)
			if err := store.Delete(t.Context(), name); err != nil {
				t.Errorf("delete %q: error %v", name, err)
			}
		}
	})
	t.Run("any part of a file can be read", func(t *testing.T) {
		name, content := keep(t, store, 200_000)
		f, err := store.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		end, err := f.Seek(0, io.SeekEnd)
		if err != nil || end != int64(len(content)) {
			t.Errorf("seeking to the end returns %d, error %v", end, err)
		}
		if n, err := f.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%d bytes at the end, error %v", n, err)
		}
		for _, part := range []struct{ from, length int }{{0, 10}, {10, 10}, {150_000, 1000}, {5, 100_000},
			{199_999, 1}} {
			if _, err := f.Seek(int64(part.from), io.SeekStart); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, part.length)
			if _, err := io.ReadFull(f, got); err != nil ||
				!bytes.Equal(got, content[part.from:part.from+part.length]) {
				t.Errorf("%d bytes from %d differ, error %v", part.length, part.from, err)
			}
		}
		if _, err := f.Seek(-1, io.SeekStart); err == nil {
			t.Error("seeking before the beginning succeeds")
		}
	})
	t.Run("a file can be served completely and in ranges", func(t *testing.T) {
		name, content := keep(t, store, 70_000)
		for header, want := range map[string][]byte{"": content, "bytes=100-199": content[100:200],
			"bytes=-5": content[len(content)-5:]} {
			f, err := store.Open(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
			if header != "" {
				r.Header.Set("Range", header)
			}
			http.ServeContent(w, r, name, time.Time{}, f)
			if !bytes.Equal(w.Body.Bytes(), want) {
				t.Errorf("%q: status %d, %d bytes, want %d", header, w.Code, w.Body.Len(), len(want))
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("an open reader returns the content or fails after the file's deletion", func(t *testing.T) {
		name, content := keep(t, store, 100)
		f, err := store.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := store.Delete(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(f); err == nil && !bytes.Equal(got, content) {
			t.Errorf("%d other bytes", len(got))
		}
	})
	t.Run("a cancelled context stops every operation", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		n, content := newPicture(10)
		err := store.Put(ctx, n.String(), content)
		if f, openErr := store.Open(t.Context(), n.String()); openErr == nil {
			f.Close()
			forget(t, store, n.String())
			if err != nil {
				t.Errorf("the file was stored although storing failed: %v", err)
			}
		} else if !domain.Is(err, domain.Unavailable) {
			t.Errorf("deleting failed (%v), but the file is missing: %v", err, openErr)
		}
	})
}

// newPicture returns an unused name and content for it.
func newPicture(size int) (domain.ImageName, []byte) {
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(rand.IntN(256))
	}
	return domain.ImageName{Hash: domain.NewID(), Width: 2000, Height: 1000, Ext: domain.ExtPNG}, content
}

func keep(t *testing.T, store Store, size int) (string, []byte) {
	t.Helper()
	n, content := newPicture(size)
	put(t, store, n.String(), content)
	return n.String(), content
}

func put(t *testing.T, store Store, name string, content []byte) {
	t.Helper()
	if err := store.Put(t.Context(), name, content); err != nil {
		t.Fatal(err)
	}
	forget(t, store, name)
}

// forget deletes a file at the end of the test.
func forget(t *testing.T, store Store, name string) {
	t.Cleanup(func() {
		if err := store.Delete(context.WithoutCancel(t.Context()), name); err != nil {
			t.Error(err)
		}
	})
}

func wantContent(t *testing.T, store Store, name string, want []byte) {
	t.Helper()
	f, err := store.Open(t.Context(), name)
	if err != nil {
		t.Error(err)
		return
	}
	got, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, want %d, error %v", name, len(got), len(want), err)
	}
}

func wantMissing(t *testing.T, store Store, name string) {
	t.Helper()
	f, err := store.Open(t.Context(), name)
	if err == nil {
		f.Close()
	}
	if !domain.Is(err, domain.NotFound) {
		t.Errorf("open %q: error %v, want not found", name, err)
	}
}
