package embedded

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/storage"
)

// The test replaces a page by another of the same size. The engine detects the damage when it reads the page.
func TestDamageIsLoggedOnceAndEndsWrites(t *testing.T) {
	for name, find := range map[string]func(t *testing.T, e *Engine) answer{
		"by a read": func(t *testing.T, e *Engine) answer {
			return send(t, e, "GET", docs+"/50", "", pk("a")...)
		},
		"by a query": func(t *testing.T, e *Engine) answer {
			return send(t, e, "POST", docs, `{"query":"SELECT * FROM c WHERE c.x != 'y'"}`,
				append(pk("a"), "Content-Type", "application/query+json")...)
		},
		"by the change feed": func(t *testing.T, e *Engine) answer {
			return send(t, e, "GET", docs, "", "A-IM", "Incremental feed")
		},
		"by a write": func(t *testing.T, e *Engine) answer {
			return send(t, e, "PUT", docs+"/50", `{"id":"50","pk":"a"}`, pk("a")...)
		},
		"by a batch": func(t *testing.T, e *Engine) answer {
			return send(t, e, "POST", docs, `[{"operationType":"Create","resourceBody":{"id":"new","pk":"a"}},
				{"operationType":"Delete","id":"50"}]`, atomicBatch("a")...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := mustDamaged(t)
			file := filepath.Join(dir, storage.DatabaseFile)
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			e, err := Open(dir, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			create(t, e, `{"id":"before","pk":"a"}`).want(t, 201)
			if a := find(t, e).want(t, 500); !strings.Contains(a.body, "database is damaged") ||
				!strings.Contains(a.body, `"code":"InternalServerError"`) {
				t.Errorf("got %s", a.body)
			}
			find(t, e).want(t, 500)
			for _, a := range []answer{
				create(t, e, `{"id":"after","pk":"a"}`),
				send(t, e, "PUT", docs+"/before", `{"id":"before","pk":"a","changed":true}`, pk("a")...),
				send(t, e, "DELETE", docs+"/before", "", pk("a")...),
				send(t, e, "POST", "/dbs", `{"id":"after"}`),
			} {
				if a.want(t, 500); !strings.Contains(a.body, "Stop the engine and restore a backup") {
					t.Errorf("got %s", a.body)
				}
			}
			// Intact data can be read, including all acknowledged writes.
			if a := send(t, e, "GET", docs+"/before", "", pk("a")...).want(t, 200); strings.Contains(a.body,
				"changed") {
				t.Errorf("got %s", a.body)
			}
			if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "restore a backup") ||
				!strings.Contains(log.String(), file) {
				t.Errorf("logged in %d lines:\n%s", n, &log)
			}
			if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, before) {
				t.Errorf("the file was changed (%v)", err)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOpenRefusesDamagedDefinitions(t *testing.T) {
	dir := mustDamaged(t)
	file := filepath.Join(dir, storage.DatabaseFile)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(content), `{"id":"c"`) // in the table of containers
	if at < 4096 {
		t.Fatal("the definition is not found")
	}
	at = at / 4096 * 4096
	copy(content[at:at+4096], bytes.Repeat([]byte{0xa5}, 4096))
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := Open(dir, Options{})
	if err == nil {
		e.Close()
		t.Fatal("opened")
	}
	if !strings.Contains(err.Error(), "malformed") || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, content) {
		t.Errorf("the file was changed (%v)", err)
	}
}
