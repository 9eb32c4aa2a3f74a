package cli

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
func (v *visitor) upload(path string, width int) page {
	v.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", "photo.jpg")
	if err == nil {
		err = jpeg.Encode(part, image.NewGray(image.Rect(0, 0, width, width/2)), nil)
	}
	if err == nil {
		err = w.Close()
	}
	header := fromThisSite()
	header.Set("Content-Type", w.FormDataContentType())
	p, askErr := v.ask(http.MethodPost, path, b.String(), header)
	if err != nil || askErr != nil {
		v.t.Fatal(err, askErr)
	}
	if p.status != http.StatusOK {
		v.t.Fatalf("upload: status %d: %s", p.status, words(p.Find("main")))
	}
	return p
}

// Pictures from their upload to the deletion of the account, with a restart between.
func TestPicturesStory(t *testing.T) {
	folder := t.TempDir()
	env := map[string]string{"INKFEED_DATA": folder}
	base, stop := serving(t, env, "--addr", "127.0.0.1:0")
	newVisitor(t, base).signUp("host") // who administers the site, and stays
	ada, bob := newVisitor(t, base), newVisitor(t, base)
	ada.signUp("ada")
	bob.signUp("bob")
	ada.upload("/images", 1000)
	for i := range 60 { // more than one step of the erasure takes
		ada.upload("/images", 10+2*i)
	}
	for range 2 {
		ada.upload("/settings/avatar", 500)
	}
	ada.post("/settings/profile", "bio", "I *count*.")
	bob.upload("/images", 1000)
	verified := func() {
		t.Helper()
		stop()
		verified(t, env, "--wait")
		base, stop = serving(t, env, "--addr", "127.0.0.1:0")
		ada.base, bob.base = base, base
	}
	verified()
	if p := bob.get("/@ada"); p.Find(".profile img").Length() != 1 || words(p.Find(".bio")) != "I count." {
		t.Errorf("the page of ada says %s", words(p.Find("main")))
	}
	if n := len(filesIn(t, filepath.Join(folder, "media"))); n != 4+60*2+4+4 { // the last of each tells whose they are
		t.Errorf("%d files", n)
	}
	if p := ada.get("/images?page=3"); p.Find(".pictures > li").Length() != 13 {
		t.Errorf("page 3 has %d", p.Find(".pictures > li").Length())
	}
	if p := ada.post("/settings/delete", "password", "correct horse"); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, words(p.Find("main")))
	}
	eventually(t, "the files of ada are gone, those of bob are there", func() bool {
		return len(filesIn(t, filepath.Join(folder, "media"))) == 4
	})
	verified()
	bobs := bob.get("/images").Find(".pictures a.thumb").AttrOr("href", "")
	if p := bob.get(bobs); p.status != http.StatusOK {
		t.Errorf("%s: status %d", bobs, p.status)
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
		_, err := start(t, map[string]string{"INKFEED_DATA": folder, variable[0]: variable[1]}, "--addr", "127.0.0.1:0")
		if err == nil || !strings.HasPrefix(err.Error(), setting) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %q, want one line about %s, without the secret", err, setting)
		}
	}
}
