package writing_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// turned returns a JPEG with the EXIF orientation of a camera that was held upright: 90 degrees clockwise.
func turned(photo []byte) []byte {
	exif := []byte("Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01" + // one entry
		"\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00") // orientation: 6
	segment := append([]byte{0xff, 0xe1, 0, 0}, exif...)
	binary.BigEndian.PutUint16(segment[2:], uint16(len(exif)+2))
	return bytes.Join([][]byte{photo[:2], segment, photo[2:]}, nil)
}

func TestChosenPicturesAreCheckedAtOnce(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	folder := t.TempDir()
	choose := func(name string, content []byte) {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		b.Do(chromedp.SetUploadFiles(chromedp.CSS("#image-file"), []string{path}))
	}
	padded := func(content []byte) []byte { return append(content, make([]byte, domain.MaxUpload)...) }
	for name, c := range map[string]struct {
		content []byte
		reason  string
	}{
		"sea.heic":    {[]byte("\x00\x00\x00\x18ftypheic"), "that file type isn't supported"},
		"renamed.jpg": {[]byte("\x00\x00\x00\x18ftypheic"), "that file type isn't supported"},
		"empty.png":   {nil, "that file type isn't supported"},
		"large.gif":   {padded([]byte("GIF89a")), "The picture is larger than 10 MB. Make it smaller first."},
		"broken.jpg":  {padded([]byte("\xff\xd8\xff")), "The picture is larger than 10 MB. Make it smaller first."},
	} {
		t.Run(name+" is refused before it is described, for good", func(t *testing.T) {
			choose(name, c.content)
			b.WaitForText(".uploads [role=alert]", "Couldn't add "+name+": "+c.reason)
			b.WantValue(`document.querySelector('.describe-dialog') === null &&
				!document.querySelector('.uploads button').checkVisibility()`, "true")
			b.Click(".uploads button:last-child")
			b.WaitUntil(`document.querySelector('.uploads li') === null`)
		})
	}
	for name, c := range map[string]struct {
		content []byte
		size    string
	}{
		"camera.jpg":     {padded(turned(webtest.Photo(t, 400, 300))), "300x400.jpg"},
		"megapixels.jpg": {turned(webtest.Photo(t, 6000, 5000)), "2560x3072.jpg"},
		"screen.png":     {padded(webtest.Drawing(t, 640, 480)), "640x480.png"},
		"as-it-is.jpg":   {turned(webtest.Photo(t, 40, 30)), "30x40.jpg"},
	} {
		t.Run(name+" is made small enough, and stays upright", func(t *testing.T) {
			choose(name, c.content)
			b.WaitUntil(`document.activeElement.id === 'alt'`)
			b.WantValue(`document.querySelector('.describe-dialog .name').textContent`, name)
			b.Do(chromedp.KeyEvent(strings.TrimSuffix(name, filepath.Ext(name))))
			b.PressKey("\r")
			b.WaitUntil(`/!\[` + strings.TrimSuffix(name, filepath.Ext(name)) + `\]\(\/media\/\w+-` + c.size + `\)/
				.test(document.querySelector('#content').value)`)
		})
	}
	b.WantQuietConsole()
}
