package web_test

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
)

// sendExport uploads a file to be imported.
func sendExport(v *visitor, name, content string) *answer {
	v.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, _ := w.CreateFormFile("file", name)
	_, _ = part.Write([]byte(content))
	_ = w.Close()
	as := *v
	as.header = maps.Clone(v.header)
	as.header.Set("Content-Type", w.FormDataContentType())
	return as.send(http.MethodPost, "/settings/import", &b)
}

// importJob reads the user's import, or the zero value.
func importJob(v *visitor) domain.ImportJob {
	v.t.Helper()
	j, err := v.data.store.ImportJobs.Get(v.data.ctx(), v.user.ID)
	if err != nil && !domain.Is(err, domain.NotFound) {
		v.t.Fatal(err)
	}
	return j
}

// setImportJob changes the user's import, which it creates if there is none.
func setImportJob(v *visitor, change func(*domain.ImportJob)) domain.ImportJob {
	v.t.Helper()
	j := importJob(v)
	if j.ID == "" {
		j = domain.ImportJob{ID: domain.NewID(), UserID: v.user.ID, FileName: "blog.zip", Changed: time.Now()}
	}
	change(&j)
	j, err := v.data.store.ImportJobs.Put(v.data.ctx(), j)
	v.data.must(err)
	return j
}

func TestAnExportIsUploaded(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	ada.get("/settings").want(200).has(`main a[href="/settings/import"]`, "Import a blog")
	ada.get("/settings/import").want(200).has("h1", "Import a blog").has(`form[enctype="multipart/form-data"] input[type=file]`, "")

	sendExport(ada, "my blog.zip", "PK content").wantRedirect(http.StatusSeeOther, "/settings/import")
	j := importJob(ada)
	if j.State != domain.ImportReading || j.FileName != "my blog.zip" || j.Bytes != 10 {
		t.Errorf("the job is %+v", j)
	}
	if got := string(s.data.storedFiles()[domain.ImportFile(j.ID)]); got != "PK content" {
		t.Errorf("the file holds %q", got)
	}
	a := ada.get("/settings/import").want(200).has("h1", "Reading your file").has("main", "my blog.zip")
	a.has(`[data-hx-get="/settings/import"]`, "").has("noscript", "refresh")

	t.Run("and never served", func(t *testing.T) {
		for _, v := range []*visitor{ada, s.stranger()} {
			v.get("/media/" + domain.ImportFile(j.ID)).want(http.StatusNotFound)
		}
	})
	t.Run("once at a time", func(t *testing.T) {
		sendExport(ada, "another.zip", "PK").want(http.StatusConflict).has(".problems", "still being processed")
		if importJob(ada).ID != j.ID {
			t.Error("the second upload has taken the place of the first")
		}
	})
	t.Run("and replaces one that waits", func(t *testing.T) {
		setImportJob(ada, func(j *domain.ImportJob) { j.State = domain.ImportReady })
		sendExport(ada, "another.zip", "PK").want(http.StatusSeeOther)
		if _, there := s.data.storedFiles()[domain.ImportFile(j.ID)]; there || importJob(ada).FileName != "another.zip" {
			t.Errorf("the former file is there: %v; the job is of %s", there, importJob(ada).FileName)
		}
	})
	t.Run("and names the former file until that is deleted", func(t *testing.T) {
		former := setImportJob(ada, func(j *domain.ImportJob) { j.State = domain.ImportReady })
		s.data.fail("Files.Delete")
		sendExport(ada, "third.zip", "PK").want(http.StatusServiceUnavailable)
		s.data.recover("Files.Delete")
		if now := importJob(ada); now.ID != former.ID || now.State.HasFile() {
			t.Errorf("the job is %+v: nobody would delete the file of %s", now, former.ID)
		}
		sendExport(ada, "third.zip", "PK").want(http.StatusSeeOther)
	})
}

func TestUploadsOfExportsThatAreRefused(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	sendExport(ada, "empty.zip", "").want(http.StatusUnprocessableEntity).complains("file", "empty")
	sendExport(ada, "", "PK").want(http.StatusUnprocessableEntity).complains("file", "Choose a file")
	if len(s.data.storedFiles()) != 0 {
		t.Errorf("left are %d files", len(s.data.storedFiles()))
	}
	ada.post("/settings/import", "file", "x").want(http.StatusUnsupportedMediaType)
	t.Run("a file larger than the limit", func(t *testing.T) {
		as := *ada
		as.header = maps.Clone(ada.header)
		as.header.Set("Content-Type", "multipart/form-data; boundary=b")
		start := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"large.zip\"\r\n\r\n"
		as.send(http.MethodPost, "/settings/import", &large{start: start, left: domain.MaxImportUpload + 1}).
			complains("file", "larger than 256 MB").want(http.StatusRequestEntityTooLarge)
		if len(s.data.storedFiles()) != 0 {
			t.Errorf("left are %d files", len(s.data.storedFiles()))
		}
	})
	t.Run("when the storage fails", func(t *testing.T) {
		s.data.fail("Files.PutStream")
		sendExport(ada, "blog.zip", "PK").want(http.StatusServiceUnavailable).has(".problems", "couldn't")
		s.data.recover("Files.PutStream")
		sendExport(ada, "blog.zip", "PK").want(http.StatusSeeOther)
	})
	t.Run("when the session has ended", func(t *testing.T) {
		sendExport(s.stranger(), "blog.zip", "PK").want(http.StatusUnauthorized).has(".problems", "Your session has expired")
	})
}

// large is a body of many bytes.
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

func TestThePreviewDecides(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	ready := func() domain.ImportJob {
		return setImportJob(ada, func(j *domain.ImportJob) {
			j.State = domain.ImportReady
			j.Result = domain.ImportResult{Format: "Hugo", Found: 12, New: 9, Drafts: 2, Scheduled: 1, Unlisted: 1, Changed: 2, Left: 1, Pictures: 7, Redirects: 30,
				Notes: []domain.ImportNote{{Text: "the shortcode … stayed", Count: 40, Examples: []string{"one.md: x"}}}}
		})
	}
	j := ready()
	a := ada.get("/settings/import").want(200).has("h1", "Preview").has("main", "Nothing has been imported yet")
	for _, row := range []string{"Posts found12", "New public posts5", "New drafts2", "New scheduled posts1", "New unlisted posts1", "Posts that change2",
		"Not imported1", "New pictures7", "Old addresses that redirect30"} {
		if !strings.Contains(strings.ReplaceAll(squeeze(a.page().Find("table").Text()), " ", ""), strings.ReplaceAll(row, " ", "")) {
			t.Errorf("the preview lacks %q", row)
		}
	}
	a.has(".import-notes", "40 times").has(".import-notes", "one.md: x")

	ada.post("/settings/import/start", "import", domain.NewID()).wantRedirect(http.StatusSeeOther, "/settings/import")
	if got := importJob(ada).State; got != domain.ImportReady {
		t.Errorf("a page about another upload has made it %s", got)
	}
	ada.post("/settings/import/preview", "import", j.ID, "templates", "keep").want(http.StatusSeeOther)
	if got := importJob(ada); got.State != domain.ImportReading || got.Templates != "keep" {
		t.Errorf("the job is %+v", got)
	}
	ready()
	ada.post("/settings/import/start", "import", j.ID).want(http.StatusSeeOther)
	if got := importJob(ada).State; got != domain.ImportRunning {
		t.Errorf("it is %s", got)
	}
	ready()
	ada.post("/settings/import/discard", "import", j.ID).want(http.StatusSeeOther)
	ada.get("/settings/import").want(200).has(".done", "Nothing was imported")
}

func TestAnImportShowsHowFarItIs(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	j := setImportJob(ada, func(j *domain.ImportJob) {
		j.State, j.Owner = domain.ImportRunning, "somebody"
		j.Progress = domain.ImportProgress{Posts: 250, Of: 1000, Started: time.Now().Add(-10 * time.Second)}
	})
	ada.get("/settings/import").want(200).has("main", "250 of 1,000 posts").has("main", "25 a second").has("main", "about 30 seconds left").
		has(`progress[max="1000"][value="250"]`, "")

	setImportJob(ada, func(j *domain.ImportJob) { j.State, j.Result.Drafts = domain.ImportDone, 1 })
	ada.get("/settings/import").want(200).has("h1", "Import finished").has(`a[href="/settings/import/undo"]`, "Undo").hasNo("noscript")
	ada.get("/settings/import/undo").want(200).has("h1", "Undo this import?")
	ada.post("/settings/import/undo", "import", j.ID).want(http.StatusSeeOther)
	if got := importJob(ada); got.State != domain.ImportUndoing || got.Undone != 1 || got.Finished.IsZero() {
		t.Errorf("the job is %+v", got)
	}
	ada.post("/settings/import/undo", "import", j.ID).want(http.StatusSeeOther)
	if got := importJob(ada).Undone; got != 1 {
		t.Errorf("a double click counts %d imports as undone", got)
	}
	setImportJob(ada, func(j *domain.ImportJob) {
		j.State, j.Result.KeptPosts = domain.ImportUndone, []domain.ImportKept{{PostID: domain.NewID(), Title: "Edited", Why: "You edited this post."}}
	})
	ada.get("/settings/import").want(200).has("main", "1 post stays").has("main li", "Edited")
	setImportJob(ada, func(j *domain.ImportJob) { j.State, j.Problem = domain.ImportFailed, "The storage is full." })
	ada.get("/settings/import").want(200).has("main", "The storage is full.").has(`form[action="/settings/import/start"] button`, "Continue the import")
	setImportJob(ada, func(j *domain.ImportJob) { j.State, j.Problem = domain.ImportRefused, "It is neither a zip nor XML." })
	ada.get("/settings/import").want(200).complains("file", "neither a zip")
}

func TestUploadsOfExportsAreLimited(t *testing.T) {
	s := newSite(t)
	limits, err := ratelimit.Parse("import=2/1h")
	if err != nil {
		t.Fatal(err)
	}
	c := config(s.data, s.log, keyOne)
	c.RateLimits = limits
	s.restart(c)
	ada := s.member("ada")
	for range 2 {
		sendExport(ada, "blog.zip", "PK").want(http.StatusSeeOther)
		setImportJob(ada, func(j *domain.ImportJob) { j.State = domain.ImportReady })
	}
	sendExport(ada, "blog.zip", "PK").want(http.StatusTooManyRequests).has(".problems", "several exports")
}
