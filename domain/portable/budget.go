package portable

import "io/fs"

// budget limits the bytes of an export that readers unpack.
type budget struct {
	first, again int64 // bytes left, for files that are opened for the first time and for others
	opened       map[string]bool
	spent        bool
}

// repeatedly is how many times the budget of files that are opened again is that of the first time. Templates and
// configuration files are read for several purposes.
const repeatedly = 4

// Limit limits the bytes that readers unpack, those of zips within the export included, until Unlimit.
func (f *Files) Limit(bytes int64) {
	f.budget = &budget{first: bytes, again: repeatedly * bytes, opened: make(map[string]bool)}
}

// Unlimit ends the limit of Limit. It reports whether readers have kept it.
func (f *Files) Unlimit() (kept bool) {
	kept = f.budget == nil || !f.budget.spent
	f.budget = nil
	return kept
}

// meter returns a file whose bytes count towards the budget.
func (b *budget) meter(file fs.File, name string) fs.File {
	m := &metered{File: file, budget: b, left: &b.first}
	if b.opened[name] {
		m.left = &b.again
	}
	b.opened[name] = true
	return m
}

type metered struct {
	fs.File
	budget *budget
	left   *int64
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.File.Read(p)
	if *m.left -= int64(n); *m.left < 0 {
		m.budget.spent = true
		return 0, ErrTooLarge
	}
	return n, err
}
