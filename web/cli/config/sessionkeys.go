package config

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"inkfeed/cosmos/embedded"
)

// obeySessionKeys registers the secrets of the session cookies. They have no
// flag: other users of a machine can read a process's arguments.
func (c *Config) obeySessionKeys() {
	c.Variables = append(c.Variables, "INKFEED_SESSION_KEYS: needed with an account")
	c.Checking(func() error {
		if _, err := parseSessionKeys(c.sessionKeys); c.sessionKeys != "" && err != nil {
			return fmt.Errorf("INKFEED_SESSION_KEYS: %w", err)
		}
		if c.sessionKeys == "" && !c.Embedded() {
			return errors.New("INKFEED_SESSION_KEYS: not set; instances on a Cosmos DB account must share their keys")
		}
		return nil
	})
}

// minSessionKey is the least length of a session key in bytes.
const minSessionKey = 32

func parseSessionKeys(text string) ([][]byte, error) {
	var keys [][]byte
	for i, part := range strings.Split(text, ",") {
		key, err := hex.DecodeString(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("key %d is not hexadecimal", i+1)
		}
		if len(key) < minSessionKey {
			return nil, fmt.Errorf("key %d has %d bytes, fewer than %d", i+1, len(key), minSessionKey)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// SessionKeys returns the configured keys or, on the embedded engine, the
// one made for this data directory, making it first if there is none.
func (c *Config) SessionKeys() ([][]byte, error) {
	if c.sessionKeys != "" {
		return parseSessionKeys(c.sessionKeys)
	}
	path := filepath.Join(c.Data, "session.key")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key := make([]byte, minSessionKey)
		rand.Read(key)
		text = []byte(hex.EncodeToString(key) + "\n")
		err = embedded.WritePrivate(path, text)
	}
	if err != nil {
		return nil, fmt.Errorf("session key: %w", err)
	}
	keys, err := parseSessionKeys(string(bytes.TrimSpace(text)))
	if err != nil {
		return nil, fmt.Errorf("session key in %s: %w", path, err)
	}
	return keys, nil
}
