package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"inkfeed/domain"
)

// Disk keeps files in a folder, in one of 32 by the first letter of their names. The
// files may be copied at any time: one that has its name is whole.
type Disk struct{ folder string }

// NewDisk is the store in a folder, which Prepare or the first Put makes.
func NewDisk(folder string) *Disk { return &Disk{folder} }

// Prepare makes the folder, and finds out whether files can be written there.
func (d *Disk) Prepare(context.Context) error {
	if err := makeFolder(d.folder); err != nil {
		return err
	}
	draft, err := os.CreateTemp(d.folder, draftPattern)
	if err != nil {
		return err
	}
	return errors.Join(draft.Close(), os.Remove(draft.Name()))
}

func (d *Disk) path(name string) string { return filepath.Join(d.folder, name[:1], name) }

// Put keeps a file. It returns when the content and the name are on the disk; a file
// that is there already is left alone.
func (d *Disk) Put(_ context.Context, name string, content []byte) error {
	if err := check(name); err != nil {
		return err
	}
	path := d.path(name)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(content)) {
		// It may have been made a moment ago, by somebody who has not yet seen to it
		// that its name is on the disk.
		return unavailable(syncFolder(filepath.Dir(path)))
	}
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return unavailable(err)
	}
	draft, err := os.CreateTemp(filepath.Dir(path), draftPattern)
	if err != nil {
		return unavailable(err)
	}
	_, err = draft.Write(content)
	err = errors.Join(err, draft.Sync(), draft.Close())
	if err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		return unavailable(errors.Join(err, os.Remove(draft.Name())))
	}
	return unavailable(syncFolder(filepath.Dir(path)))
}

// PutStream stores a file read from r without holding it in memory. It returns when content and name are on the
// disk. Delete removes the remains of an interrupted call.
func (d *Disk) PutStream(_ context.Context, name string, r io.Reader) error {
	if !domain.IsImportFile(name) {
		return errNoFile
	}
	path := d.path(name)
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return unavailable(err)
	}
	draft, err := os.OpenFile(draftOf(path), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return unavailable(err)
	}
	source := &reading{r: r}
	_, err = io.Copy(draft, source)
	err = errors.Join(err, draft.Sync(), draft.Close())
	if err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		removed := os.Remove(draft.Name())
		if source.err != nil {
			return source.err
		}
		return unavailable(errors.Join(err, removed))
	}
	return unavailable(syncFolder(filepath.Dir(path)))
}

// draftOf is the path at which PutStream writes an incomplete file.
func draftOf(path string) string {
	return filepath.Join(filepath.Dir(path), "new-"+filepath.Base(path))
}

// reading records an error of reading, which is the sender's failure and not the store's.
type reading struct {
	r   io.Reader
	err error
}

func (s *reading) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// draftPattern names files that are being written. One that a killed process has left
// is in nobody's way, and may be removed by hand.
const draftPattern = "new-*"

// Open opens a file to be read from anywhere; the caller closes it. It is of kind
// NotFound when there is none.
func (d *Disk) Open(_ context.Context, name string) (io.ReadSeekCloser, error) {
	if err := check(name); err != nil {
		return nil, err
	}
	f, err := os.Open(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoFile
	}
	if err != nil {
		return nil, unavailable(err)
	}
	return f, nil
}

// Delete deletes a file. One that is not there is no error, but that there is no folder
// at all is: it is another machine's, or not mounted.
func (d *Disk) Delete(_ context.Context, name string) error {
	if check(name) != nil {
		return nil
	}
	if _, err := os.Stat(d.folder); err != nil {
		return unavailable(err)
	}
	paths := []string{d.path(name)}
	if domain.IsImportFile(name) {
		paths = append(paths, draftOf(d.path(name)))
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unavailable(err)
		}
	}
	return nil
}

// unavailable is for what another attempt, or an operator, can mend: a full disk, a
// folder that is not mounted.
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return &domain.Error{Kind: domain.Unavailable, Err: fmt.Errorf("media: %w", err)}
}

// makeFolder makes a folder and those that it is in, each on disk with its name.
func makeFolder(path string) error {
	if info, err := os.Stat(path); err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is no folder", path)
		}
		return nil
	}
	parent := filepath.Dir(filepath.Clean(path))
	if err := makeFolder(parent); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(parent)
}

// syncFolder brings the names in a folder to the disk. Windows has no such call, and
// needs none.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
