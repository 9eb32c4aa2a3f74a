package web_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
	"inkfeed/web/webtest"
)

// addImports gives users who may import a blog a job in each state that the page of imports shows.
func (s *scene) addImports(viewers map[string]*webtest.Visitor) {
	s.T.Helper()
	for viewer, state := range map[string]domain.ImportState{"author": domain.ImportDone,
		"administrator": domain.ImportReady, "moderator": domain.ImportRunning, "new user": domain.ImportFailed,
		"user with second factors": domain.ImportRefused, "user who is leaving": domain.ImportUndone} {
		v := viewers[viewer]
		_, err := s.Data.Store.ImportJobs.Put(s.T.Context(), domain.ImportJob{ID: domain.NewID(),
			UserID: v.User.ID, State: state, FileName: s.script.write("blog.zip"), Created: time.Now(),
			Problem: s.refusedImport(), Result: domain.ImportResult{Format: s.script.write("Hugo"), Found: 9,
				New: 4, Drafts: 1, Scheduled: 1, Unlisted: 1, Changed: 1, Unchanged: 1, Kept: 1, Left: 2,
				Pictures: 3, Redirects: 4, Comments: 5, Notes: s.importNotes()}})
		s.Must(err)
		page := v.Get("/settings/import").Want(http.StatusOK)
		if state == domain.ImportDone || state == domain.ImportReady {
			page.Has("#notes-title", "")
		}
	}
}

// importNotes returns the notes about an upload whose files have faults that readers find.
func (s *scene) importNotes() []domain.ImportNote {
	s.T.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		".obsidian/app.json": "{}", "d.md": "# α\n\n[[α]] [[β]] [[γ]] [[δ]] [[ε]] <% α %>\n\n<script>α</script>",
		"a.md": "+++\ntitle = \"α\"\n", "b.md": "---\ndate: αβγ\n---\nα", "c.md": "---\npassword: αβγ\n---\nα"} {
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
	if len(notes) < 7 {
		s.T.Fatalf("the upload makes %d notes: %v", len(notes), blog.Problems)
	}
	return notes
}

// refusedImport returns why a file is refused that no reader understands.
func (s *scene) refusedImport() locale.Stored {
	_, err := formats.ReadUpload("α.txt", bytes.NewReader([]byte("α")), 2, portable.Options{}, time.Now())
	return locale.M("This file cannot be imported: {reason}.", "reason", portable.Explain(err)).Stored()
}
