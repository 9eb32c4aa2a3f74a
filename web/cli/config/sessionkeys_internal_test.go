package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSessionKeys(t *testing.T) {
	t.Run("are created once for a data folder, readable by its owner only", func(t *testing.T) {
		c := &Config{Data: t.TempDir()}
		first, err := c.SessionKeys()
		if err != nil {
			t.Fatal(err)
		}
		second, err := c.SessionKeys()
		if err != nil || len(second) != 1 || !bytes.Equal(first[0], second[0]) || len(first[0]) < minSessionKey {
			t.Errorf("%x, then %x, %v", first, second, err)
		}
		info, err := os.Stat(filepath.Join(c.Data, "session.key"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	})
	t.Run("that are damaged are refused and not replaced", func(t *testing.T) {
		c := &Config{Data: t.TempDir()}
		if err := os.WriteFile(filepath.Join(c.Data, "session.key"), []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := c.SessionKeys(); err == nil {
			t.Error("damaged session keys are accepted")
		}
	})
	t.Run("are parsed in order", func(t *testing.T) {
		keys, err := parseSessionKeys(strings.Repeat("01", 32) + ", " + strings.Repeat("02", 40))
		if err != nil || len(keys) != 2 || keys[0][0] != 1 || keys[1][0] != 2 || len(keys[1]) != 40 {
			t.Errorf("%x, %v", keys, err)
		}
	})
}
