package jobs_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/media"
	"inkfeed/domain"
	"inkfeed/domain/importing/jobs"
	"inkfeed/domain/picture"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// world is a site on the embedded engine with one author.
type world struct {
	*testing.T
	engine *embedded.Engine
	store  *cosmos.Store
	files  *media.Disk
	ada    domain.User
	ctx    context.Context // of the work
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, ctx: t.Context(), files: media.NewDisk(filepath.Join(t.TempDir(), "media"))}
	var err error
	w.engine, err = embedded.Open(filepath.Join(t.TempDir(), "data"), embedded.Options{Ranges: 1})
	w.must(err)
	t.Cleanup(func() { w.engine.Close() })
	w.store = w.open(w.engine)
	w.must(w.files.Prepare(t.Context()))
	w.ada = w.join("ada")
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// transporter sends requests to the engine.
type transporter interface {
	Do(*http.Request) (*http.Response, error)
}

func (w *world) open(transport transporter) *cosmos.Store {
	w.Helper()
	store, err := cosmos.Open(w.Context(), cosmos.Options{Endpoint: w.engine.Endpoint(), Key: w.engine.Key(),
		Transport: transport,
		Database:  "test", Files: w.files})
	w.must(err)
	w.Cleanup(store.Close)
	return store
}

func (w *world) join(name string) domain.User {
	w.Helper()
	user := domain.User{ID: domain.NewUserID(nil), Username: name, Created: domain.Timestamp(time.Now())}
	w.must(w.store.Accounts.Create(w.Context(), user, "hash"))
	return user
}

// runner returns the runner of an instance that reads and writes through a store.
func (w *world) runner(store *cosmos.Store, configure ...func(*jobs.Config)) *jobs.Runner {
	c := jobs.Config{Jobs: store.ImportJobs, Users: store.Users, Profiles: store.Profiles, Posts: store.Posts,
		Drafts: store.Drafts, Records: store.Imports,
		Redirects: store.Redirects, Images: store.Images, Texts: store.Export, Files: w.files,
		Maker: picture.NewMaker(nil), Read: readHere,
		Beat: 10 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(w.Output(), nil))}
	for _, f := range configure {
		f(&c)
	}
	return jobs.NewRunner(c)
}

// readHere reads an upload in this process.
func readHere(_ context.Context, name string, file *os.File, o portable.Options, now time.Time) (*portable.Blog,
	error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return formats.ReadUpload(name, file, info.Size(), o, now)
}

// work lets an instance do all work that is due.
func (w *world) work(r *jobs.Runner) {
	w.Helper()
	w.must(r.Look(w.ctx, time.Now().Add(2*domain.ImportLease)))
	r.Wait()
}

// upload stores an export as the user's job, as the page does.
func (w *world) upload(name string, content []byte) domain.ImportJob {
	w.Helper()
	j := domain.ImportJob{ID: domain.NewID(), UserID: w.ada.ID, FileName: name, Bytes: int64(len(content)),
		Created: domain.Timestamp(time.Now())}
	if before, err := w.store.ImportJobs.Get(w.Context(), w.ada.ID); err == nil {
		j.ETag, j.Undone = before.ETag, before.Undone
	}
	w.must(w.store.ImportJobs.PutEntry(w.Context(), domain.ImportJob{UserID: w.ada.ID}))
	w.must(w.files.PutStream(w.Context(), domain.ImportFile(j.ID), bytes.NewReader(content)))
	stored, err := w.store.ImportJobs.Put(w.Context(), j.Change(domain.ImportReading, time.Now()))
	w.must(err)
	return stored
}

func (w *world) job() domain.ImportJob {
	w.Helper()
	j, err := w.store.ImportJobs.Get(w.Context(), w.ada.ID)
	w.must(err)
	return j
}

// change moves the job to another state, as the page does.
func (w *world) change(to domain.ImportState) {
	w.Helper()
	w.must(w.store.ImportJobs.PutEntry(w.Context(), domain.ImportJob{UserID: w.ada.ID}))
	for {
		j := w.job()
		if to == domain.ImportUndoing {
			j.Undone++
			if j.Finished.IsZero() {
				j.Finished = domain.Timestamp(time.Now())
			}
		}
		_, err := w.store.ImportJobs.Put(w.Context(), j.Change(to, time.Now()))
		if domain.Is(err, domain.Conflict) { // the instance has just renewed the job
			continue
		}
		w.must(err)
		return
	}
}

// wantState fails unless the job is in a state.
func (w *world) wantState(want domain.ImportState) domain.ImportJob {
	w.Helper()
	j := w.job()
	if j.State != want {
		w.Fatalf("the job is %s (%s), want %s", j.State, j.Problem, want)
	}
	return j
}

// imported uploads an export and imports all of it.
func (w *world) imported(content []byte) domain.ImportJob {
	w.Helper()
	r := w.runner(w.store)
	w.upload("blog.zip", content)
	w.work(r)
	w.wantState(domain.ImportReady)
	w.change(domain.ImportRunning)
	w.work(r)
	return w.wantState(domain.ImportDone)
}

// zipped returns a zip with files.
func zipped(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(f, files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// blog returns a small site of Hugo: a post with a picture and an alias, a post that links to it, and a draft.
func blog(t testing.TB) map[string]string {
	t.Helper()
	var square bytes.Buffer
	if err := png.Encode(&square, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"hugo.toml": "baseURL = 'https://ada.example'\n",
		"content/posts/one/index.md": "---\ntitle: One\ndate: 2024-01-02\naliases: [/old/one/]\n---\nSee ![a " +
			"square](square.png).\n",
		"content/posts/one/square.png":   square.String(),
		"content/posts/two.md":           "---\ntitle: Two\ndate: 2024-02-03\n---\nAfter [one](/posts/one/).\n",
		"content/posts/not-yet/index.md": "---\ntitle: Not yet\ndate: 2024-03-04\ndraft: true\n---\nA draft.\n",
	}
}

// texts returns the titles of the user's posts and drafts.
func (w *world) texts() (posts, drafts []string) {
	w.Helper()
	for p, err := range w.store.Export.Posts(w.Context(), w.ada.ID) {
		w.must(err)
		posts = append(posts, p.Title)
	}
	for d, err := range w.store.Export.Drafts(w.Context(), w.ada.ID) {
		w.must(err)
		drafts = append(drafts, d.Title)
	}
	slices.Sort(posts)
	slices.Sort(drafts)
	return posts, drafts
}

// wantTexts fails unless the user has exactly these posts and drafts. Commas separate their titles.
func (w *world) wantTexts(posts, drafts string) {
	w.Helper()
	p, d := w.texts()
	if strings.Join(p, ",") != posts || strings.Join(d, ",") != drafts {
		w.Fatalf("there are posts %q and drafts %q, want %q and %q", p, d, posts, drafts)
	}
}

// post returns the user's post with a title.
func (w *world) post(title string) domain.Post {
	w.Helper()
	for p, err := range w.store.Export.Posts(w.Context(), w.ada.ID) {
		w.must(err)
		if p.Title == title {
			return p
		}
	}
	w.Fatalf("there is no post %q", title)
	return domain.Post{}
}

// items returns all items of the database except jobs and their entries, as sorted lines without times of writing.
func (w *world) items() []string {
	w.Helper()
	credential, err := azcosmos.NewKeyCredential(w.engine.Key())
	w.must(err)
	client, err := azcosmos.NewClientWithKey(w.engine.Endpoint(), credential,
		&azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: w.engine}})
	w.must(err)
	database, err := client.NewDatabase("test")
	w.must(err)
	var lines []string
	for _, id := range []string{"users", "posts", "feed", "tags", "schedule", "redirects"} {
		container, err := database.NewContainer(id)
		w.must(err)
		pager := container.NewQueryItemsPager("SELECT * FROM c", azcosmos.NewPartitionKey(), nil)
		for pager.More() {
			page, err := pager.NextPage(w.Context())
			w.must(err)
			for _, row := range page.Items {
				var item map[string]any
				w.must(json.Unmarshal(row, &item))
				if item["type"] == "import-job" || item["type"] == "importing" {
					continue
				}
				delete(item, "_etag")
				delete(item, "_ts")
				line, err := json.Marshal(item)
				w.must(err)
				lines = append(lines, id+" "+string(line))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// outage lets a number of requests through. Then it stops the instance and refuses all its requests, as if
// the process had been killed.
type outage struct {
	transporter
	stop func()
	mu   sync.Mutex
	left int
}

func (o *outage) Do(r *http.Request) (*http.Response, error) {
	o.mu.Lock()
	o.left--
	cut := o.left < 0
	o.mu.Unlock()
	if cut {
		o.stop()
		return &http.Response{StatusCode: http.StatusForbidden, Status: "403 Forbidden", Request: r,
			Header: http.Header{},
			Body:   io.NopCloser(strings.NewReader("{}")), ProtoMajor: 1, ProtoMinor: 1}, nil
	}
	return o.transporter.Do(r)
}

// over reports whether a request was refused.
func (o *outage) over() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.left < 0
}
