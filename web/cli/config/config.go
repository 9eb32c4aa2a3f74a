// Package config is what the command line and the environment say: each setting is read,
// checked and named by what it is called there. A command obeys some of them.
package config

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"net"
	"strconv"
	"time"
)

// Config is what the environment and the flags say, as text. A command's setup
// registers the settings that the command obeys; Check validates those, and
// names the source of what is wrong.
type Config struct {
	Addr        string // to listen on or to ask
	Data        string // folder of the embedded engine
	Endpoint    string // of an account; empty: the embedded engine
	Key         string
	Database    string
	InsecureTLS string
	EngineKey   string // of the engine command only
	Operand     Operand
	Variables   []string // without a flag, that the command obeys

	sessionKeys string
	media       string    // folder of pictures, empty: in that of the data
	intervals   intervals // of the workers
	keepsFiles  bool      // whether the data folder is used with an account, too

	getenv func(string) string
	checks []func() error
}

// New reads the environment. Flags come on top as a command obeys them.
func New(getenv func(string) string) *Config {
	c := &Config{getenv: getenv}
	c.Data = c.or("INKFEED_DATA", "data")
	c.sessionKeys = getenv("INKFEED_SESSION_KEYS")
	c.Endpoint = getenv("COSMOS_ENDPOINT")
	c.Key = getenv("COSMOS_KEY")
	c.Database = c.or("COSMOS_DATABASE", "inkfeed")
	c.InsecureTLS = c.or("COSMOS_INSECURE_TLS", "false")
	c.media = getenv("INKFEED_MEDIA")
	c.EngineKey = getenv("INKFEED_ENGINE_KEY")
	return c
}

// or is a variable's value or, when it is not set, another.
func (c *Config) or(variable, otherwise string) string {
	return cmp.Or(c.getenv(variable), otherwise)
}

// Check validates what is obeyed, once the flags are parsed.
func (c *Config) Check() error {
	for _, check := range c.checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// Checking adds a check of a setting that one command has for itself.
func (c *Config) Checking(check func() error) { c.checks = append(c.checks, check) }

// DefaultAddr is where a server listens that is not told where.
const DefaultAddr = "127.0.0.1:8080"

// ObeyAddr registers the address to listen on or, of healthcheck, to ask.
func (c *Config) ObeyAddr(flags *flag.FlagSet, otherwise, what string) {
	flags.StringVar(&c.Addr, "addr", c.or("INKFEED_ADDR", otherwise), what+" (INKFEED_ADDR)")
	c.Checking(func() error {
		if err := CheckAddr(c.Addr); err != nil {
			return fmt.Errorf("--addr or INKFEED_ADDR: %w", err)
		}
		return nil
	})
}

// obeyDuration registers one setting that is a positive length of time.
func (c *Config) obeyDuration(flags *flag.FlagSet, d *time.Duration, name, variable, otherwise, what string) {
	text := flags.String(name, c.or(variable, otherwise), what+", a `time` such as "+otherwise+" ("+variable+")")
	c.Checking(func() error {
		var err error
		if *d, err = time.ParseDuration(*text); err == nil && *d <= 0 {
			err = errors.New("not positive")
		}
		if err != nil {
			return fmt.Errorf("--%s or %s: %q is not a time such as %s", name, variable, *text, otherwise)
		}
		return nil
	})
}

// CheckAddr tells what keeps a text from being host:port.
func CheckAddr(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%q is not host:port", addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%q has no port from 0 to 65535", addr)
	}
	return nil
}

// IsLoopback tells whether a host can be this machine only.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
