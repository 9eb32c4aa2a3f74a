package web_test

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"inkfeed/static"
	"inkfeed/web/webtest"
)

func TestPagesAreCompressed(t *testing.T) {
	s := webtest.NewSite(t)
	get := func(path, accept string) *http.Response {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		return w.Result()
	}
	t.Run("with gzip for a browser that accepts it", func(t *testing.T) {
		answer := get("/login", "gzip, deflate, br")
		if got := answer.Header.Get("Content-Encoding"); got != "gzip" {
			t.Fatalf("Content-Encoding is %q", got)
		}
		if vary := strings.Join(answer.Header.Values("Vary"), ", "); !strings.Contains(vary, "Accept-Encoding") {
			t.Errorf("Vary is %q", vary)
		}
		reader, err := gzip.NewReader(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(reader)
		if err != nil || !strings.Contains(string(body), "</html>") {
			t.Errorf("the decompressed page is not complete: %v", err)
		}
	})
	t.Run("not for a browser that does not accept gzip", func(t *testing.T) {
		answer := get("/login", "identity")
		body, err := io.ReadAll(answer.Body)
		if answer.Header.Get("Content-Encoding") != "" || err != nil || !strings.Contains(string(body), "</html>") {
			t.Errorf("Content-Encoding %q, %v", answer.Header.Get("Content-Encoding"), err)
		}
	})
	t.Run("except pictures, which are compressed already", func(t *testing.T) {
		noise := image.NewGray(image.Rect(0, 0, 100, 100))
		_, _ = rand.Read(noise.Pix)
		var file bytes.Buffer
		if err := png.Encode(&file, noise); err != nil {
			t.Fatal(err)
		}
		ada := s.SignUp("ada")
		ada.Upload("/images", file.Bytes())
		images, err := s.Data.Store.Images.Of(t.Context(), ada.User.ID, 1)
		s.Data.Must(err)
		for _, image := range images.Items {
			name := image.Name
			answer := get(name.Path(), "gzip")
			if size, _ := io.Copy(io.Discard, answer.Body); answer.StatusCode != 200 || size < 10_000 ||
				answer.ContentLength != size || answer.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s: %d, %d bytes of %d, %v", name.Path(), answer.StatusCode, size, answer.ContentLength,
					answer.Header)
			}
		}
		if len(s.Data.ImageRecords()) != 1 {
			t.Error("no picture was uploaded")
		}
	})
	t.Run("except assets, which are compressed in advance", func(t *testing.T) {
		answer := get(static.URL("htmx.min.js"), "gzip")
		reader, err := gzip.NewReader(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(reader)
		if err != nil || !strings.Contains(string(body), "htmx") {
			t.Errorf("the decompressed asset is not the script: %v", err)
		}
	})
}
