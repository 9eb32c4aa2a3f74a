package performance

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/cli/systemtest/harness"
)

const (
	backgroundPairs = 6
	backgroundRound = 2 * time.Second
	uploadedWidth   = 2000 // pixels
	refusedPause    = 20 * time.Millisecond
)

// measureBackground reads the front page, alternately alone and while sitemaps, uploads of pictures, exports, imports
// and log-ins follow one another, one of each at a time.
func measureBackground(t *testing.T, p *performance) finding {
	server, pages := p.many.serve(t), p.many.pages()
	writers := signedUp(t, server.Address, 2)
	author := logIn(t, server.Address, pages.username)
	exported := download(t, author, "/settings/export")
	picture := largePicture(t)
	compressedSitemap, err := http.NewRequest(http.MethodGet, server.Address+"/sitemap-1.xml", nil)
	if err != nil {
		t.Fatal(err)
	}
	// With the header set here, the client does not decompress it, which would take longer than the server needs.
	compressedSitemap.Header.Set("Accept-Encoding", "gzip")
	tasks := []struct {
		name string
		do   func() (status int, err error)
		done atomic.Int64
	}{
		{name: "sitemaps", do: func() (int, error) { return answer(http.DefaultClient.Do(compressedSitemap)) }},
		{name: "uploads", do: func() (int, error) { return writers[0].sendFile(server.Address, "/images", picture) }},
		{name: "exports", do: func() (int, error) {
			return answer(author.HTTP.Get(server.Address + "/settings/export"))
		}},
		{name: "imports", do: func() (int, error) {
			return writers[1].sendFile(server.Address, "/settings/import", exported)
		}},
		{name: "log-ins", do: func() (int, error) {
			body := strings.NewReader("username=" + pages.username + "&password=" + domain.NewID())
			return answer(http.Post(server.Address+"/login", "application/x-www-form-urlencoded", body))
		}},
	}
	var failed atomic.Int64
	work := func() (end func()) {
		stop := make(chan struct{})
		var working sync.WaitGroup
		for i := range tasks {
			working.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					// An import is refused until the preview of the last one is made.
					status, err := tasks[i].do()
					switch {
					case err != nil || status >= 500 && status != http.StatusServiceUnavailable:
						failed.Add(1)
					case status < 400 || tasks[i].name == "log-ins":
						tasks[i].done.Add(1)
					default:
						time.Sleep(refusedPause)
					}
				}
			})
		}
		return func() {
			close(stop)
			working.Wait()
		}
	}
	wires, asked := dialAll(t, server.Address, busyReaders), always(request("/"))
	harness.Eventually(t, "pages are cached", func() bool {
		return strings.Contains(ask(t, server.Address, "/", http.Header{}).Header.Get("Cache-Status"), "hit")
	})
	hammer(t, wires, backgroundRound/2, asked)
	var ratios, quiet, beside []float64
	var worked time.Duration
	round := func(busy bool) float64 {
		if !busy {
			l := hammer(t, wires, backgroundRound, asked)
			quiet = append(quiet, l.perSecond())
			return l.perSecond()
		}
		end, begin := work(), time.Now()
		l := hammer(t, wires, backgroundRound, asked)
		end()
		worked += time.Since(begin)
		beside = append(beside, l.perSecond())
		return l.perSecond()
	}
	for i := range backgroundPairs {
		first := round(i%2 == 1)
		second := round(i%2 == 0)
		if i%2 == 1 {
			first, second = second, first
		}
		ratios = append(ratios, second/first)
	}
	if n := failed.Load(); n > 0 {
		t.Errorf("%d tasks failed", n)
	}
	server.profile(t, func(length time.Duration) {
		end := work()
		hammer(t, wires, length, asked)
		end()
	})
	var details table
	details.row("beside the front page", "a second")
	details.row("---", "---:")
	for i := range tasks {
		if tasks[i].done.Load() == 0 {
			t.Errorf("no %s were done", tasks[i].name)
		}
		details.row(tasks[i].name, fmt.Sprintf("%.1f", float64(tasks[i].done.Load())/worked.Seconds()))
	}
	ratio := median(ratios)
	return finding{measured: fmt.Sprintf("%.2f (%.0f of %.0f pages/s)", ratio, median(beside), median(quiet)),
		holds: ratio >= 0.7, details: details.String()}
}

// answer reads and discards a response.
func answer(resp *http.Response, err error) (status int, _ error) {
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// download returns the body of a page.
func download(t *testing.T, v *harness.Visitor, path string) []byte {
	t.Helper()
	resp, err := v.HTTP.Get(v.Base + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v", path, resp.StatusCode, err)
	}
	return body
}

// largePicture returns a JPEG file.
func largePicture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, uploadedWidth, uploadedWidth/2)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sendFile uploads a file as a form does.
func (w *writer) sendFile(address, path string, content []byte) (status int, err error) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", "file")
	if err != nil {
		return 0, err
	}
	if _, err := part.Write(content); err != nil {
		return 0, err
	}
	if err := form.Close(); err != nil {
		return 0, err
	}
	req, err := http.NewRequest(http.MethodPost, address+path, &b)
	if err != nil {
		return 0, err
	}
	req.Header = harness.FormHeader()
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Cookie", w.cookie)
	return answer(w.client.Do(req))
}
