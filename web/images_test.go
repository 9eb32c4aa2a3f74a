package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// aPhoto is a JPEG of that size.
func aPhoto(t testing.TB, width, height int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = uint8(i)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func aDrawing(t testing.TB, width, height int) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// upload sends a form with a file, and fields of names and values in turn.
func (v *visitor) upload(path string, file []byte, fields ...string) *answer {
	v.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", "../../etc/passwd.html") // which nobody looks at
	if err == nil {
		_, err = part.Write(file)
	}
	for i := 0; i < len(fields); i += 2 {
		if err == nil {
			err = w.WriteField(fields[i], fields[i+1])
		}
	}
	if err != nil {
		v.t.Fatal(err)
	}
	w.Close()
	h := *v
	h.header = v.header.Clone()
	h.header.Set("Content-Type", w.FormDataContentType())
	return h.send(http.MethodPost, path, &b)
}

// script is the same visitor, asking as a script does.
func (v *visitor) script() *visitor {
	h := *v
	h.header = v.header.Clone()
	h.header.Set("Accept", "application/json")
	return &h
}

// json reads the answer to a script.
func (a *answer) json() (answer struct {
	URL, Alt, Markdown, Error string
	Width, Height             int
	Fields                    map[string]string
}) {
	a.t.Helper()
	if err := json.Unmarshal([]byte(a.body), &answer); err != nil {
		a.t.Fatalf("%s: %v\n%s", a.what, err, a.body)
	}
	return answer
}

func TestUploading(t *testing.T) {
	t.Run("by a form leads to the list, which says how to show it", func(t *testing.T) {
		ada := newSite(t).member("ada")
		to := ada.upload("/images", aPhoto(t, 600, 300), "alt", "A [cat]").want(http.StatusSeeOther).Header.Get("Location")
		page := ada.get(to).want(http.StatusOK)
		page.has(".done", "Picture uploaded.")
		markdown := page.page().Find(".done input").AttrOr("value", "")
		name, ok := domain.ParseImagePath(strings.TrimSuffix(markdown[strings.Index(markdown, "(")+1:], ")"))
		if !ok || !strings.HasPrefix(markdown, `![A \[cat\]](`) || name.Width != 600 || name.Height != 300 {
			t.Errorf("Markdown %q", markdown)
		}
		if img := page.page().Find(".pictures img"); img.AttrOr("alt", "") != "A [cat]" || img.AttrOr("src", "") != name.Small() ||
			img.AttrOr("width", "") != "600" {
			t.Errorf("%v", img.Nodes[0].Attr)
		}
		page.has(".heading", "1 picture")
	})
	t.Run("by a script tells it what to show", func(t *testing.T) {
		ada := newSite(t).member("ada")
		got := ada.script().upload("/images", aDrawing(t, 50, 40), "alt", "A plan").want(http.StatusCreated).json()
		if got.Width != 50 || got.Height != 40 || got.Alt != "A plan" || got.Markdown != "![A plan]("+got.URL+")" {
			t.Errorf("%+v", got)
		}
		ada.get(got.URL).want(http.StatusOK)
	})
	t.Run("twice gives the same address and keeps one picture", func(t *testing.T) {
		ada := newSite(t).member("ada")
		file := aPhoto(t, 70, 70)
		first := ada.script().upload("/images", file).want(http.StatusCreated).json()
		again := ada.script().upload("/images", file, "alt", "Described").want(http.StatusCreated).json()
		if first.URL != again.URL || again.Alt != "Described" || len(ada.data.images()) != 1 {
			t.Errorf("%+v, then %+v", first, again)
		}
	})
	t.Run("what was downloaded from here gives the same address, although it was encoded once more", func(t *testing.T) {
		ada, bob := newSite(t).member("ada"), (*visitor)(nil)
		bob = ada.site.member("bob")
		first := ada.script().upload("/images", aPhoto(t, 70, 70)).json()
		kept := []byte(ada.get(first.URL).want(http.StatusOK).body)
		if again := ada.script().upload("/images", kept).json(); again.URL != first.URL {
			t.Errorf("%s, then %s", first.URL, again.URL)
		}
		if others := bob.script().upload("/images", kept).json(); others.URL == first.URL {
			t.Error("it is another user's picture as well")
		}
	})
	t.Run("that was cut off is finished the next time", func(t *testing.T) {
		ada := newSite(t).member("ada")
		file := aPhoto(t, 600, 300)
		ada.data.fail("Files.Put")
		answer := ada.upload("/images", file, "alt", "A cat").want(http.StatusServiceUnavailable)
		answer.has(`[role="alert"]`, "couldn't save")
		if answer.Value("alt") != "A cat" || answer.Header.Get("Retry-After") == "" {
			t.Errorf("alt %q", answer.Value("alt"))
		}
		answer.has(".pictures .missing", "interrupted")
		ada.data.recover("Files.Put")
		got := ada.script().upload("/images", file).want(http.StatusCreated).json()
		ada.get(got.URL).want(http.StatusOK)
		ada.get("/images").hasNo(".missing")
	})
	t.Run("of which the record goes meanwhile leaves no files", func(t *testing.T) {
		ada := newSite(t).member("ada")
		ada.data.before("Images.Complete", func() { deleteImages(ada.data) })
		ada.upload("/images", aPhoto(t, 600, 300)).want(http.StatusConflict)
		if len(ada.data.storedFiles()) != 0 {
			t.Errorf("%d files are left", len(ada.data.storedFiles()))
		}
	})
}

// deleteImages deletes the records of all pictures, as with their accounts.
func deleteImages(d *database) {
	d.t.Helper()
	c, err := d.items.NewContainer("users")
	d.must(err)
	for _, image := range d.images() {
		_, err := c.DeleteItem(d.ctx(), azcosmos.NewPartitionKeyString(image["userId"].(string)), image["id"].(string), nil)
		d.must(err)
	}
}

// forgetOwner makes a picture one of those that were uploaded before their owners were stored beside them.
func forgetOwner(d *database, picture string) {
	d.t.Helper()
	name, ok := domain.ParseImageName(picture)
	if !ok {
		d.t.Fatalf("%q is no picture's name", picture)
	}
	d.must(d.files.Disk.Delete(d.ctx(), name.OwnerFile()))
}

func TestUploadsThatAreCutOff(t *testing.T) {
	// At the first call of that name, somebody closes the browser.
	cut := func(t *testing.T, at string, meanwhile func(*database)) *visitor {
		ada := newSite(t).member("ada")
		handler := ada.handler
		ctx, cut := context.WithCancel(t.Context())
		ada.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r.WithContext(ctx)) })
		ada.data.before(at, func() {
			cut()
			meanwhile(ada.data)
		})
		ada.upload("/images", aPhoto(t, 600, 300))
		ada.handler = handler
		return ada
	}
	gone := func(d *database) { deleteImages(d) }
	for _, at := range []string{"Files.Put", "Images.Complete"} {
		t.Run("at "+at+" are finished all the same", func(t *testing.T) {
			ada := cut(t, at, func(*database) {})
			ada.get("/images").has(".pictures img", "").hasNo(".missing")
		})
		t.Run("at "+at+" leave no files when the account goes meanwhile", func(t *testing.T) {
			if ada := cut(t, at, gone); len(ada.data.storedFiles()) != 0 {
				t.Errorf("%d files are left", len(ada.data.storedFiles()))
			}
		})
	}
	t.Run("of which nobody knows whether they were finished leave no files when the account went", func(t *testing.T) {
		ada := newSite(t).member("ada")
		ada.data.before("Images.Complete", func() { deleteImages(ada.data) })
		ada.data.fail("Images.Complete")
		ada.upload("/images", aPhoto(t, 600, 300)).want(http.StatusConflict)
		if len(ada.data.storedFiles()) != 0 {
			t.Errorf("%d files are left", len(ada.data.storedFiles()))
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
		{"half a picture", aPhoto(t, 90, 90)[:900], "", http.StatusUnprocessableEntity, "file", "damaged"},
		{"more than 10 MB", make([]byte, domain.MaxUpload+1), "", http.StatusRequestEntityTooLarge, "file", "10 MB"},
		{"a description too long", aPhoto(t, 9, 9), strings.Repeat("x", domain.MaxAlt+1), http.StatusUnprocessableEntity, "alt", "501 characters"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ada := newSite(t).member("ada")
			page := ada.upload("/images", c.file, "alt", c.alt).want(c.status).complains(c.field, c.says)
			if page.Value("alt") != c.alt {
				t.Errorf("the description comes back as %q", page.Value("alt"))
			}
			got := ada.script().upload("/images", c.file, "alt", c.alt).want(c.status).json()
			if !strings.Contains(got.Error, c.says) || !strings.Contains(got.Fields[c.field], c.says) {
				t.Errorf("a script is told %+v", got)
			}
			if len(ada.data.storedFiles()) > 0 || len(ada.data.images()) > 0 {
				t.Errorf("%d files and %d records are there", len(ada.data.storedFiles()), len(ada.data.images()))
			}
		})
	}
	t.Run("more than is read at all", func(t *testing.T) {
		ada := newSite(t).member("ada")
		ada.script().upload("/images", make([]byte, 5*domain.MaxUpload)).want(http.StatusRequestEntityTooLarge)
	})
	t.Run("by nobody", func(t *testing.T) {
		stranger := newSite(t).stranger()
		a := stranger.upload("/images", aPhoto(t, 900, 900), "alt", "A cat").want(http.StatusUnauthorized).has(`[role="alert"]`, "Your session has expired")
		if a.has("#file-hint", "Choose the file again").Value("alt") != "A cat" { // which stands behind the file
			t.Errorf("the description comes back as %q", a.Value("alt"))
		}
		if got := stranger.script().upload("/images", aPhoto(t, 9, 9)).want(http.StatusUnauthorized).json(); !strings.Contains(got.Error, "session") {
			t.Errorf("%+v", got)
		}
		stranger.get("/images").wantRedirect(http.StatusSeeOther, "/login?next=%2Fimages")
		if len(stranger.data.storedFiles()) > 0 {
			t.Error("files are there")
		}
	})
	t.Run("from another site", func(t *testing.T) {
		ada := newSite(t).member("ada")
		ada.header.Set("Sec-Fetch-Site", "cross-site")
		ada.upload("/images", aPhoto(t, 9, 9)).want(http.StatusForbidden)
	})
	t.Run("that is no form with a file", func(t *testing.T) {
		ada := newSite(t).member("ada")
		ada.post("/images", "file", "x").want(http.StatusUnsupportedMediaType)
		ada.header.Set("Content-Type", "multipart/form-data; boundary=x")
		ada.send(http.MethodPost, "/images", strings.NewReader("nothing of the kind")).want(http.StatusBadRequest)
	})
}

func TestPicturesAreServed(t *testing.T) {
	ada := newSite(t).member("ada")
	url := ada.script().upload("/images", aPhoto(t, 600, 300)).json().URL
	stranger := ada.site.stranger()
	t.Run("for good, and as nothing but pictures", func(t *testing.T) {
		a := stranger.get(url).want(http.StatusOK)
		for name, want := range map[string]string{"Content-Type": "image/jpeg", "Cache-Control": "public, max-age=31536000, s-maxage=3600, immutable",
			"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
			"Cross-Origin-Resource-Policy": "cross-origin", "Accept-Ranges": "bytes", "Content-Encoding": ""} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if config, format, err := image.DecodeConfig(strings.NewReader(a.body)); err != nil || format != "jpeg" || config.Width != 600 {
			t.Errorf("a %s of %d, error %v", format, config.Width, err)
		}
	})
	t.Run("as SVGs that load nothing and run nothing", func(t *testing.T) {
		url := ada.script().upload("/images", []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><script>alert(1)</script><style>rect { fill: red }</style><rect width="9" height="9"/></svg>`)).
			want(http.StatusCreated).json().URL
		a := stranger.get(url).want(http.StatusOK)
		for name, want := range map[string]string{"Content-Type": "image/svg+xml", "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'; style-src 'unsafe-inline'"} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if strings.Contains(a.body, "script") || !strings.Contains(a.body, "<rect ") || !strings.HasSuffix(url, "-40x20.svg") {
			t.Errorf("at %s is %s", url, a.body)
		}
	})
	t.Run("in each width", func(t *testing.T) {
		name, _ := domain.ParseImagePath(url)
		a := stranger.get("/media/" + name.Variant(480)).want(http.StatusOK)
		if config, _, err := image.DecodeConfig(strings.NewReader(a.body)); err != nil || config.Width != 480 || config.Height != 240 {
			t.Errorf("%dx%d, error %v", config.Width, config.Height, err)
		}
		stranger.get("/media/" + name.Variant(960)).want(http.StatusNotFound)
	})
	t.Run("once only to whoever has it", func(t *testing.T) {
		again := *stranger
		again.header = http.Header{"If-None-Match": {stranger.get(url).Header.Get("ETag")}}
		if a := again.get(url).want(http.StatusNotModified); a.body != "" {
			t.Errorf("%d bytes", len(a.body))
		}
	})
	t.Run("in parts", func(t *testing.T) {
		part := *stranger
		part.header = http.Header{"Range": {"bytes=0-2"}}
		if a := part.get(url).want(http.StatusPartialContent); a.body != "\xff\xd8\xff" {
			t.Errorf("%q", a.body)
		}
	})
	t.Run("without content to HEAD", func(t *testing.T) {
		if a := stranger.send(http.MethodHead, url, nil).want(http.StatusOK); a.body != "" || a.Header.Get("Content-Length") == "" {
			t.Errorf("%d bytes, length %q", len(a.body), a.Header.Get("Content-Length"))
		}
	})
	t.Run("of who is suspended to moderators alone, and not to keep, until that ends", func(t *testing.T) {
		mod := ada.site.member("molly")
		ada.site.give(mod, domain.RoleModerator)
		ada.site.suspend(ada, true)
		kept := func(a *answer) string { return a.Header.Get("Cache-Control") }
		if a := stranger.get(url).want(http.StatusNotFound); kept(a) != "no-store" {
			t.Errorf("that there is none is kept: %q", kept(a))
		}
		ada.site.member("ben").get(url).want(http.StatusNotFound)
		if a := mod.get(url).want(http.StatusOK); kept(a) != "no-store" {
			t.Errorf("a moderator's is kept: %q", kept(a))
		}
		ada.site.suspend(ada, false)
		stranger.get(url).want(http.StatusOK)
	})
	t.Run("without asking every partition whose they are", func(t *testing.T) {
		other := ada.script().upload("/images", aPhoto(t, 50, 30)).json().URL
		asked := ada.data.calls("Images.Owner")
		ada.site.suspend(ada, true)
		defer ada.site.suspend(ada, false)
		stranger.get(other).want(http.StatusNotFound)
		stranger.get(other + ".owner").want(http.StatusNotFound)
		if ada.data.calls("Images.Owner") != asked {
			t.Error("the store was asked")
		}
	})
	t.Run("of before it was kept beside them whose they are", func(t *testing.T) {
		older := ada.script().upload("/images", aPhoto(t, 40, 30)).json().URL
		forgetOwner(ada.data, strings.TrimPrefix(older, domain.MediaPrefix))
		ada.site.suspend(ada, true)
		defer ada.site.suspend(ada, false)
		stranger.get(older).want(http.StatusNotFound)
	})
	t.Run("also when nobody can tell whose it is", func(t *testing.T) {
		other := ada.script().upload("/images", aPhoto(t, 60, 30)).json().URL
		forgetOwner(ada.data, strings.TrimPrefix(other, domain.MediaPrefix))
		ada.data.fail("Images.Owner")
		defer ada.data.recover("Images.Owner")
		stranger.get(other).want(http.StatusOK)
	})
	t.Run("but not where there is none", func(t *testing.T) {
		for _, path := range []string{"/media/", "/media/x.jpg", "/media/..%2f..%2fgo.mod", "/media/" + domain.NewID() + "-5x5.png"} {
			stranger.get(path).want(http.StatusNotFound)
		}
	})
	t.Run("nor when the store is away", func(t *testing.T) {
		ada.data.fail("Files.Open")
		stranger.get(url).want(http.StatusServiceUnavailable)
		ada.data.recover("Files.Open")
	})
}

func TestOwnPictures(t *testing.T) {
	setup := func(t *testing.T) (ada, bob *visitor, name domain.ImageName) {
		ada = newSite(t).member("ada")
		name, _ = domain.ParseImagePath(ada.script().upload("/images", aPhoto(t, 600, 300)).json().URL)
		return ada, ada.site.member("bob"), name
	}
	t.Run("are seen by nobody else", func(t *testing.T) {
		_, bob, name := setup(t)
		bob.get("/images").want(http.StatusOK).hasNo(".pictures")
		bob.get("/images/" + name.String() + "/delete").want(http.StatusNotFound)
		bob.post("/images/"+name.String(), "alt", "Mine").want(http.StatusNotFound)
	})
	t.Run("are described", func(t *testing.T) {
		ada, _, name := setup(t)
		to := ada.post("/images/"+name.String(), "alt", " A\ncat ").want(http.StatusSeeOther).Header.Get("Location")
		path, _, _ := strings.Cut(to, "#")
		page := ada.get(path).has(".done", "saved")
		if alt := page.page().Find(".pictures img").AttrOr("alt", ""); alt != "A cat" {
			t.Errorf("described as %q", alt)
		}
	})
	t.Run("whose description is too long bring it back, beside themselves", func(t *testing.T) {
		ada, _, name := setup(t)
		long := strings.Repeat("x", 600)
		page := ada.post("/images/"+name.String(), "alt", long).want(http.StatusUnprocessableEntity)
		page.has("#alt-error-"+name.Hash, "600 characters")
		if got := page.page().Find("#alt-"+name.Hash).AttrOr("value", ""); got != long {
			t.Errorf("%q comes back", got)
		}
	})
	t.Run("are deleted after a question, with their files", func(t *testing.T) {
		ada, bob, name := setup(t)
		path := "/images/" + name.String() + "/delete"
		ada.get(path).want(http.StatusOK).has("h1", "Delete this picture?")
		if !bytes.Equal(ada.data.storedFiles()[name.String()], []byte(ada.get(name.Path()).body)) {
			t.Error("asking has deleted it")
		}
		ada.post(path).wantRedirect(http.StatusSeeOther, "/images?deleted=yes")
		ada.post(path).wantRedirect(http.StatusSeeOther, "/images?deleted=yes") // a double click
		ada.get("/images?deleted=yes").has(".done", "deleted").hasNo(".pictures")
		bob.get(name.Path()).want(http.StatusNotFound)
		if len(ada.data.storedFiles()) > 0 {
			t.Errorf("%d files are left", len(ada.data.storedFiles()))
		}
	})
	t.Run("are not deleted by others", func(t *testing.T) {
		ada, bob, name := setup(t)
		bob.post("/images/" + name.String() + "/delete")
		ada.get(name.Path()).want(http.StatusOK)
	})
	t.Run("come in pages", func(t *testing.T) {
		ada, _, _ := setup(t)
		for i := range domain.ImagesPerPage {
			_, err := ada.data.store.Images.Begin(t.Context(), domain.Image{UserID: ada.user.ID, Name: domain.ImageName{Hash: domain.NewID(), Width: 5 + i, Height: 5, Ext: "png"}})
			ada.data.must(err)
		}
		if n := ada.get("/images").page().Find(".pictures > li").Length(); n != domain.ImagesPerPage {
			t.Errorf("%d on the first page", n)
		}
		if n := ada.get("/images?page=2").page().Find(".pictures > li").Length(); n != 1 {
			t.Errorf("%d on the second page", n)
		}
		ada.get("/images?page=3").want(http.StatusNotFound)
	})
}

func TestProfile(t *testing.T) {
	t.Run("stands on the author's page", func(t *testing.T) {
		ada := newSite(t).member("ada")
		ada.post("/settings/profile", "bio", "# Me\n\nI *count* <b>much</b>.").wantRedirect(http.StatusSeeOther, "/settings/profile?saved=yes")
		ada.get("/settings/profile?saved=yes").has(".done", "Profile saved")
		page := ada.site.stranger().get("/@ada").want(http.StatusOK)
		page.has(".bio em", "count").has(".bio h2", "Me").hasNo(".bio b").hasNo(".bio img")
		page.has(".profile svg text", "A").hasNo(`.profile a[href="/settings/profile"]`)
		ada.get("/@ada").has(`.profile a[href="/settings/profile"]`, "Edit")
	})
	t.Run("that is too long comes back", func(t *testing.T) {
		ada := newSite(t).member("ada")
		long := strings.Repeat("é", domain.MaxBio+1)
		page := ada.post("/settings/profile", "bio", long).want(http.StatusUnprocessableEntity).complains("bio", "1,001 characters")
		if page.Value("bio") != long {
			t.Errorf("%d bytes come back", len(page.Value("bio")))
		}
	})
	t.Run("that was written when the session ended comes back", func(t *testing.T) {
		ada := newSite(t).member("ada")
		page := ada.forgotten().post("/settings/profile", "bio", "I count.").want(http.StatusUnauthorized)
		if page.has(`[role="alert"]`, "Your session has expired").Value("bio") != "I count." {
			t.Errorf("%q comes back", page.Value("bio"))
		}
	})
	t.Run("has a square picture, and one at a time", func(t *testing.T) {
		ada := newSite(t).member("ada")
		for i := range 2 {
			ada.upload("/settings/avatar", aPhoto(t, 900+i, 500)).wantRedirect(http.StatusSeeOther, "/settings/profile?avatar=yes")
		}
		if len(ada.data.images()) != 1 || len(ada.data.storedFiles()) != 4 { // the last tells whose they are
			t.Errorf("%d records, %d files", len(ada.data.images()), len(ada.data.storedFiles()))
		}
		page := ada.site.stranger().get("/@ada")
		src := page.page().Find(".profile img").AttrOr("src", "")
		config, _, err := image.DecodeConfig(strings.NewReader(ada.get(src).want(http.StatusOK).body))
		if err != nil || config.Width != 192 || config.Height != 192 {
			t.Errorf("%s is %dx%d, error %v", src, config.Width, config.Height, err)
		}
		ada.get("/images").hasNo(".pictures")
	})
	t.Run("can lose its picture", func(t *testing.T) {
		ada := newSite(t).member("ada")
		ada.upload("/settings/avatar", aPhoto(t, 90, 90)).want(http.StatusSeeOther)
		for range 2 { // a double click
			ada.post("/settings/avatar/remove").wantRedirect(http.StatusSeeOther, "/settings/profile?avatar=yes")
		}
		if len(ada.data.storedFiles()) > 0 {
			t.Errorf("%d files are left", len(ada.data.storedFiles()))
		}
		ada.get("/@ada").hasNo(".profile img").has(".profile svg text", "A")
	})
	t.Run("does not take what is no picture", func(t *testing.T) {
		ada := newSite(t).member("ada")
		ada.upload("/settings/avatar", []byte("<svg>")).want(http.StatusUnsupportedMediaType).complains("file", "JPEG, PNG, GIF or WebP")
		ada.upload("/settings/avatar", make([]byte, domain.MaxUpload+1)).want(http.StatusRequestEntityTooLarge).complains("file", "10 MB")
		ada.forgotten().upload("/settings/avatar", aPhoto(t, 9, 9)).want(http.StatusUnauthorized)
	})
	t.Run("keeps the bio when only the picture is changed", func(t *testing.T) {
		ada := newSite(t).member("ada")
		ada.post("/settings/profile", "bio", "I count.")
		ada.upload("/settings/avatar", aPhoto(t, 90, 90))
		if bio := ada.get("/settings/profile").Value("bio"); strings.TrimSpace(bio) != "I count." {
			t.Errorf("bio %q", bio)
		}
	})
}
