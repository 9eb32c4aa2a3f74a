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

func TestUploadingPictures(t *testing.T) {
	t.Run("shows an uploaded picture with its Markdown in the list", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		to := ada.Upload("/images", webtest.Photo(t, 600, 300), "alt", "A [cat]").Want(http.StatusSeeOther).
			Header.Get("Location")
		page := ada.Get(to).Want(http.StatusOK)
		page.Has(".done", "Picture uploaded.")
		markdown := page.Page().Find(".done input").AttrOr("value", "")
		name, ok := domain.ParseImagePath(strings.TrimSuffix(markdown[strings.Index(markdown, "(")+1:], ")"))
		if !ok || !strings.HasPrefix(markdown, `![A \[cat\]](`) || name.Width != 600 || name.Height != 300 {
			t.Errorf("the Markdown is %q", markdown)
		}
		if img := page.Page().Find(".pictures img"); img.AttrOr("alt", "") != "A [cat]" ||
			img.AttrOr("src", "") != name.Small(240) ||
			img.AttrOr("width", "") != "600" {
			t.Errorf("the attributes are %v", img.Nodes[0].Attr)
		}
		page.Has(".heading", "1 picture")
	})
	t.Run("counts the pictures that it lists, and the space of all with the avatar", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Upload("/settings/avatar", webtest.Photo(t, 90, 90)).Want(http.StatusSeeOther)
		ada.Get("/images").Want(http.StatusOK).Has(".heading", "No pictures yet").HasNo(".pictures")
		ada.Upload("/images", webtest.Photo(t, 60, 30)).Want(http.StatusSeeOther)
		ada.Get("/images").Want(http.StatusOK).Has(".heading", "1 picture").Has(".heading", "including your avatar")
	})
	t.Run("returns the address and the Markdown to a script", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		got := ada.Scripted().Upload("/images", webtest.Drawing(t, 50, 40), "alt", "A plan").Want(http.StatusCreated).
			JSON()
		if got.Width != 50 || got.Height != 40 || got.Alt != "A plan" || got.Markdown != "![A plan]("+got.URL+")" {
			t.Errorf("the response is %+v", got)
		}
		ada.Get(got.URL).Want(http.StatusOK)
	})
	t.Run("stores no picture for the next user of the browser", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada, ben := s.SignUp("ada"), s.SignUp("ben")
		a := ben.Scripted().Upload("/images", webtest.Photo(t, 60, 30), "user", ada.User.ID).
			Want(http.StatusForbidden)
		if !strings.Contains(a.Body, "Another user is logged in") || len(s.Data.ImageRecords()) != 0 {
			t.Errorf("the response is %s, and there are %d pictures", a.Body, len(s.Data.ImageRecords()))
		}
		ada.Scripted().Upload("/images", webtest.Photo(t, 60, 30), "user", ada.User.ID).Want(http.StatusCreated)
	})
	t.Run("stores no picture for the next user without JavaScript", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada, ben := s.SignUp("ada"), s.SignUp("ben")
		const user = `form.upload input[name="user"]`
		form := ada.Get("/images").Page().Find(user).AttrOr("value", "")
		ben.Upload("/images", webtest.Photo(t, 60, 30), "user", form, "alt", "A cat").Want(http.StatusForbidden).
			Has(".error-summary", "Another user is logged in").Has(`#alt[value="A cat"]`, "").
			Has(user+`[value="`+ada.User.ID+`"]`, "").Has("#file-hint", "Choose the file again")
		if n := len(s.Data.ImageRecords()); n != 0 {
			t.Errorf("there are %d pictures", n)
		}
		ada.Upload("/images", webtest.Photo(t, 60, 30), "user", form).Want(http.StatusSeeOther)
	})
	t.Run("stores a picture that is uploaded twice once", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		file := webtest.Photo(t, 70, 70)
		first := ada.Scripted().Upload("/images", file).Want(http.StatusCreated).JSON()
		again := ada.Scripted().Upload("/images", file, "alt", "Described").Want(http.StatusCreated).JSON()
		if first.URL != again.URL || again.Alt != "Described" || len(ada.Data.ImageRecords()) != 1 {
			t.Errorf("the responses are %+v and %+v", first, again)
		}
	})
	t.Run("recognises a picture that was downloaded from the site", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		bob := ada.Site.SignUp("bob")
		first := ada.Scripted().Upload("/images", webtest.Photo(t, 70, 70)).JSON()
		downloaded := []byte(ada.Get(first.URL).Want(http.StatusOK).Body)
		if again := ada.Scripted().Upload("/images", downloaded).JSON(); again.URL != first.URL {
			t.Errorf("the addresses are %s and %s", first.URL, again.URL)
		}
		if others := bob.Scripted().Upload("/images", downloaded).JSON(); others.URL == first.URL {
			t.Error("two users share a picture")
		}
	})
	t.Run("completes an interrupted upload the next time", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		file := webtest.Photo(t, 600, 300)
		ada.Data.Fail("Files.Put")
		answer := ada.Upload("/images", file, "alt", "A cat").Want(http.StatusServiceUnavailable)
		answer.Has(`[role="alert"]`, "couldn't save")
		if answer.Value("alt") != "A cat" || answer.Header.Get("Retry-After") == "" {
			t.Errorf("the description is %q", answer.Value("alt"))
		}
		answer.Has(".pictures .missing", "interrupted")
		ada.Data.Recover("Files.Put")
		got := ada.Scripted().Upload("/images", file).Want(http.StatusCreated).JSON()
		ada.Get(got.URL).Want(http.StatusOK)
		ada.Get("/images").HasNo(".missing")
	})
	t.Run("leaves no files if the record is deleted meanwhile", func(t *testing.T) {
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

func TestInterruptedUploads(t *testing.T) {
	// cut uploads a picture. At the first request with the name at, the client closes the connection.
	cut := func(t *testing.T, at string, meanwhile func(*webtest.Database)) *webtest.Visitor {
		ada := webtest.NewSite(t).SignUp("ada")
		handler := ada.Handler
		ctx, cut := context.WithCancel(t.Context())
		ada.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			handler.ServeHTTP(w, r.WithContext(ctx))
		})
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
		t.Run("complete if the client leaves at "+at, func(t *testing.T) {
			ada := cut(t, at, func(*webtest.Database) {})
			ada.Get("/images").Has(".pictures img", "").HasNo(".missing")
		})
		t.Run("leave no files if the client leaves at "+at+" and the account is deleted", func(t *testing.T) {
			if ada := cut(t, at, gone); len(ada.Data.StoredFiles()) != 0 {
				t.Errorf("%d files are left", len(ada.Data.StoredFiles()))
			}
		})
	}
	t.Run("leave no files if completing fails and the account is deleted", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Data.Before("Images.Complete", func() { deleteImages(ada.Data) })
		ada.Data.Fail("Images.Complete")
		ada.Upload("/images", webtest.Photo(t, 600, 300)).Want(http.StatusConflict)
		if len(ada.Data.StoredFiles()) != 0 {
			t.Errorf("%d files are left", len(ada.Data.StoredFiles()))
		}
	})
}

func TestInvalidUploadsAreRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		file   []byte
		alt    string
		status int
		field  string
		text   string
	}{
		{"no file", nil, "", http.StatusUnprocessableEntity, "file", "Choose a picture"},
		{
			"no picture", []byte("<html><script>alert(1)</script>"), "", http.StatusUnsupportedMediaType, "file",
			"JPEG, PNG, GIF, WebP or SVG",
		},
		{"half a picture", webtest.Photo(t, 90, 90)[:900], "", http.StatusUnprocessableEntity, "file", "damaged"},
		{"more than 10 MB", make([]byte, domain.MaxUpload+1), "", http.StatusRequestEntityTooLarge, "file", "10 MB"},
		{
			"a description too long", webtest.Photo(t, 9, 9), strings.Repeat("x", domain.MaxAlt+1),
			http.StatusUnprocessableEntity, "alt", "501 characters",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			ada := webtest.NewSite(t).SignUp("ada")
			page := ada.Upload("/images", c.file, "alt", c.alt).Want(c.status).HasFieldError(c.field, c.text)
			if page.Value("alt") != c.alt {
				t.Errorf("the description is %q", page.Value("alt"))
			}
			got := ada.Scripted().Upload("/images", c.file, "alt", c.alt).Want(c.status).JSON()
			if !strings.Contains(got.Error, c.text) || !strings.Contains(got.Fields[c.field], c.text) {
				t.Errorf("the response to a script is %+v", got)
			}
			if len(ada.Data.StoredFiles()) > 0 || len(ada.Data.ImageRecords()) > 0 {
				t.Errorf("%d files and %d records were stored",
					len(ada.Data.StoredFiles()), len(ada.Data.ImageRecords()))
			}
		})
	}
	t.Run("more than is read", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Scripted().Upload("/images", make([]byte, 5*domain.MaxUpload)).Want(http.StatusRequestEntityTooLarge)
	})
	t.Run("without a session", func(t *testing.T) {
		visitor := webtest.NewSite(t).Anonymous()
		a := visitor.Upload("/images", webtest.Photo(t, 900, 900), "alt", "A cat").Want(http.StatusUnauthorized).
			Has(`[role="alert"]`, "Your session has expired")
		if a.Has("#file-hint", "Choose the file again").Value("alt") != "A cat" { // it follows the file
			t.Errorf("the description is %q", a.Value("alt"))
		}
		got := visitor.Scripted().Upload("/images", webtest.Photo(t, 9, 9)).Want(http.StatusUnauthorized).JSON()
		if !strings.Contains(got.Error, "session") {
			t.Errorf("the response to a script is %+v", got)
		}
		visitor.Get("/images").WantRedirect(http.StatusSeeOther, "/login?next=%2Fimages")
		if len(visitor.Data.StoredFiles()) > 0 {
			t.Error("files were stored")
		}
	})
	t.Run("from another site", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Header.Set("Sec-Fetch-Site", "cross-site")
		ada.Upload("/images", webtest.Photo(t, 9, 9)).Want(http.StatusForbidden)
	})
	t.Run("without a form with a file", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Post("/images", "file", "x").Want(http.StatusUnsupportedMediaType)
		ada.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		ada.Send(http.MethodPost, "/images", strings.NewReader("nothing of the kind")).Want(http.StatusBadRequest)
	})
}

func TestManagingPictures(t *testing.T) {
	setup := func(t *testing.T) (ada, bob *webtest.Visitor, name domain.ImageName) {
		ada = webtest.NewSite(t).SignUp("ada")
		name, _ = domain.ParseImagePath(ada.Scripted().Upload("/images", webtest.Photo(t, 600, 300)).JSON().URL)
		return ada, ada.Site.SignUp("bob"), name
	}
	t.Run("shows pictures only to their owner", func(t *testing.T) {
		_, bob, name := setup(t)
		bob.Get("/images").Want(http.StatusOK).HasNo(".pictures")
		bob.Get("/images/" + name.String() + "/delete").Want(http.StatusNotFound)
		bob.Post("/images/"+name.String(), "alt", "Mine").Want(http.StatusNotFound)
	})
	t.Run("changes the description", func(t *testing.T) {
		ada, _, name := setup(t)
		to := ada.Post("/images/"+name.String(), "alt", " A\ncat ").Want(http.StatusSeeOther).Header.Get("Location")
		path, _, _ := strings.Cut(to, "#")
		page := ada.Get(path).Has(".done", "saved")
		if alt := page.Page().Find(".pictures img").AttrOr("alt", ""); alt != "A cat" {
			t.Errorf("the description is %q", alt)
		}
	})
	t.Run("shows a description that is too long again", func(t *testing.T) {
		ada, _, name := setup(t)
		long := strings.Repeat("x", 600)
		page := ada.Post("/images/"+name.String(), "alt", long).Want(http.StatusUnprocessableEntity)
		page.Has("#alt-error-"+name.Hash, "600 characters")
		if got := page.Page().Find("#alt-"+name.Hash).AttrOr("value", ""); got != long {
			t.Errorf("the field has %q", got)
		}
	})
	t.Run("deletes a picture with its files, after a confirmation", func(t *testing.T) {
		ada, bob, name := setup(t)
		path := "/images/" + name.String() + "/delete"
		ada.Get(path).Want(http.StatusOK).Has("h1", "Delete this picture?")
		if !bytes.Equal(ada.Data.StoredFiles()[name.String()], []byte(ada.Get(name.Path()).Body)) {
			t.Error("the confirmation page deleted the picture")
		}
		ada.Post(path).WantRedirect(http.StatusSeeOther, "/images?deleted=yes")
		ada.Post(path).WantRedirect(http.StatusSeeOther, "/images?deleted=yes") // a double click
		ada.Get("/images?deleted=yes").Has(".done", "deleted").HasNo(".pictures")
		bob.Get(name.Path()).Want(http.StatusNotFound)
		if len(ada.Data.StoredFiles()) > 0 {
			t.Errorf("%d files are left", len(ada.Data.StoredFiles()))
		}
	})
	t.Run("refuses deletion by other users", func(t *testing.T) {
		ada, bob, name := setup(t)
		bob.Post("/images/" + name.String() + "/delete")
		ada.Get(name.Path()).Want(http.StatusOK)
	})
	t.Run("pages the list", func(t *testing.T) {
		ada, _, _ := setup(t)
		fillPageOfPictures(ada)
		if n := ada.Get("/images").Page().Find(".pictures > li").Length(); n != domain.ImagesPerPage {
			t.Errorf("%d pictures on the first page", n)
		}
		if n := ada.Get("/images?page=2").Page().Find(".pictures > li").Length(); n != 1 {
			t.Errorf("%d pictures on the second page", n)
		}
		ada.Get("/images?page=3").Want(http.StatusNotFound)
	})
}
