package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/media"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// database is the store of one test: an embedded engine with the files of pictures and uploads. Its calls can be made
// to fail, see faults. Mails are collected instead of sent.
type database struct {
	t      testing.TB
	dir    string
	engine *embedded.Engine
	*faults
	store *cosmos.Store
	files files
	projection
	search   *searchIndex
	mail     *mailbox
	markdown *markdown.Renderer
	client   *azcosmos.Client
	items    *azcosmos.DatabaseClient

	close     func() // closes the database and removes its files
	closed    func() // called before the files are removed
	postsMade int    // by aPost
}

const databaseName = "test"

// newDatabase opens a database with default settings, except that no account is new, and one inhabitant. So the first
// user that a test signs up does not become the administrator.
func newDatabase(t testing.TB) *database {
	t.Helper()
	return openDatabase(t, settledSite())
}

// newVacantDatabase opens a database that nobody has signed up to.
func newVacantDatabase(t testing.TB) *database {
	t.Helper()
	return openDatabase(t, vacantSite())
}

// template is the content of a database, for any number of copies.
type template struct {
	files        fs.FS
	users, posts string // how far the copies of posts in it are current: see projection
}

func openDatabase(t testing.TB, from template) *database {
	t.Helper()
	d := &database{t: t, dir: memoryDir(t), faults: newFaults(t), mail: &mailbox{}, markdown: markdown.New()}
	d.must(os.CopyFS(d.dir, from.files))
	d.open()
	d.projection.users, d.projection.posts = from.users, from.posts
	d.close = sync.OnceFunc(d.shut)
	t.Cleanup(d.close)
	return d
}

// snapshot returns the content of the database, which it closes.
func (d *database) snapshot() template {
	d.t.Helper()
	d.catchUp()
	var files fs.FS
	d.closed = func() { files = readFiles(d.dir) }
	d.close()
	return template{files, d.users, d.posts}
}

func (d *database) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// ctx is for calls of the tests themselves, which neither fail nor count.
func (d *database) ctx() context.Context { return untouched(d.t.Context()) }

// open opens the engine and the store in the folder of the database.
func (d *database) open() {
	d.t.Helper()
	var err error
	d.engine, err = embedded.Open(filepath.Join(d.dir, "data"), embedded.Options{Ranges: 1})
	d.must(err)
	d.faults.engine, d.faults.closed = d.engine, false
	d.files = files{media.NewDisk(d.filesDir()), d.faults}
	d.must(d.files.Prepare(d.ctx()))
	d.store = d.openStore()
	d.search = &searchIndex{database: d}
	key, err := azcosmos.NewKeyCredential(d.engine.Key())
	d.must(err)
	d.client, err = azcosmos.NewClientWithKey(d.engine.Endpoint(), key,
		&azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: d.faults}})
	d.must(err)
	d.items, err = d.client.NewDatabase(databaseName)
	d.must(err)
}

// openStore opens another store on the database, as another server would.
func (d *database) openStore() *cosmos.Store {
	d.t.Helper()
	store, err := cosmos.Open(d.ctx(), cosmos.Options{Endpoint: d.engine.Endpoint(), Key: d.engine.Key(),
		Transport: d.faults, Database: databaseName, Existing: true, Files: d.files, OnWrite: d.noteWrite})
	d.must(err)
	return store
}

func (d *database) filesDir() string { return filepath.Join(d.dir, "media") }

// shut closes the database and removes its files.
func (d *database) shut() {
	d.stop()
	if d.closed != nil {
		d.closed()
	}
	if err := os.RemoveAll(d.dir); err != nil {
		d.t.Error(err)
	}
}

// stop closes the engine and the store, as open opens them.
func (d *database) stop() {
	d.search.close()
	d.faults.close()
	d.client.Close()
	d.store.Close()
	if err := d.engine.Close(); err != nil {
		d.t.Error(err)
	}
}

// memoryDir is a temporary folder in memory where the system has one: the engine syncs each write to its disk.
func memoryDir(t testing.TB) string {
	t.Helper()
	const memory = "/dev/shm"
	if info, err := os.Stat(memory); err != nil || !info.IsDir() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(memory, "inkfeed")
	if err != nil {
		return t.TempDir()
	}
	return dir
}

// settledSite and vacantSite are the files of new databases. Copying them takes a fraction of the time that creating the
// containers takes.
var (
	settledSite = sync.OnceValue(func() template {
		return newTemplate(func(ctx context.Context, s *cosmos.Store) error {
			inhabitant, err := domain.NewUser("inhabitant", time.Now())
			if err == nil {
				err = s.Users.Create(ctx, inhabitant, "")
			}
			if err == nil {
				_, err = s.Settings.Set(ctx, domain.Settings{NewDays: domain.NeverNew})
			}
			return err
		})
	})
	vacantSite = sync.OnceValue(func() template {
		return newTemplate(func(context.Context, *cosmos.Store) error { return nil })
	})
)

// newTemplate returns the files of an engine with a database that fill has filled.
func newTemplate(fill func(context.Context, *cosmos.Store) error) template {
	dir, err := os.MkdirTemp("", "inkfeed")
	check(err)
	defer os.RemoveAll(dir)
	engine, err := embedded.Open(filepath.Join(dir, "data"), embedded.Options{Ranges: 1})
	check(err)
	store, err := cosmos.Open(context.Background(), cosmos.Options{Endpoint: engine.Endpoint(), Key: engine.Key(),
		Transport: engine, Database: databaseName})
	check(err)
	check(fill(context.Background(), store))
	store.Close()
	check(engine.Close())
	return template{files: readFiles(dir)}
}

// readFiles reads all files of a folder.
func readFiles(dir string) fs.FS {
	files := fstest.MapFS{}
	check(fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = &fstest.MapFile{Data: content, Mode: 0o600}
		return err
	}))
	return files
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// change changes one stored item behind the store's back, for states that no page and no method of the store leads to
// at once, such as a session that is ten days old.
func (d *database) change(container, partition, id string, change func(item map[string]any)) {
	d.t.Helper()
	c, err := d.items.NewContainer(container)
	d.must(err)
	key := azcosmos.NewPartitionKeyString(partition)
	read, err := c.ReadItem(d.ctx(), key, id, nil)
	d.must(err)
	var item map[string]any
	d.must(json.Unmarshal(read.Value, &item))
	change(item)
	body, err := json.Marshal(item)
	d.must(err)
	_, err = c.ReplaceItem(d.ctx(), key, id, body, nil)
	d.must(err)
	d.writes.Add(1)
}

// all are the items of a container of one type, in no particular order.
func (d *database) all(container, itemType string) []map[string]any {
	d.t.Helper()
	return d.query(container, "SELECT * FROM c WHERE c.type = @type", azcosmos.QueryParameter{Name: "@type", Value: itemType})
}

// live are the items of all that are not deleted.
func (d *database) live(container, itemType string) []map[string]any {
	d.t.Helper()
	return slices.DeleteFunc(d.all(container, itemType), func(item map[string]any) bool { return item["deletionDate"] != nil })
}

// query reads items of all partitions of a container.
func (d *database) query(container, query string, parameters ...azcosmos.QueryParameter) []map[string]any {
	d.t.Helper()
	c, err := d.items.NewContainer(container)
	d.must(err)
	var all []map[string]any
	pager := c.NewQueryItemsPager(query, azcosmos.NewPartitionKey(), &azcosmos.QueryOptions{QueryParameters: parameters})
	for pager.More() {
		page, err := pager.NextPage(d.ctx())
		d.must(err)
		for _, body := range page.Items {
			var item map[string]any
			decoder := json.NewDecoder(bytes.NewReader(body))
			decoder.UseNumber()
			d.must(decoder.Decode(&item))
			all = append(all, item)
		}
	}
	return all
}

// user reads an account, also a suspended one.
func (d *database) user(id string) domain.User {
	d.t.Helper()
	u, err := d.store.Users.Account(d.ctx(), id)
	d.must(err)
	return u
}

// named reads the user of that name.
func (d *database) named(name string) domain.User {
	d.t.Helper()
	u, err := d.store.Users.ByName(d.ctx(), name)
	d.must(err)
	return u
}

// changeUser changes the stored item of a user.
func (d *database) changeUser(id string, change func(item map[string]any)) {
	d.t.Helper()
	d.change("users", id, id, change)
}

// credentials reads the credentials of a user.
func (d *database) credentials(userID string) domain.Credentials {
	d.t.Helper()
	c, err := d.store.Users.Credentials(d.ctx(), userID)
	d.must(err)
	return c
}

// setCredentials changes the stored credentials of a user and ends no session.
func (d *database) setCredentials(userID string, change func(*domain.Credentials)) {
	d.t.Helper()
	c := d.credentials(userID)
	change(&c)
	d.change("users", userID, "credentials", func(item map[string]any) {
		item["passwordHash"], item["email"], item["emailVerified"] = c.PasswordHash, c.Email, c.EmailVerified
		item["passkeys"], item["version"] = c.Passkeys, c.Version+1
	})
}

// expireSecrets lets all secrets of a kind expire now. They must not have had more than that time left.
func (d *database) expireSecrets(kind domain.SecretKind, most time.Duration) {
	d.t.Helper()
	secrets := d.all("sessions", string(kind))
	if len(secrets) == 0 {
		d.t.Fatalf("there are no secrets of the kind %s", kind)
	}
	for _, secret := range secrets {
		d.change("sessions", secret["userId"].(string), secret["id"].(string), func(item map[string]any) {
			expires, err := time.Parse(time.RFC3339, item["expirationDate"].(string))
			d.must(err)
			if time.Until(expires) > most {
				d.t.Errorf("a secret of the kind %s lasts longer than %s", kind, most)
			}
			item["expirationDate"] = time.Now().UTC()
		})
	}
}

// post reads a post in any state, also a deleted one.
func (d *database) post(id string) domain.Post {
	d.t.Helper()
	p, err := d.store.Posts.Latest(d.ctx(), id)
	d.must(err)
	return p
}

// comments reads all comments on a post in their order on its page.
func (d *database) comments(postID string) []domain.Comment {
	d.t.Helper()
	var all []domain.Comment
	for page := 1; ; page++ {
		list, err := d.store.Posts.Comments(d.ctx(), postID, page)
		d.must(err)
		if all = append(all, list.Items...); !list.More {
			return all
		}
	}
}

// versions reads the former versions of a post, the oldest first.
func (d *database) versions(postID string) []domain.PostVersion {
	d.t.Helper()
	list, err := d.store.Posts.Versions(d.ctx(), postID, 1)
	d.must(err)
	slices.Reverse(list.Items)
	return list.Items
}

// sessions reads all sessions of all users.
func (d *database) sessions() []domain.Session {
	d.t.Helper()
	var all []domain.Session
	for _, item := range d.all("sessions", "session") {
		s, err := d.store.Sessions.Get(d.ctx(), item["userId"].(string), item["id"].(string))
		if domain.Is(err, domain.NotFound) {
			continue // it has expired
		}
		d.must(err)
		all = append(all, s)
	}
	return all
}

// endSessions deletes all sessions of all users.
func (d *database) endSessions() {
	d.t.Helper()
	for _, item := range d.all("sessions", "session") {
		d.must(d.store.Sessions.Delete(d.ctx(), item["userId"].(string), item["id"].(string)))
	}
}

// settings reads the settings of the site.
func (d *database) settings() domain.Settings {
	d.t.Helper()
	s, err := d.store.Settings.Get(d.ctx())
	d.must(err)
	return s
}

// set changes the settings of the site.
func (d *database) set(s domain.Settings) {
	d.t.Helper()
	s.Version = d.settings().Version
	_, err := d.store.Settings.Set(d.ctx(), s)
	d.must(err)
}

// invitation reads the newest invitation.
func (d *database) invitation() domain.Invitation {
	d.t.Helper()
	list, err := d.store.Invitations.List(d.ctx())
	d.must(err)
	return list[0]
}

// audited reads this month's entries of the audit log, the newest first.
func (d *database) audited() []domain.AuditEntry {
	d.t.Helper()
	page, err := d.store.Audit.List(d.ctx(), time.Now(), 1)
	d.must(err)
	return page.Items
}

// reported reads what was reported about a post or comment and decided.
func (d *database) reported(target domain.Target) domain.Reported {
	d.t.Helper()
	r, err := d.store.Reports.Of(d.ctx(), target)
	d.must(err)
	return r
}

// images reads the records of all pictures, also of those whose upload was interrupted.
func (d *database) images() []map[string]any {
	d.t.Helper()
	return slices.Concat(d.all("users", "image"), d.all("users", "avatar"))
}

// storedFiles reads all stored files by their names.
func (d *database) storedFiles() map[string][]byte {
	d.t.Helper()
	found := map[string][]byte{}
	d.must(filepath.WalkDir(d.filesDir(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		found[entry.Name()], err = os.ReadFile(path)
		return err
	}))
	return found
}

// content is lines as one text.
func (d *database) content() string { return strings.Join(d.lines(), "\n") }

// lines are all items of all containers, as sorted lines. Etags and times of writing are left out, and so are the times
// at which sessions were last used.
func (d *database) lines() []string {
	d.t.Helper()
	var lines []string
	containers := d.items.NewQueryContainersPager("SELECT * FROM c", nil)
	for containers.More() {
		page, err := containers.NextPage(d.ctx())
		d.must(err)
		for _, properties := range page.Containers {
			for _, item := range d.query(properties.ID, "SELECT * FROM c") {
				delete(item, "_etag")
				delete(item, "_ts")
				if item["type"] == "session" {
					delete(item, "lastUse")
				}
				line, err := json.Marshal(item)
				d.must(err)
				lines = append(lines, properties.ID+" "+string(line))
			}
		}
	}
	slices.Sort(lines)
	return lines
}
