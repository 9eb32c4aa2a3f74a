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

// Disk stores files in a directory with 32 subdirectories, chosen by the first letter of the name.
// The files may be copied at any time: a file under its final name is complete.
type Disk struct{ folder string }

// NewDisk returns a store in a directory, which Prepare or the first Put creates.
func NewDisk(folder string) *Disk { return &Disk{folder} }

// Prepare creates the directory and checks that files can be written there.
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

// Put stores a file. It returns when content and name are on the disk. An existing file is not
// changed.
func (d *Disk) Put(_ context.Context, name string, content []byte) error {
	if err := check(name); err != nil {
		return err
	}
	path := d.path(name)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(content)) {
		// Another process may have created it just now and not yet synced the directory.
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

// PutStream stores a file read from r without holding it in memory. It returns when content and
// name are on the disk. Delete removes the remains of an interrupted call.
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

// draftOf returns the path at which PutStream writes an incomplete file.
func draftOf(path string) string {
	return filepath.Join(filepath.Dir(path), "new-"+filepath.Base(path))
}

// reading records an error of the reader, which is the sender's failure and not the store's.
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

// draftPattern matches files that are being written. A killed process may leave some, which do no
// harm and may be deleted by hand.
const draftPattern = "new-*"

// Open opens a file for reading and seeking. The caller closes it. The error is of kind NotFound if
// there is no such file.
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

// Delete deletes a file. It succeeds if there is no such file, but fails if the whole directory is
// missing, because it may be a volume that is not mounted.
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

// unavailable marks errors that a retry or an operator can fix, such as a full disk or a directory
// that is not mounted.
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return &domain.Error{Kind: domain.Unavailable, Err: fmt.Errorf("media: %w", err)}
}

// makeFolder creates a directory and its missing parents, and syncs each.
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

// syncFolder syncs the entries of a directory to the disk. Windows has no such call and needs none.
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
