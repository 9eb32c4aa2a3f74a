package stories

import (
	"bytes"
	"image"
	"image/jpeg"
	"io/fs"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

// files lists the files in a folder and those in it.
func filesIn(t *testing.T, folder string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// upload sends a photograph of that width as a browser would.
func upload(v *harness.Visitor, path string, width int) harness.Page {
	v.T.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", "photo.jpg")
	if err == nil {
		err = jpeg.Encode(part, image.NewGray(image.Rect(0, 0, width, width/2)), nil)
	}
	if err == nil {
		err = w.Close()
	}
	header := harness.FormHeader()
	header.Set("Content-Type", w.FormDataContentType())
	p, askErr := v.Ask(http.MethodPost, path, b.String(), header)
	if err != nil || askErr != nil {
		v.T.Fatal(err, askErr)
	}
	if p.Status != http.StatusOK {
		v.T.Fatalf("upload: status %d: %s", p.Status, harness.Text(p.Find("main")))
	}
	return p
}

// Pictures from their upload to the deletion of the account, with a restart between.
func TestPicturesStory(t *testing.T) {
	folder := t.TempDir()
	env := map[string]string{"INKFEED_DATA": folder}
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	harness.NewVisitor(t, base).SignUp("host") // who administers the site, and stays
	ada, bob := harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.SignUp("ada")
	bob.SignUp("bob")
	upload(ada, "/images", 1000)
	for i := range 60 { // more than one step of the erasure takes
		upload(ada, "/images", 10+2*i)
	}
	for range 2 {
		upload(ada, "/settings/avatar", 500)
	}
	ada.Post("/settings/profile", "bio", "I *count*.")
	upload(bob, "/images", 1000)
	verified := func() {
		t.Helper()
		stop()
		harness.Verify(t, env, "--wait")
		base, stop = harness.Serve(t, env, "--addr", "127.0.0.1:0")
		ada.Base, bob.Base = base, base
	}
	verified()
	if p := bob.Get("/@ada"); p.Find(".profile img").Length() != 1 || harness.Text(p.Find(".bio")) != "I count." {
		t.Errorf("the page of ada says %s", harness.Text(p.Find("main")))
	}
	if n := len(filesIn(t, filepath.Join(folder, "media"))); n != 4+60*2+4+4 { // the last of each tells whose they are
		t.Errorf("%d files", n)
	}
	if p := ada.Get("/images?page=3"); p.Find(".pictures > li").Length() != 13 {
		t.Errorf("page 3 has %d", p.Find(".pictures > li").Length())
	}
	if p := ada.Post("/settings/delete", "password", "correct horse"); p.Status != http.StatusOK {
		t.Fatalf("status %d: %s", p.Status, harness.Text(p.Find("main")))
	}
	harness.Eventually(t, "the files of ada are gone, those of bob are there", func() bool {
		return len(filesIn(t, filepath.Join(folder, "media"))) == 4
	})
	verified()
	bobs := bob.Get("/images").Find(".pictures a.thumb").AttrOr("href", "")
	if p := bob.Get(bobs); p.Status != http.StatusOK {
		t.Errorf("%s: status %d", bobs, p.Status)
	}
}

// Where pictures cannot be kept, that is said at the start, not to the first author.
func TestThePlaceOfPicturesIsTriedAtTheStart(t *testing.T) {
	t.Parallel() // it waits for a store that does not answer
	folder := t.TempDir()
	inTheWay := filepath.Join(folder, "file")
	if err := os.WriteFile(inTheWay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for setting, variable := range map[string][2]string{
		"--media or INKFEED_MEDIA":   {"INKFEED_MEDIA", inTheWay},
		"INKFEED_BLOB_CONTAINER_URL": {"INKFEED_BLOB_CONTAINER_URL", "http://127.0.0.1:1/account/pictures?sig=secret"},
	} {
		_, err := harness.Try(t, map[string]string{"INKFEED_DATA": folder, variable[0]: variable[1]}, "--addr", "127.0.0.1:0")
		if err == nil || !strings.HasPrefix(err.Error(), setting) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %q, want one line about %s, without the secret", err, setting)
		}
	}
}
