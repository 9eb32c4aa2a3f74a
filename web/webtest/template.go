package webtest

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing/fstest"
	"time"

	"inkfeed/cosmos"
	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
)

// Template is the content of a database, from which copies are made.
type Template struct {
	files        fs.FS
	users, posts string // how far the copies of posts are current, see projection
}

// settledSite and vacantSite are the files of new databases. Copying them takes a fraction of the time that creating
// the containers takes.
var (
	settledSite = sync.OnceValue(func() Template {
		return newTemplate(func(ctx context.Context, s *cosmos.Store) error {
			inhabitant, err := domain.NewUser("inhabitant", time.Now())
			if err == nil {
				err = s.Accounts.Create(ctx, inhabitant, "")
			}
			if err == nil {
				_, err = s.Settings.Set(ctx, domain.Settings{NewDays: domain.NeverNew})
			}
			return err
		})
	})
	vacantSite = sync.OnceValue(func() Template {
		return newTemplate(func(context.Context, *cosmos.Store) error { return nil })
	})
)

// newTemplate returns the files of an engine with a database that fill has filled.
func newTemplate(fill func(context.Context, *cosmos.Store) error) Template {
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
	return Template{files: readFiles(dir)}
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
