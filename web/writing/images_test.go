package writing_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestUploading(t *testing.T) {
	t.Run("by a form leads to the list, which says how to show it", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		to := ada.Upload("/images", webtest.Photo(t, 600, 300), "alt", "A [cat]").Want(http.StatusSeeOther).Header.Get("Location")
		page := ada.Get(to).Want(http.StatusOK)
		page.Has(".done", "Picture uploaded.")
		markdown := page.Page().Find(".done input").AttrOr("value", "")
		name, ok := domain.ParseImagePath(strings.TrimSuffix(markdown[strings.Index(markdown, "(")+1:], ")"))
		if !ok || !strings.HasPrefix(markdown, `![A \[cat\]](`) || name.Width != 600 || name.Height != 300 {
			t.Errorf("Markdown %q", markdown)
		}
		if img := page.Page().Find(".pictures img"); img.AttrOr("alt", "") != "A [cat]" || img.AttrOr("src", "") != name.Small() ||
			img.AttrOr("width", "") != "600" {
			t.Errorf("%v", img.Nodes[0].Attr)
		}
		page.Has(".heading", "1 picture")
	})
	t.Run("by a script tells it what to show", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		got := ada.Scripted().Upload("/images", webtest.Drawing(t, 50, 40), "alt", "A plan").Want(http.StatusCreated).JSON()
		if got.Width != 50 || got.Height != 40 || got.Alt != "A plan" || got.Markdown != "![A plan]("+got.URL+")" {
			t.Errorf("%+v", got)
		}
		ada.Get(got.URL).Want(http.StatusOK)
	})
	t.Run("twice gives the same address and keeps one picture", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		file := webtest.Photo(t, 70, 70)
		first := ada.Scripted().Upload("/images", file).Want(http.StatusCreated).JSON()
		again := ada.Scripted().Upload("/images", file, "alt", "Described").Want(http.StatusCreated).JSON()
		if first.URL != again.URL || again.Alt != "Described" || len(ada.Data.ImageRecords()) != 1 {
			t.Errorf("%+v, then %+v", first, again)
		}
	})
	t.Run("what was downloaded from here gives the same address, although it was encoded once more", func(t *testing.T) {
		ada, bob := webtest.NewSite(t).SignUp("ada"), (*webtest.Visitor)(nil)
		bob = ada.Site.SignUp("bob")
		first := ada.Scripted().Upload("/images", webtest.Photo(t, 70, 70)).JSON()
		kept := []byte(ada.Get(first.URL).Want(http.StatusOK).Body)
		if again := ada.Scripted().Upload("/images", kept).JSON(); again.URL != first.URL {
			t.Errorf("%s, then %s", first.URL, again.URL)
		}
		if others := bob.Scripted().Upload("/images", kept).JSON(); others.URL == first.URL {
			t.Error("it is another user's picture as well")
		}
	})
	t.Run("that was cut off is finished the next time", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		file := webtest.Photo(t, 600, 300)
		ada.Data.Fail("Files.Put")
		answer := ada.Upload("/images", file, "alt", "A cat").Want(http.StatusServiceUnavailable)
		answer.Has(`[role="alert"]`, "couldn't save")
		if answer.Value("alt") != "A cat" || answer.Header.Get("Retry-After") == "" {
			t.Errorf("alt %q", answer.Value("alt"))
		}
		answer.Has(".pictures .missing", "interrupted")
		ada.Data.Recover("Files.Put")
		got := ada.Scripted().Upload("/images", file).Want(http.StatusCreated).JSON()
		ada.Get(got.URL).Want(http.StatusOK)
		ada.Get("/images").HasNo(".missing")
	})
	t.Run("of which the record goes meanwhile leaves no files", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Data.Before("Images.Complete", func() { deleteImages(ada.Data) })
		ada.Upload("/images", webtest.Photo(t, 600, 300)).Want(http.StatusConflict)
		if len(ada.Data.StoredFiles()) != 0 {
			t.Errorf("%d files are left", len(ada.Data.StoredFiles()))
		}
	})
}

// deleteImages deletes the records of all pictures, as with their accounts.
func deleteImages(d *webtest.Database) {
	d.T.Helper()
	for _, image := range d.ImageRecords() {
		d.DeleteItem("users", image["userId"].(string), image["id"].(string))
	}
}

func TestUploadsThatAreCutOff(t *testing.T) {
	// At the first call of that name, somebody closes the browser.
	cut := func(t *testing.T, at string, meanwhile func(*webtest.Database)) *webtest.Visitor {
		ada := webtest.NewSite(t).SignUp("ada")
		handler := ada.Handler
		ctx, cut := context.WithCancel(t.Context())
		ada.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r.WithContext(ctx)) })
		ada.Data.Before(at, func() {
			cut()
			meanwhile(ada.Data)
		})
		ada.Upload("/images", webtest.Photo(t, 600, 300))
		ada.Handler = handler
		return ada
	}
	gone := func(d *webtest.Database) { deleteImages(d) }
	for _, at := range []string{"Files.Put", "Images.Complete"} {
		t.Run("at "+at+" are finished all the same", func(t *testing.T) {
			ada := cut(t, at, func(*webtest.Database) {})
			ada.Get("/images").Has(".pictures img", "").HasNo(".missing")
		})
		t.Run("at "+at+" leave no files when the account goes meanwhile", func(t *testing.T) {
			if ada := cut(t, at, gone); len(ada.Data.StoredFiles()) != 0 {
				t.Errorf("%d files are left", len(ada.Data.StoredFiles()))
			}
		})
	}
	t.Run("of which nobody knows whether they were finished leave no files when the account went", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Data.Before("Images.Complete", func() { deleteImages(ada.Data) })
		ada.Data.Fail("Images.Complete")
		ada.Upload("/images", webtest.Photo(t, 600, 300)).Want(http.StatusConflict)
		if len(ada.Data.StoredFiles()) != 0 {
			t.Errorf("%d files are left", len(ada.Data.StoredFiles()))
		}
	})
}

func TestRefusedUploads(t *testing.T) {
	for _, c := range []struct {
		name   string
		file   []byte
		alt    string
		status int
		field  string
		says   string
	}{
		{"no file", nil, "", http.StatusUnprocessableEntity, "file", "Choose a picture"},
		{"no picture", []byte("<html><script>alert(1)</script>"), "", http.StatusUnsupportedMediaType, "file", "JPEG, PNG, GIF, WebP or SVG"},
		{"half a picture", webtest.Photo(t, 90, 90)[:900], "", http.StatusUnprocessableEntity, "file", "damaged"},
		{"more than 10 MB", make([]byte, domain.MaxUpload+1), "", http.StatusRequestEntityTooLarge, "file", "10 MB"},
		{"a description too long", webtest.Photo(t, 9, 9), strings.Repeat("x", domain.MaxAlt+1), http.StatusUnprocessableEntity, "alt", "501 characters"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ada := webtest.NewSite(t).SignUp("ada")
			page := ada.Upload("/images", c.file, "alt", c.alt).Want(c.status).HasFieldError(c.field, c.says)
			if page.Value("alt") != c.alt {
				t.Errorf("the description comes back as %q", page.Value("alt"))
			}
			got := ada.Scripted().Upload("/images", c.file, "alt", c.alt).Want(c.status).JSON()
			if !strings.Contains(got.Error, c.says) || !strings.Contains(got.Fields[c.field], c.says) {
				t.Errorf("a script is told %+v", got)
			}
			if len(ada.Data.StoredFiles()) > 0 || len(ada.Data.ImageRecords()) > 0 {
				t.Errorf("%d files and %d records are there", len(ada.Data.StoredFiles()), len(ada.Data.ImageRecords()))
			}
		})
	}
	t.Run("more than is read at all", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Scripted().Upload("/images", make([]byte, 5*domain.MaxUpload)).Want(http.StatusRequestEntityTooLarge)
	})
	t.Run("by nobody", func(t *testing.T) {
		stranger := webtest.NewSite(t).Anonymous()
		a := stranger.Upload("/images", webtest.Photo(t, 900, 900), "alt", "A cat").Want(http.StatusUnauthorized).Has(`[role="alert"]`, "Your session has expired")
		if a.Has("#file-hint", "Choose the file again").Value("alt") != "A cat" { // which stands behind the file
			t.Errorf("the description comes back as %q", a.Value("alt"))
		}
		if got := stranger.Scripted().Upload("/images", webtest.Photo(t, 9, 9)).Want(http.StatusUnauthorized).JSON(); !strings.Contains(got.Error, "session") {
			t.Errorf("%+v", got)
		}
		stranger.Get("/images").WantRedirect(http.StatusSeeOther, "/login?next=%2Fimages")
		if len(stranger.Data.StoredFiles()) > 0 {
			t.Error("files are there")
		}
	})
	t.Run("from another site", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Header.Set("Sec-Fetch-Site", "cross-site")
		ada.Upload("/images", webtest.Photo(t, 9, 9)).Want(http.StatusForbidden)
	})
	t.Run("that is no form with a file", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Post("/images", "file", "x").Want(http.StatusUnsupportedMediaType)
		ada.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		ada.Send(http.MethodPost, "/images", strings.NewReader("nothing of the kind")).Want(http.StatusBadRequest)
	})
}

func TestOwnPictures(t *testing.T) {
	setup := func(t *testing.T) (ada, bob *webtest.Visitor, name domain.ImageName) {
		ada = webtest.NewSite(t).SignUp("ada")
		name, _ = domain.ParseImagePath(ada.Scripted().Upload("/images", webtest.Photo(t, 600, 300)).JSON().URL)
		return ada, ada.Site.SignUp("bob"), name
	}
	t.Run("are seen by nobody else", func(t *testing.T) {
		_, bob, name := setup(t)
		bob.Get("/images").Want(http.StatusOK).HasNo(".pictures")
		bob.Get("/images/" + name.String() + "/delete").Want(http.StatusNotFound)
		bob.Post("/images/"+name.String(), "alt", "Mine").Want(http.StatusNotFound)
	})
	t.Run("are described", func(t *testing.T) {
		ada, _, name := setup(t)
		to := ada.Post("/images/"+name.String(), "alt", " A\ncat ").Want(http.StatusSeeOther).Header.Get("Location")
		path, _, _ := strings.Cut(to, "#")
		page := ada.Get(path).Has(".done", "saved")
		if alt := page.Page().Find(".pictures img").AttrOr("alt", ""); alt != "A cat" {
			t.Errorf("described as %q", alt)
		}
	})
	t.Run("whose description is too long bring it back, beside themselves", func(t *testing.T) {
		ada, _, name := setup(t)
		long := strings.Repeat("x", 600)
		page := ada.Post("/images/"+name.String(), "alt", long).Want(http.StatusUnprocessableEntity)
		page.Has("#alt-error-"+name.Hash, "600 characters")
		if got := page.Page().Find("#alt-"+name.Hash).AttrOr("value", ""); got != long {
			t.Errorf("%q comes back", got)
		}
	})
	t.Run("are deleted after a question, with their files", func(t *testing.T) {
		ada, bob, name := setup(t)
		path := "/images/" + name.String() + "/delete"
		ada.Get(path).Want(http.StatusOK).Has("h1", "Delete this picture?")
		if !bytes.Equal(ada.Data.StoredFiles()[name.String()], []byte(ada.Get(name.Path()).Body)) {
			t.Error("asking has deleted it")
		}
		ada.Post(path).WantRedirect(http.StatusSeeOther, "/images?deleted=yes")
		ada.Post(path).WantRedirect(http.StatusSeeOther, "/images?deleted=yes") // a double click
		ada.Get("/images?deleted=yes").Has(".done", "deleted").HasNo(".pictures")
		bob.Get(name.Path()).Want(http.StatusNotFound)
		if len(ada.Data.StoredFiles()) > 0 {
			t.Errorf("%d files are left", len(ada.Data.StoredFiles()))
		}
	})
	t.Run("are not deleted by others", func(t *testing.T) {
		ada, bob, name := setup(t)
		bob.Post("/images/" + name.String() + "/delete")
		ada.Get(name.Path()).Want(http.StatusOK)
	})
	t.Run("come in pages", func(t *testing.T) {
		ada, _, _ := setup(t)
		for i := range domain.ImagesPerPage {
			_, err := ada.Data.Store.Images.Begin(t.Context(), domain.Image{UserID: ada.User.ID, Name: domain.ImageName{Hash: domain.NewID(), Width: 5 + i, Height: 5, Ext: "png"}})
			ada.Data.Must(err)
		}
		if n := ada.Get("/images").Page().Find(".pictures > li").Length(); n != domain.ImagesPerPage {
			t.Errorf("%d on the first page", n)
		}
		if n := ada.Get("/images?page=2").Page().Find(".pictures > li").Length(); n != 1 {
			t.Errorf("%d on the second page", n)
		}
		ada.Get("/images?page=3").Want(http.StatusNotFound)
	})
}
