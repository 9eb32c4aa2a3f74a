package embedded_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded"
)

func TestReopen(t *testing.T) {
	dir := t.TempDir()
	e, err := embedded.Open(dir, embedded.Options{Ranges: 2})
	if err != nil {
		t.Fatal(err)
	}
	c := MustContainer(t, MustDatabase(t, e), blogPolicy, "/postId")
	MustCreate(t, c, key("a"), `{"id":"1","postId":"a","type":"post"}`)
	before, err := c.ReadItem(ctx, key("a"), "1", nil)
	wantStatus(t, err, 0)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	_, err = c.ReadItem(ctx, key("a"), "1", nil)
	wantStatus(t, err, 503)

	e = MustOpen(t, dir, embedded.Options{})
	c, err = MustClient(t, e).NewContainer("db", "items")
	wantStatus(t, err, 0)
	after, err := c.ReadItem(ctx, key("a"), "1", nil)
	if err != nil || string(after.Value) != string(before.Value) {
		t.Errorf("got  %s\nwant %s (%v)", after.Value, before.Value, err)
	}
	r, err := c.UpsertItem(ctx, key("a"), []byte(`{"id":"1","postId":"a","type":"post"}`), nil)
	if err != nil || !strings.HasSuffix(*r.SessionToken, "#2") || r.ETag == before.ETag {
		t.Errorf("the LSN or etag did not go on: %v, %v", *r.SessionToken, err)
	}
	if ranges, err := c.ReadFeedRanges(ctx, nil); err != nil || len(ranges) != 2 {
		t.Errorf("%v, %v", ranges, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Run("a directory in use", func(t *testing.T) {
		dir := t.TempDir()
		MustOpen(t, dir, embedded.Options{})
		if _, err := embedded.Open(dir, embedded.Options{}); err == nil || !strings.Contains(err.Error(),
			"in use by another process") {
			t.Errorf("got %v", err)
		}
	})
	for name, content := range map[string]string{"a text file": strings.Repeat("not a database\n", 100),
		"an empty file": ""} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "inkfeed.db")
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := embedded.Open(dir, embedded.Options{}); err == nil || !strings.Contains(err.Error(),
				"is not a database of this engine") {
				t.Errorf("got %v", err)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != content {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
	t.Run("a key that is not base64", func(t *testing.T) {
		if _, err := embedded.Open(t.TempDir(), embedded.Options{Key: "?"}); err == nil {
			t.Error("opened")
		}
	})
}
