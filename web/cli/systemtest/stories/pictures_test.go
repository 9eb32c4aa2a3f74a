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

// filesIn lists the files in a folder and its subfolders.
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

// upload sends a photograph of the given width in pixels as a browser would.
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

// TestPicturesAreDeletedWithTheirAccount uploads pictures, restarts the server, and deletes the account of their owner.
func TestPicturesAreDeletedWithTheirAccount(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	env := map[string]string{"INKFEED_DATA": folder}
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	harness.NewVisitor(t, base).SignUp("host") // the first user is an administrator, and stays
	ada, bob := harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.SignUp("ada")
	bob.SignUp("bob")
	upload(ada, "/images", 1000)
	for i := range 60 { // more than one step of the erasure deletes
		upload(ada, "/images", 10+2*i)
	}
	for range 2 {
		upload(ada, "/settings/avatar", 500)
	}
	ada.Post("/settings/profile", "bio", "I *count*.")
	upload(bob, "/images", 1000)
	verifyAndRestart := func() {
		t.Helper()
		stop()
		harness.Verify(t, env, "--wait")
		base, stop = harness.Serve(t, env, "--addr", "127.0.0.1:0")
		ada.Base, bob.Base = base, base
	}
	verifyAndRestart()
	if p := bob.Get("/@ada"); p.Find(".profile img").Length() != 1 || harness.Text(p.Find(".bio")) != "I count." {
		t.Errorf("the profile of ada says %s", harness.Text(p.Find("main")))
	}
	if n := len(filesIn(t, filepath.Join(folder, "media"))); n != 5+60*2+4+5 { // each user's last one names the owner
		t.Errorf("%d files are in the folder of the pictures", n)
	}
	if p := ada.Get("/images?page=3"); p.Find(".pictures > li").Length() != 13 {
		t.Errorf("page 3 of the pictures has %d", p.Find(".pictures > li").Length())
	}
	if p := ada.Post("/settings/delete", "password", "correct horse"); p.Status != http.StatusOK {
		t.Fatalf("deleting the account: status %d: %s", p.Status, harness.Text(p.Find("main")))
	}
	harness.Eventually(t, "only the files of bob are left", func() bool {
		return len(filesIn(t, filepath.Join(folder, "media"))) == 5
	})
	verifyAndRestart()
	bobs := bob.Get("/images").Find(".pictures a.thumb").AttrOr("href", "")
	if p := bob.Get(bobs); p.Status != http.StatusOK {
		t.Errorf("bob's picture %s: status %d", bobs, p.Status)
	}
}

// TestUnusablePictureStorageStopsTheStart holds that a server that cannot store pictures fails when it starts, not when
// an author uploads the first one.
func TestUnusablePictureStorageStopsTheStart(t *testing.T) {
	t.Parallel() // the server waits for a store that does not answer
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for setting, variable := range map[string][2]string{
		"--media or INKFEED_MEDIA":   {"INKFEED_MEDIA", file},
		"INKFEED_BLOB_CONTAINER_URL": {"INKFEED_BLOB_CONTAINER_URL", "http://127.0.0.1:1/account/pictures?sig=secret"},
	} {
		env := map[string]string{"INKFEED_DATA": folder, variable[0]: variable[1]}
		_, err := harness.Try(t, env, "--addr", "127.0.0.1:0")
		if err == nil || !strings.HasPrefix(err.Error(), setting) ||
			strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %q, want one line that begins with %s, without the secret", err, setting)
		}
	}
}
