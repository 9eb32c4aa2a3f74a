package performance

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/sample"
	"inkfeed/web/cli"
	"inkfeed/web/cli/systemtest/harness"
)

const (
	fewUsers  = 12  // users of a blog of about ten thousand items
	manyUsers = 600 // users of a blog of about a million items
)

// performance is the blogs that all measurements share.
type performance struct {
	few, many *sampleBlog
}

// sampleBlog is a folder of sample data, which measurements only copy, and the addresses of its pages.
type sampleBlog struct {
	folder  string
	pages   func() samplePages
	prepare sync.Once // seeds and indexes the folder
}

// samplePages are addresses of pages.
type samplePages struct {
	posts    []string      // newest first
	liked    []string      // posts with a few likes, which exist on a blog of any size
	authors  []string      // authors whose pages are full
	tags     []string      // tags whose pages are full
	fed      []domain.Post // posts of the front pages, newest first
	username string        // name of a user who can log in
}

// newPerformance builds the program, unless INKFEED_PERFORMANCE_PROGRAM names one, and names the folders of its two
// sample blogs. They are below INKFEED_PERFORMANCE_DATA, or below a temporary folder if that variable is empty.
func newPerformance(t *testing.T) *performance {
	t.Helper()
	file := os.Getenv("INKFEED_PERFORMANCE_PROGRAM")
	if file == "" {
		file = filepath.Join(t.TempDir(), "inkfeed")
		if out, err := exec.Command("make", "build", "BINARY="+file).CombinedOutput(); err != nil {
			t.Fatalf("make build: %v\n%s", err, out)
		}
	}
	t.Setenv(harness.ProgramFile, file)
	folder := os.Getenv("INKFEED_PERFORMANCE_DATA")
	if folder == "" {
		folder = t.TempDir()
	}
	return &performance{few: newSampleBlog(filepath.Join(folder, "tenthousand"), fewUsers),
		many: newSampleBlog(filepath.Join(folder, "million"), manyUsers)}
}

func newSampleBlog(folder string, users int) *sampleBlog {
	return &sampleBlog{folder: folder,
		pages: sync.OnceValue(func() samplePages { return pagesOf(sample.New(1, users, sample.Today())) })}
}

// pagesOf returns the addresses of a blog's pages.
func pagesOf(blog *sample.Blog) samplePages {
	pages := samplePages{username: blog.Users[0].Username}
	written, tagged := make(map[string]int), make(map[string]int)
	var posts []domain.Post
	for p := range blog.Posts() {
		posts = append(posts, domain.Post{ID: p.ID, Title: p.Title, AuthorName: p.AuthorName, Created: p.Created})
		if len(p.Likes) >= fewUsers/2 && len(p.Likes) <= fewUsers {
			pages.liked = append(pages.liked, p.Path())
		}
		if written[p.AuthorName]++; written[p.AuthorName] == domain.PostsPerPage {
			pages.authors = append(pages.authors, names.UserPath(p.AuthorName))
		}
		for _, key := range p.Tags.Keys() {
			if tagged[key]++; tagged[key] == domain.PostsPerPage {
				pages.tags = append(pages.tags, "/tags/"+url.PathEscape(key))
			}
		}
	}
	slices.SortFunc(posts, func(a, b domain.Post) int { return b.Created.Compare(a.Created) })
	for i, p := range posts {
		pages.posts = append(pages.posts, p.Path())
		if i < domain.FeedLimit {
			pages.fed = append(pages.fed, p)
		}
	}
	return pages
}

// copy returns a new folder with a copy of the data.
func (b *sampleBlog) copy(t testing.TB) string {
	t.Helper()
	b.prepare.Do(func() { b.seedAndIndex(t) })
	folder := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(folder, os.DirFS(b.folder)); err != nil {
		t.Fatal(err)
	}
	return folder
}

// seedAndIndex seeds the data, unless an earlier run did, and lets a server project and index it. This is repeated in
// each run: an index of another version is built anew, which would take half of the processors from what is measured.
func (b *sampleBlog) seedAndIndex(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(b.folder, "inkfeed.db")); err != nil {
		users := fewUsers
		if filepath.Base(b.folder) == "million" {
			users = manyUsers
		}
		seed := harness.Program(t, nil, "seed", "--data", b.folder, "--users", strconv.Itoa(users))
		if out, err := seed.CombinedOutput(); err != nil {
			t.Fatalf("seed: %v\n%s", err, out)
		}
	}
	server := serveFrom(t, b.folder)
	for deadline, quiet := time.Now().Add(5*time.Minute), 0; quiet < 3; {
		if time.Now().After(deadline) {
			t.Fatal("the server did not read all data within five minutes")
		}
		<-time.After(time.Second)
		if quiet++; server.behind(t) > 0 {
			quiet = 0
		}
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
}

// served is a server with the address of its metrics.
type served struct {
	*harness.Process
	ops string
}

// serve runs a server on a copy of the data until the test ends.
func (b *sampleBlog) serve(t testing.TB, args ...string) *served {
	t.Helper()
	return serveFrom(t, b.copy(t), args...)
}

func serveFrom(t testing.TB, folder string, args ...string) *served {
	t.Helper()
	return serveWith(t, map[string]string{"INKFEED_DATA": folder}, args...)
}

// serveWith runs a server until the test ends. It logs to a file, as in production.
func serveWith(t testing.TB, env map[string]string, args ...string) *served {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	args = append([]string{"--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0"}, args...)
	if profiles() != "" {
		args = append(args, "--pprof")
	}
	s := &served{Process: harness.Spawn(t, env, log, args...)}
	t.Cleanup(func() { s.Stop() })
	line, err := s.Stdout.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s.ops = strings.TrimSuffix(harness.PrintedAddress.FindString(line), "/")
	go drain(s.Stdout)
	return s
}

func (s *served) metrics(t testing.TB) string {
	t.Helper()
	resp, err := http.Get(s.ops + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (s *served) charges(t testing.TB) charges {
	t.Helper()
	c := make(charges)
	for _, found := range chargeLine.FindAllStringSubmatch(s.metrics(t), -1) {
		c[found[1]], _ = strconv.ParseFloat(found[2], 64)
	}
	return c
}

var behindLine = regexp.MustCompile(`(?m)^inkfeed_tailer_behind_seconds\{[^}]*\} (\S+)$`)

// behind returns the largest delay of the tailers in seconds.
func (s *served) behind(t testing.TB) (most float64) {
	t.Helper()
	for _, found := range behindLine.FindAllStringSubmatch(s.metrics(t), -1) {
		seconds, _ := strconv.ParseFloat(found[1], 64)
		most = max(most, seconds)
	}
	return most
}

// must requests a page and fails the test unless the status is 200.
func must(t testing.TB, w *wire, request []byte) {
	t.Helper()
	if status, err := w.do(request); err != nil || status != http.StatusOK {
		t.Fatalf("%s: status %d, %v", strings.SplitN(string(request), "\r\n", 2)[0], status, err)
	}
}

// took returns the time of a request whose status must be 200.
func took(t testing.TB, w *wire, request []byte) time.Duration {
	t.Helper()
	begin := time.Now()
	must(t, w, request)
	return time.Since(begin)
}

// cookies logs in as a user of the sample data and returns the header with the cookies.
func cookies(t testing.TB, address, username string) string {
	t.Helper()
	return cookieHeader(logIn(t, address, username), false)
}

// logIn logs in as a user of the sample data.
func logIn(t testing.TB, address, username string) *harness.Visitor {
	t.Helper()
	v := harness.NewVisitor(t, address)
	if p := v.TryLogIn(username, cli.SamplePassword); p.Status != http.StatusOK || p.URL.Path == "/login" {
		t.Fatalf("log in as %s: status %d", username, p.Status)
	}
	return v
}

// cookieHeader returns the header with the cookies of a visitor. The cookie of a recent write, which expires after some
// seconds, is included if wrote is set.
func cookieHeader(v *harness.Visitor, wrote bool) string {
	base, err := http.NewRequest(http.MethodGet, v.Base+"/", nil)
	if err != nil {
		v.T.Fatal(err)
	}
	var pairs []string
	for _, c := range v.HTTP.Jar.Cookies(base.URL) {
		if strings.HasSuffix(c.Name, "-wrote") && !wrote {
			continue
		}
		pairs = append(pairs, fmt.Sprintf("%s=%s", c.Name, c.Value))
	}
	return "Cookie: " + strings.Join(pairs, "; ")
}
