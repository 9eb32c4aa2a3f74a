package settings_test

import (
	"bytes"
	"maps"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/webtest"
)

// sendExport uploads an export to be imported.
func sendExport(v *webtest.Visitor, name, content string) *webtest.Response {
	v.T.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, _ := w.CreateFormFile("file", name)
	_, _ = part.Write([]byte(content))
	_ = w.Close()
	as := *v
	as.Header = maps.Clone(v.Header)
	as.Header.Set("Content-Type", w.FormDataContentType())
	return as.Send(http.MethodPost, "/settings/import", &b)
}

// importJob returns the user's import job, or the zero value.
func importJob(v *webtest.Visitor) domain.ImportJob {
	v.T.Helper()
	j, err := v.Data.Store.ImportJobs.Get(v.Data.Context(), v.User.ID)
	if err != nil && !domain.Is(err, domain.NotFound) {
		v.T.Fatal(err)
	}
	return j
}

// setImportJob changes the visitor's import job and stores it. It creates the job if there is none.
func setImportJob(v *webtest.Visitor, change func(*domain.ImportJob)) domain.ImportJob {
	v.T.Helper()
	j := importJob(v)
	if j.ID == "" {
		j = domain.ImportJob{ID: domain.NewID(), UserID: v.User.ID, FileName: "blog.zip", Changed: time.Now()}
	}
	change(&j)
	j, err := v.Data.Store.ImportJobs.Put(v.Data.Context(), j)
	v.Data.Must(err)
	return j
}

func TestUploadingAnExportToImport(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.Get("/settings").Want(200).Has(`.room-list a[href="/settings/import"]`, "Import a blog")
	ada.Get("/settings/import").Want(200).Has("h1", "Import a blog").
		Has(`form[enctype="multipart/form-data"] input[type=file]`, "")

	sendExport(ada, "my blog.zip", "PK content").WantRedirect(http.StatusSeeOther, "/settings/import")
	j := importJob(ada)
	if j.State != domain.ImportReading || j.FileName != "my blog.zip" || j.Bytes != 10 {
		t.Errorf("the job is %+v", j)
	}
	if got := string(s.Data.StoredFiles()[domain.ImportFile(j.ID)]); got != "PK content" {
		t.Errorf("the file has the content %q", got)
	}
	a := ada.Get("/settings/import").Want(200).Has("h1", "Reading your file").Has("main", "my blog.zip")
	a.Has(`[data-hx-get="/settings/import"]`, "").Has("noscript", "refresh")

	t.Run("never serves the file", func(t *testing.T) {
		for _, v := range []*webtest.Visitor{ada, s.Anonymous()} {
			v.Get("/media/" + domain.ImportFile(j.ID)).Want(http.StatusNotFound)
		}
	})
	t.Run("refuses a second upload while the first is processed", func(t *testing.T) {
		sendExport(ada, "another.zip", "PK").Want(http.StatusConflict).Has(".error-summary", "still being processed")
		if importJob(ada).ID != j.ID {
			t.Error("the second upload has replaced the first")
		}
	})
	t.Run("replaces an upload whose preview is ready", func(t *testing.T) {
		setImportJob(ada, func(j *domain.ImportJob) { j.State = domain.ImportReady })
		sendExport(ada, "another.zip", "PK").Want(http.StatusSeeOther)
		if _, there := s.Data.StoredFiles()[domain.ImportFile(j.ID)]; there ||
			importJob(ada).FileName != "another.zip" {
			t.Errorf("the former file exists: %v; the job has the file %s", there, importJob(ada).FileName)
		}
	})
	t.Run("keeps the job of the former file until that is deleted", func(t *testing.T) {
		former := setImportJob(ada, func(j *domain.ImportJob) { j.State = domain.ImportReady })
		s.Data.Fail("Files.Delete")
		sendExport(ada, "third.zip", "PK").Want(http.StatusServiceUnavailable)
		s.Data.Recover("Files.Delete")
		if now := importJob(ada); now.ID != former.ID || now.State.HasFile() {
			t.Errorf("the job is %+v, so the file of %s would never be deleted", now, former.ID)
		}
		sendExport(ada, "third.zip", "PK").Want(http.StatusSeeOther)
	})
}

func TestRejectedUploadsOfExports(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	sendExport(ada, "empty.zip", "").Want(http.StatusUnprocessableEntity).HasFieldError("file", "empty")
	sendExport(ada, "", "PK").Want(http.StatusUnprocessableEntity).HasFieldError("file", "Choose a file")
	if len(s.Data.StoredFiles()) != 0 {
		t.Errorf("%d files are left", len(s.Data.StoredFiles()))
	}
	ada.Post("/settings/import", "file", "x").Want(http.StatusUnsupportedMediaType)
	t.Run("a file larger than the limit", func(t *testing.T) {
		as := *ada
		as.Header = maps.Clone(ada.Header)
		as.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		start := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"large.zip\"\r\n\r\n"
		as.Send(http.MethodPost, "/settings/import", &large{start: start, left: domain.MaxImportUpload + 1}).
			HasFieldError("file", "larger than 256 MB").Want(http.StatusRequestEntityTooLarge)
		if len(s.Data.StoredFiles()) != 0 {
			t.Errorf("%d files are left", len(s.Data.StoredFiles()))
		}
	})
	t.Run("when the storage fails", func(t *testing.T) {
		s.Data.Fail("Files.PutStream")
		sendExport(ada, "blog.zip", "PK").Want(http.StatusServiceUnavailable).Has(".error-summary", "couldn't")
		s.Data.Recover("Files.PutStream")
		sendExport(ada, "blog.zip", "PK").Want(http.StatusSeeOther)
	})
	t.Run("when the session has ended", func(t *testing.T) {
		sendExport(s.Anonymous(), "blog.zip", "PK").Want(http.StatusUnauthorized).
			Has(".error-summary", "Your session has expired")
	})
}

func TestFailedUploadLeavesTheLastImportUndoable(t *testing.T) {
	tooLarge := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"large.zip\"\r\n\r\n"
	for _, c := range []struct {
		name   string
		upload func(ada *webtest.Visitor) *webtest.Response
		status int
	}{
		{"of an empty file", func(ada *webtest.Visitor) *webtest.Response {
			return sendExport(ada, "empty.zip", "").HasFieldError("file", "empty")
		}, http.StatusUnprocessableEntity},
		{"of a file that is too large", func(ada *webtest.Visitor) *webtest.Response {
			as := *ada
			as.Header = maps.Clone(ada.Header)
			as.Header.Set("Content-Type", "multipart/form-data; boundary=b")
			return as.Send(http.MethodPost, "/settings/import",
				&large{start: tooLarge, left: domain.MaxImportUpload + 1}).HasFieldError("file", "larger than 256 MB")
		}, http.StatusRequestEntityTooLarge},
		{"that is interrupted", func(ada *webtest.Visitor) *webtest.Response {
			as := *ada
			as.Header = maps.Clone(ada.Header)
			as.Header.Set("Content-Type", "multipart/form-data; boundary=b")
			return as.Send(http.MethodPost, "/settings/import", strings.NewReader(tooLarge+"PK"))
		}, http.StatusBadRequest},
		{"that cannot be stored", func(ada *webtest.Visitor) *webtest.Response {
			ada.Data.Fail("Files.PutStream")
			return sendExport(ada, "blog.zip", "PK")
		}, http.StatusServiceUnavailable},
	} {
		for _, state := range []domain.ImportState{domain.ImportDone, domain.ImportFailed} {
			t.Run(c.name+", after an import that is "+string(state), func(t *testing.T) {
				s := webtest.NewSite(t)
				ada := s.SignUp("ada")
				former := setImportJob(ada, func(j *domain.ImportJob) {
					*j = j.Change(state, time.Now())
					j.Result.New = 3
				})
				c.upload(ada).Want(c.status)
				if j := importJob(ada); j.ID != former.ID || j.State != state || j.Result.New != 3 {
					t.Errorf("the job is %+v, want %+v", j, former)
				}
				if n := len(s.Data.StoredFiles()); n != 0 {
					t.Errorf("%d files are left", n)
				}
				ada.Get("/settings/import").Want(200).Has(`a[href="/settings/import/undo"]`, "Undo")
			})
		}
	}
}

func TestUserUploadsOneExportAtATime(t *testing.T) {
	s := webtest.NewSite(t)
	ada, bob := s.SignUp("ada"), s.SignUp("bob")
	s.Data.Before("Files.PutStream", func() {
		sendExport(ada, "second.zip", "PK content").Want(http.StatusConflict)
		sendExport(bob, "blog.zip", "PK content").WantRedirect(http.StatusSeeOther, "/settings/import")
	})
	sendExport(ada, "first.zip", "PK content").WantRedirect(http.StatusSeeOther, "/settings/import")
	if j := importJob(ada); j.FileName != "first.zip" {
		t.Errorf("the job has the file %q", j.FileName)
	}
}

func TestStoredUploadIsNotDeletedAlthoughItsAnswerIsLost(t *testing.T) {
	// upload sends an export. It changes the job after the file is stored and before the request updates the job.
	upload := func(t *testing.T, meanwhile func(*domain.ImportJob), more func(*webtest.Database)) (*webtest.Visitor,
		*webtest.Response) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		s.Data.Before("Files.PutStream", func() {
			s.Data.Before("ImportJobs.Put", func() {
				setImportJob(ada, meanwhile)
				more(s.Data)
			})
		})
		return ada, sendExport(ada, "blog.zip", "PK content")
	}
	begun := func(j *domain.ImportJob) {
		*j = j.Change(domain.ImportReading, time.Now())
		j.Bytes, j.Owner = 10, "another instance"
	}
	for name, more := range map[string]func(*webtest.Database){
		"an instance reads the file before a lost answer is noticed": func(*webtest.Database) {},
		"all answers are lost": func(d *webtest.Database) { d.FailWrites("ImportJobs.Put", webtest.StatusUnavailable) },
	} {
		t.Run("when "+name, func(t *testing.T) {
			ada, a := upload(t, begun, more)
			a.WantRedirect(http.StatusSeeOther, "/settings/import")
			j := importJob(ada)
			if j.State != domain.ImportReading || j.Owner != "another instance" {
				t.Errorf("the job is %+v", j)
			}
			if got := string(ada.Data.StoredFiles()[domain.ImportFile(j.ID)]); got != "PK content" {
				t.Errorf("the file has the content %q", got)
			}
		})
	}
	t.Run("but is deleted when another upload has replaced it", func(t *testing.T) {
		ada, a := upload(t, func(j *domain.ImportJob) { j.ID = domain.NewID() }, func(*webtest.Database) {})
		a.Want(http.StatusConflict)
		if n := len(ada.Data.StoredFiles()); n != 0 {
			t.Errorf("%d files are left", n)
		}
	})
	t.Run("and is kept until it expires when the job cannot be read", func(t *testing.T) {
		ada, a := upload(t, begun, func(d *webtest.Database) {
			d.Fail("ImportJobs.Put")
			d.Fail("ImportJobs.Get")
		})
		a.Want(http.StatusServiceUnavailable).Has(".error-summary", "couldn't save the file")
		if n := len(ada.Data.StoredFiles()); n != 1 {
			t.Errorf("%d files are left", n)
		}
	})
}

// large is a form with a file of zero bytes.
type large struct {
	start string
	left  int
}

func (l *large) Read(p []byte) (int, error) {
	if l.start != "" {
		n := copy(p, l.start)
		l.start = l.start[n:]
		return n, nil
	}
	n := min(len(p), l.left)
	clear(p[:n])
	l.left -= n
	if n == 0 {
		return copy(p, "\r\n--b--\r\n"), nil
	}
	return n, nil
}

func TestThePreviewStartsOrDiscardsAnImport(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ready := func() domain.ImportJob {
		return setImportJob(ada, func(j *domain.ImportJob) {
			j.State = domain.ImportReady
			j.Result = domain.ImportResult{Format: "Hugo", Found: 12, New: 9, Drafts: 2, Scheduled: 1, Unlisted: 1,
				Changed: 2, Left: 1, Pictures: 7, Redirects: 30,
				Notes: []domain.ImportNote{{
					Text:     "the shortcode … stayed",
					Count:    40,
					Examples: []string{"one.md: x"},
				}}}
		})
	}
	j := ready()
	a := ada.Get("/settings/import").Want(200).Has("h1", "Preview").Has("main", "Nothing has been imported yet")
	for _, row := range []string{
		"Posts found12", "New public posts5", "New drafts2", "New scheduled posts1", "New unlisted posts1",
		"Posts to update2", "Not imported1", "New pictures7", "Old addresses that redirect30",
	} {
		if !strings.Contains(strings.ReplaceAll(webtest.CollapseSpace(a.Page().Find("table").Text()), " ", ""),
			strings.ReplaceAll(row, " ", "")) {
			t.Errorf("the preview lacks %q", row)
		}
	}
	a.Has(".import-notes", "40 times").Has(".import-notes", "one.md: x")

	ada.Post("/settings/import/start", "import", domain.NewID()).WantRedirect(http.StatusSeeOther, "/settings/import")
	if got := importJob(ada).State; got != domain.ImportReady {
		t.Errorf("a form for another upload has changed the state to %s", got)
	}
	ada.Post("/settings/import/preview", "import", j.ID, "templates", "keep").Want(http.StatusSeeOther)
	if got := importJob(ada); got.State != domain.ImportReading || got.Templates != "keep" {
		t.Errorf("the job is %+v", got)
	}
	ready()
	ada.Post("/settings/import/start", "import", j.ID).Want(http.StatusSeeOther)
	if got := importJob(ada).State; got != domain.ImportRunning {
		t.Errorf("the state is %s", got)
	}
	ready()
	ada.Post("/settings/import/discard", "import", j.ID).Want(http.StatusSeeOther)
	ada.Get("/settings/import").Want(200).Has(".done", "Nothing was imported")
}

func TestAnImportShowsItsProgress(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	j := setImportJob(ada, func(j *domain.ImportJob) {
		j.State, j.Owner = domain.ImportRunning, "somebody"
		j.Progress = domain.ImportProgress{Posts: 90_000, Of: 360_000, Started: time.Now().Add(-time.Hour)}
	})
	ada.Get("/settings/import").Want(200).Has("main", "90,000 of 360,000 posts").Has("main", "25 a second").
		Has("main", "about 3 hours left").
		Has(`progress[max="360000"][value="90000"]`, "")

	setImportJob(ada, func(j *domain.ImportJob) { j.State, j.Result.Drafts = domain.ImportDone, 1 })
	ada.Get("/settings/import").Want(200).Has("h1", "Import finished").Has(`a[href="/settings/import/undo"]`, "Undo").
		HasNo("noscript")
	ada.Get("/settings/import/undo").Want(200).Has("h1", "Undo this import?")
	ada.Post("/settings/import/undo", "import", j.ID).Want(http.StatusSeeOther)
	if got := importJob(ada); got.State != domain.ImportUndoing || got.Undone != 1 || got.Finished.IsZero() {
		t.Errorf("the job is %+v", got)
	}
	ada.Post("/settings/import/undo", "import", j.ID).Want(http.StatusSeeOther)
	if got := importJob(ada).Undone; got != 1 {
		t.Errorf("a double click undoes %d imports", got)
	}
	setImportJob(ada, func(j *domain.ImportJob) {
		j.State, j.Result.KeptPosts = domain.ImportUndone, []domain.ImportKept{{
			PostID: domain.NewID(),
			Title:  "Edited",
			Why:    "You edited this post.",
		}}
	})
	ada.Get("/settings/import").Want(200).Has("main", "1 post was kept (listed below).").
		Has(".room-content li", "Edited")
	setImportJob(ada, func(j *domain.ImportJob) { j.State, j.Problem = domain.ImportFailed, "The storage is full." })
	ada.Get("/settings/import").Want(200).Has("main", "The storage is full.").
		Has(`form[action="/settings/import/start"] button`, "Continue the import")
	setImportJob(ada,
		func(j *domain.ImportJob) { j.State, j.Problem = domain.ImportRefused, "It is neither a zip nor XML." })
	ada.Get("/settings/import").Want(200).HasFieldError("file", "neither a zip")
}

func TestUploadsOfExportsAreLimited(t *testing.T) {
	s := webtest.NewSite(t)
	limits, err := ratelimit.Parse("import=2/1h")
	if err != nil {
		t.Fatal(err)
	}
	c := webtest.Config(s.Data, s.Log, webtest.KeyOne)
	c.RateLimits = limits
	s.Restart(c)
	ada := s.SignUp("ada")
	for range 2 {
		sendExport(ada, "blog.zip", "PK").Want(http.StatusSeeOther)
		setImportJob(ada, func(j *domain.ImportJob) { j.State = domain.ImportReady })
	}
	sendExport(ada, "blog.zip", "PK").Want(http.StatusTooManyRequests).Has(".error-summary", "several files")
}

func TestPageOfAPacedImportSaysHowLongTheRestTakes(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	for ends, want := range map[time.Duration]string{25 * time.Minute: "about 25 minutes left",
		16 * time.Hour: "about 16 hours left"} {
		setImportJob(ada, func(j *domain.ImportJob) { // it began fast
			j.State, j.Owner, j.Renewed = domain.ImportRunning, "instance", domain.Timestamp(time.Now())
			j.Progress = domain.ImportProgress{Posts: 100, Of: 1000, Started: time.Now().Add(-10 * time.Second),
				Charge: 15_000, Ends: domain.Timestamp(time.Now().Add(ends))}
		})
		ada.Get("/settings/import").Want(200).Has("main", "100 of 1,000 posts").Has("main", want)
		setImportJob(ada, func(j *domain.ImportJob) { j.Owner = "" }) // others have their turn
		ada.Get("/settings/import").Want(200).Has("main", want)
	}
}

func TestPreviewAsksAboutMissingPictures(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	preview := func(missing, shown int, policy string) *webtest.Response {
		setImportJob(ada, func(j *domain.ImportJob) {
			j.State, j.MissingPictures = domain.ImportReady, policy
			j.Result = domain.ImportResult{Format: "Ghost", Found: 9, New: 9, Missing: missing, Shown: shown}
		})
		return ada.Get("/settings/import").Want(200)
	}
	t.Run("not if there are none", func(t *testing.T) {
		preview(0, 12, "").HasNo("#missing-pictures")
	})
	t.Run("and proposes placeholders if few are missing", func(t *testing.T) {
		preview(1, 12, "").Has("#missing-pictures-note", "1 of 12 pictures").
			Has("#missing-pictures-note", "show placeholders").Has(`#missing-pictures option[selected]`, "Publish")
	})
	t.Run("and proposes drafts if many are missing", func(t *testing.T) {
		preview(3, 12, "").Has("#missing-pictures-note", "become drafts").
			Has(`#missing-pictures option[selected]`, "drafts")
	})
	t.Run("and follows the choice, with that of template code", func(t *testing.T) {
		preview(3, 12, "publish").Has("#missing-pictures-note", "show placeholders")
		j := importJob(ada)
		ada.Post("/settings/import/preview", "import", j.ID, "templates", "keep", "missing-pictures", "publish").
			Want(http.StatusSeeOther)
		if got := importJob(ada); got.State != domain.ImportReading || got.Templates != "keep" ||
			got.MissingPictures != "publish" {
			t.Errorf("the job is %+v", got)
		}
	})
}

func TestUploadPageSaysWhatToUploadForEachSystem(t *testing.T) {
	s := webtest.NewSite(t)
	page := s.SignUp("ada").Get("/settings/import").Want(200)
	page.Has(".upload details dl", "content/images").Has(".upload details dl", "wp-content/uploads").
		Has(".upload details dl", "Medium, Substack")
}
