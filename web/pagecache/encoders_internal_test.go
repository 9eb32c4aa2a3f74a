package pagecache

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"inkfeed/static"
)

// FuzzShells checks that gzip decompresses the pieces of a page shell with the text between them to the whole page.
func FuzzShells(f *testing.F) {
	f.Add([]byte("<html>"), []byte("<nav>"), []byte("</html>"))
	f.Add([]byte{}, []byte{}, []byte{})
	f.Add(bytes.Repeat([]byte("a"), 1<<17), bytes.Repeat([]byte("b"), 1<<16+1), []byte("c"))
	random := make([]byte, 1<<16)
	for i := range random {
		random[i] = byte(rand.N(256))
	}
	f.Add(random, random, random)
	encoders := newEncoders()
	f.Fuzz(func(t *testing.T, first, gap, last []byte) {
		var shell pageShell
		for _, text := range [][]byte{first, last} {
			shell.pieces = append(shell.pieces, shellPiece{"gap", text, encoders.deflatePiece(text)})
		}
		var page bytes.Buffer
		shell.write(&page, true, func(string) []byte { return gap })
		r, err := gzip.NewReader(&page)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(text, bytes.Join([][]byte{first, last}, gap)) {
			t.Errorf("%d bytes are decompressed, error %v", len(text), err)
		}
	})
}

// A reused encoder compresses like a new one, also after a much longer text.
func TestEncodersCanBeReused(t *testing.T) {
	used := newEncoders()
	for i, text := range [][]byte{
		[]byte("short"),
		bytes.Repeat([]byte("a long text, "), 1<<14),
		{},
		[]byte("another short one"),
	} {
		fresh := newEncoders()
		for name, pack := range map[string]func(*encoders) []byte{
			"gzip":   func(p *encoders) []byte { return p.encode(static.Gzip, text) },
			"br":     func(p *encoders) []byte { return p.encode(static.Brotli, text) },
			"pieces": func(p *encoders) []byte { return p.deflatePiece(text) },
		} {
			if again, once := pack(used), pack(fresh); !bytes.Equal(again, once) {
				t.Errorf("text %d: %s has %d bytes from a reused encoder, but %d from a new one", i, name, len(again),
					len(once))
			}
		}
	}
}

func TestVerifyFindsWronglyCompressedEntries(t *testing.T) {
	p := newTestPages(&router{})
	ask(p, http.MethodGet, "/")
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RequestURI = "/"
	e, _ := p.cache.get(p.key(pageEntry, r, ""), time.Now())
	page := e.value.(*preparedResponse)
	for _, coding := range []static.Coding{static.Gzip, static.Brotli} {
		body := page.encodedAs(coding).body
		body[len(body)/2] ^= 1
	}
	var wrong []WrongEntry
	err := p.cache.Verify(t.Context(), VerifyOptions{}, func(report VerifyReport) {
		if report.Wrong != nil {
			wrong = append(wrong, *report.Wrong)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(wrong) == 0 {
		t.Error("the wrong entries are not found")
	}
}
