package webtest

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos"
	storage "inkfeed/cosmos/client"
	"inkfeed/cosmos/costs"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/media"
	"inkfeed/domain/markdown"
)

// Database is the store of one test: an embedded engine with the files of pictures and uploads. Its calls can be made
// to fail, see faults. Mails are collected instead of sent.
type Database struct {
	T      testing.TB
	dir    string
	engine *embedded.Engine
	*Faults
	Store *cosmos.Store
	Files files
	projection
	Search   *searchIndex
	Mail     *mailbox
	Markdown *markdown.Renderer
	Lags     []costs.RangeLag // that the page of costs shows
	Tailers  []costs.Tailer   // likewise
	client   *azcosmos.Client
	items    *azcosmos.DatabaseClient

	Close     func() // closes the database and removes its files
	closed    func() // called before the files are removed
	postsMade int    // by CreatePost
}

const databaseName = "test"

// NewDatabase opens a database with default settings and one user, on which no account counts as
// new. Since there is a user, the first one that a test signs up does not become the administrator.
func NewDatabase(t testing.TB) *Database {
	t.Helper()
	return OpenDatabase(t, settledSite())
}

// NewEmptyDatabase opens a database without users.
func NewEmptyDatabase(t testing.TB) *Database {
	t.Helper()
	return OpenDatabase(t, vacantSite())
}

// OpenDatabase opens a copy of a template.
func OpenDatabase(t testing.TB, from Template) *Database {
	t.Helper()
	d := &Database{T: t, dir: t.TempDir(), Faults: newFaults(t), Mail: newMailbox(t), Markdown: markdown.New()}
	d.Must(os.CopyFS(d.dir, from.files))
	d.Open()
	d.projection.users, d.projection.posts = from.users, from.posts
	d.Close = sync.OnceFunc(d.shut)
	t.Cleanup(d.Close)
	return d
}

// Snapshot returns the content of the database, which it closes.
func (d *Database) Snapshot() Template {
	d.T.Helper()
	d.CatchUp()
	var files fs.FS
	d.closed = func() { files = readFiles(d.dir) }
	d.Close()
	return Template{files, d.users, d.posts}
}

// Must fails the test if err is not nil.
func (d *Database) Must(err error) {
	d.T.Helper()
	if err != nil {
		d.T.Fatal(err)
	}
}

// Context returns a context for the test's own calls, which neither fail nor count.
func (d *Database) Context() context.Context { return WithoutFaults(d.T.Context()) }

// Open opens the engine and the store in the folder of the database.
func (d *Database) Open() {
	d.T.Helper()
	var err error
	d.engine, err = embedded.Open(filepath.Join(d.dir, "data"), embedded.Options{Ranges: 1})
	d.Must(err)
	d.Faults.engine, d.Faults.closed = d.engine, false
	d.Files = files{media.NewDisk(d.filesDir()), d.Faults}
	d.Must(d.Files.Prepare(d.Context()))
	d.Store = d.OpenStore()
	d.Search = &searchIndex{database: d}
	key, err := azcosmos.NewKeyCredential(d.engine.Key())
	d.Must(err)
	d.client, err = azcosmos.NewClientWithKey(d.engine.Endpoint(), key,
		&azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: d.Faults}})
	d.Must(err)
	d.items, err = d.client.NewDatabase(databaseName)
	d.Must(err)
}

// OpenStore opens another store on the database, as another server would.
func (d *Database) OpenStore() *cosmos.Store {
	d.T.Helper()
	store, err := cosmos.Open(d.Context(), cosmos.Options{Endpoint: d.engine.Endpoint(), Key: d.engine.Key(),
		Transport: d.Faults, Database: databaseName, Existing: true, Files: d.Files, Mentioned: d.Markdown.Mentioned,
		Observers: []storage.Observer{storage.OnWrite(d.noteWrite)}})
	d.Must(err)
	return store
}

func (d *Database) filesDir() string { return filepath.Join(d.dir, "media") }

// shut closes the database and removes its files.
func (d *Database) shut() {
	d.Stop()
	if d.closed != nil {
		d.closed()
	}
	if err := os.RemoveAll(d.dir); err != nil {
		d.T.Error(err)
	}
}

// Stop closes the engine and the store. Open opens them again.
func (d *Database) Stop() {
	d.Search.close()
	d.Faults.close()
	d.client.Close()
	d.Store.Close()
	if err := d.engine.Close(); err != nil {
		d.T.Error(err)
	}
}
