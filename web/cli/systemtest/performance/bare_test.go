package performance

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/labstack/echo/v4"

	"inkfeed/web/cli/systemtest/harness"
	"inkfeed/web/graceful"
)

// asBare is an environment variable that makes the test binary a server with prepared answers, the bare handler, with
// which Inkfeed is compared. The variable names the file with the answers.
const asBare = "INKFEED_TEST_AS_BARE"

// given is an answer of Inkfeed that the bare handler repeats.
type given struct {
	Path   string
	Status int
	Header http.Header
	Body   []byte
}

// serveBare serves the answers from memory. It has the same limits for connections as Inkfeed, and no middleware.
func serveBare(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	var answers []given
	if err := json.Unmarshal(text, &answers); err != nil {
		panic(err)
	}
	e := echo.New()
	for _, a := range answers {
		e.GET(a.Path, func(c echo.Context) error {
			r := c.Response()
			if a.Status == http.StatusNotModified && c.Request().Header.Get("If-None-Match") == "" {
				return echo.NewHTTPError(http.StatusPreconditionRequired)
			}
			maps.Copy(r.Header(), a.Header)
			r.WriteHeader(a.Status)
			_, err := r.Write(a.Body)
			return err
		})
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("The bare handler is at http://%s/\n", listener.Addr())
	panic(graceful.NewServer(e, slog.New(slog.DiscardHandler)).Serve(listener))
}

// bare starts a bare handler in a process of its own and checks its answers.
func bare(t testing.TB, answers ...given) *harness.Process {
	t.Helper()
	text, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "answers.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s := harness.Spawn(t, map[string]string{harness.AsProgram: "", asBare: file}, new(harness.Logs))
	t.Cleanup(func() { s.Kill() })
	for _, a := range answers {
		header := http.Header{}
		if a.Status == http.StatusNotModified {
			header.Set("If-None-Match", a.Header.Get("ETag"))
		}
		if b := capture(t, s.Address, a.Path, header); !reflect.DeepEqual(a, b) {
			t.Fatalf("the bare handler answers\n%v\nwant\n%v", b, a)
		}
	}
	return s
}

// capture returns the last of three answers of a server to a client that accepts gzip. It leaves out headers that
// differ between requests.
func capture(t testing.TB, address, path string, header http.Header) given {
	t.Helper()
	ask(t, address, path, header) // the next answer may come from the cache
	before, got := ask(t, address, path, header), ask(t, address, path, header)
	for name, values := range got.Header {
		if name == "Date" || !slices.Equal(values, before.Header[name]) {
			delete(got.Header, name)
		}
	}
	return got
}

// ask sends a request and returns the answer.
func ask(t testing.TB, address, path string, header http.Header) given {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host, req.Header = askedHost, header.Clone()
	req.Header.Set("Accept-Encoding", "gzip") // the transport then does not decompress the body
	req.Header.Set("Accept", "text/html")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return given{Path: path, Status: resp.StatusCode, Header: resp.Header, Body: body}
}
