package web_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/media"
	"inkfeed/web"
)

// storedScene is a scene on the embedded engine. Only the mailer and the search index are fakes.
type storedScene struct {
	*scene
	dir      string // the data of the engine and the uploaded files
	built    string // a copy of dir from when the scene was built
	engine   *embedded.Engine
	store    *cosmos.Store
	client   *azcosmos.Client
	database *azcosmos.DatabaseClient
}

func newStoredScene(t testing.TB, actor string) *storedScene {
	t.Helper()
	site := newSite(t)
	c := config(site.data, site.log, keyOne)
	site.data = nil // no test may read or change the fakes
	s := &storedScene{scene: &scene{site: site, config: c}, dir: t.TempDir(), built: t.TempDir()}
	s.open()
	s.scene = site.scene(s.config, actor)
	s.project()
	s.close()
	s.must(os.CopyFS(s.built, os.DirFS(s.dir)))
	s.open()
	t.Cleanup(func() { s.t = t; s.close() })
	return s
}

// reset restores the data and the files of the scene as it was built, and starts a new server.
func (s *storedScene) reset() {
	s.t.Helper()
	s.close()
	s.must(os.RemoveAll(s.dir))
	s.must(os.CopyFS(s.dir, os.DirFS(s.built)))
	s.open()
}

// open opens the engine and the store, and starts a server on them.
func (s *storedScene) open() {
	s.t.Helper()
	files := media.NewDisk(filepath.Join(s.dir, "media"))
	s.must(files.Prepare(s.t.Context()))
	var err error
	s.engine, err = embedded.Open(filepath.Join(s.dir, "data"), embedded.Options{Ranges: 1})
	s.must(err)
	const database = "test"
	s.store, err = cosmos.Open(s.t.Context(), cosmos.Options{Endpoint: s.engine.Endpoint(), Key: s.engine.Key(),
		Transport: s.engine, Database: database, Files: files})
	s.must(err)
	c := &s.config
	c.Users, c.Sessions, c.Secrets, c.Audit = s.store.Users, s.store.Sessions, s.store.Secrets, s.store.Audit
	c.Posts, c.Drafts, c.Feed, c.Tags = s.store.Posts, s.store.Drafts, s.store.Feed, s.store.Tags
	c.Images, c.Files, c.Export, c.Redirects = s.store.Images, files, s.store.Export, s.store.Redirects
	c.Imports = s.store.ImportJobs
	c.Reports, c.Reviews, c.Settings = s.store.Reports, s.store.Reviews, s.store.Settings
	c.Invitations, c.Ready = s.store.Invitations, s.store.Ping
	s.handler, err = web.NewQuick(*c)
	s.must(err)
	key, err := azcosmos.NewKeyCredential(s.engine.Key())
	s.must(err)
	s.client, err = azcosmos.NewClientWithKey(s.engine.Endpoint(), key,
		&azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: s.engine}})
	s.must(err)
	s.database, err = s.client.NewDatabase(database)
	s.must(err)
}

func (s *storedScene) close() {
	s.client.Close()
	s.store.Close()
	if err := s.engine.Close(); err != nil {
		s.t.Error(err)
	}
}

// project writes the copies of the post that pages list, as the projector would.
func (s *storedScene) project() {
	s.t.Helper()
	post, err := s.store.Posts.Latest(s.t.Context(), s.params["id"])
	s.must(err)
	summary := s.config.Markdown.Summarize(post)
	s.must(s.store.Users.ApplySummary(s.t.Context(), summary))
	s.must(s.store.Tags.ApplySummary(s.t.Context(), s.params["tag"], summary))
}

// items are all items of all containers of the scene's database, as sorted lines. Etags and
// times of writing are left out, and so are the times at which sessions were last used.
func (s *storedScene) items() []string {
	s.t.Helper()
	var lines []string
	containers := s.database.NewQueryContainersPager("SELECT * FROM c", nil)
	for containers.More() {
		page, err := containers.NextPage(s.t.Context())
		s.must(err)
		for _, properties := range page.Containers {
			container, err := s.database.NewContainer(properties.ID)
			s.must(err)
			lines = s.appendItems(lines, container)
		}
	}
	slices.Sort(lines)
	return lines
}

func (s *storedScene) appendItems(lines []string, container *azcosmos.ContainerClient) []string {
	s.t.Helper()
	rows := container.NewQueryItemsPager("SELECT * FROM c", azcosmos.NewPartitionKey(), nil)
	for rows.More() {
		page, err := rows.NextPage(s.t.Context())
		s.must(err)
		for _, row := range page.Items {
			var item map[string]any
			decoder := json.NewDecoder(bytes.NewReader(row))
			decoder.UseNumber()
			s.must(decoder.Decode(&item))
			for _, name := range []string{"_etag", "_ts"} {
				delete(item, name)
			}
			if item["type"] == "session" {
				delete(item, "lastUse")
			}
			line, err := json.Marshal(item)
			s.must(err)
			lines = append(lines, container.ID()+" "+string(line))
		}
	}
	return lines
}

// differences are the lines that only one of two sorted lists has: those of before with a minus
// sign, those of after with a plus sign.
func differences(before, after []string) []string {
	var found []string
	for _, line := range before {
		if _, has := slices.BinarySearch(after, line); !has {
			found = append(found, "- "+line)
		}
	}
	for _, line := range after {
		if _, has := slices.BinarySearch(before, line); !has {
			found = append(found, "+ "+line)
		}
	}
	return found
}
