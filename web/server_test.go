package web_test

import (
	"bytes"
	"testing"

	"inkfeed/web"
	"inkfeed/web/webtest"
)

func TestNewRefusesAnIncompleteConfiguration(t *testing.T) {
	whole := webtest.Config(webtest.NewDatabase(t), &bytes.Buffer{}, webtest.KeyOne)
	for name, change := range map[string]func(*web.Config){
		"no key":      func(c *web.Config) { c.SessionKeys = nil },
		"a short key": func(c *web.Config) { c.SessionKeys = [][]byte{webtest.KeyOne, []byte("short")} },
		"no feed":     func(c *web.Config) { c.Feed = nil },
		"no logger":   func(c *web.Config) { c.Logger = nil },
	} {
		c := whole
		change(&c)
		if _, err := web.New(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
