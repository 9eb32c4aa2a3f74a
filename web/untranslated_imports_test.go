package web_test

import (
	"archive/zip"
	"bytes"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// importNotes returns the notes about an upload whose files have faults that readers find.
func (s *scene) importNotes() []domain.ImportNote {
	s.T.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"a.md": "+++\ntitle = \"α\"\n", "b.md": "---\ndate: αβγ\n---\nα", "c.md": "---\nstatus: αβγ\n---\nα"} {
		w, err := z.Create(name)
		s.Must(err)
		s.Must(ignore(w.Write([]byte(text))))
	}
	s.Must(z.Close())
	blog, err := formats.ReadUpload("α.zip", bytes.NewReader(b.Bytes()), int64(b.Len()), portable.Options{}, time.Now())
	s.Must(err)
	var notes []domain.ImportNote
	for _, p := range blog.Problems {
		notes = append(notes, domain.ImportNote{Text: p.Message.Stored(), Count: 1})
	}
	if len(notes) < 4 {
		s.T.Fatalf("the upload makes %d notes: %v", len(notes), blog.Problems)
	}
	return notes
}

// refusedImport returns why a file is refused that no reader understands.
func (s *scene) refusedImport() locale.Stored {
	_, err := formats.ReadUpload("α.txt", bytes.NewReader([]byte("α")), 2, portable.Options{}, time.Now())
	return locale.M("This file cannot be imported: {reason}.", "reason", portable.Explain(err)).Stored()
}
