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

// BindSessionKeys binds the secrets that sign session cookies.
func (c *Config) BindSessionKeys() {
	c.Bind(Setting{Variable: "INKFEED_SESSION_KEYS", Group: GroupServer,
		Usage: "comma-separated `keys` of at least 32 bytes in hexadecimal; the first signs session cookies and all " +
			"are accepted; required with an account, otherwise a key is generated in the data folder",
		Parse: func(text string) (err error) {
			if c.sessionKeys = text; text != "" {
				_, err = parseSessionKeys(text)
			}
			return err
		}})
	c.AddCheck(func() error {
		if c.sessionKeys == "" && !c.Embedded() {
			return errors.New("INKFEED_SESSION_KEYS: not set; instances on a Cosmos DB account must share their keys")
		}
		return nil
	})
}

// minSessionKey is the minimum length of a session key in bytes.
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

// SessionKeyFile is the name of the file in the data folder that holds the session key if none is configured.
const SessionKeyFile = "session.key"

// SessionKeys returns the configured keys. On the embedded engine, if none are configured, it returns the key in the
// data folder, and creates it if it is missing.
func (c *Config) SessionKeys() ([][]byte, error) {
	if c.sessionKeys != "" {
		return parseSessionKeys(c.sessionKeys)
	}
	path := filepath.Join(c.Data, SessionKeyFile)
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
