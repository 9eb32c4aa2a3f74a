// Package config reads and validates the settings of commands, and opens the database and the picture storage
// that they name. Its errors name the setting that is wrong.
package config

import (
	"cmp"
	"fmt"
	"net"
	"strconv"

	"inkfeed/cosmos/identity"
)

// Config holds the settings of one command. The command first binds the settings that it uses, then Load reads
// and validates these.
type Config struct {
	Addr        string // to listen on or to ask
	Data        string // folder of the embedded engine
	Endpoint    string // of an account; empty: the embedded engine
	Key         string // empty with an account: an identity authorizes requests
	Database    string
	Regions     []string // to read from, the preferred one first
	InsecureTLS bool

	// Operand describes the arguments that the command takes besides its flags, such as FILE for one and
	// [ID...] for any number. It is empty for none.
	Operand  string
	Operands []string  // the arguments
	Settings []Setting // that the command uses

	sessionKeys string
	media       string            // folder of pictures, empty: in that of the data
	intervals   intervals         // of the workers
	keepsFiles  bool              // the data folder is used with an account, too
	process     string            // see processName
	given       map[string]string // values of the flags that were given, by name

	azure  *identity.Credential // set when first used
	getenv func(string) string
	checks []func() error
}

// New returns a configuration that takes the values of environment variables from getenv. An empty value is the
// same as none.
func New(getenv func(string) string) *Config {
	return &Config{getenv: getenv, Data: cmp.Or(getenv("INKFEED_DATA"), defaultData), media: getenv("INKFEED_MEDIA"),
		Endpoint: getenv("COSMOS_ENDPOINT"), Key: getenv("COSMOS_KEY"),
		Database:    cmp.Or(getenv("COSMOS_DATABASE"), defaultDatabase),
		InsecureTLS: isTrue(getenv("COSMOS_INSECURE_TLS"))}
}

func isTrue(text string) bool {
	is, _ := strconv.ParseBool(text)
	return is
}

// Bind adds settings that the command uses.
func (c *Config) Bind(settings ...Setting) { c.Settings = append(c.Settings, settings...) }

// Given reports whether a flag was given, even if with its default. It may be called by checks and later.
func (c *Config) Given(flag string) bool {
	_, ok := c.given[flag]
	return ok
}

// AddCheck adds a check that runs when all settings are read, such as one of two settings together.
func (c *Config) AddCheck(check func() error) { c.checks = append(c.checks, check) }

// Load reads the bound settings from the flags that were given, by name, from the environment or from the
// defaults, and validates them.
func (c *Config) Load(given map[string]string) error {
	for _, s := range c.Settings {
		text, ok := given[s.Flag]
		if !ok {
			text = s.Default
			if s.Variable != "" {
				text = cmp.Or(c.getenv(s.Variable), text)
			}
		}
		if err := s.Parse(text); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	c.given = given
	for _, check := range c.checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// DefaultAddr is the address on which a server listens by default.
const DefaultAddr = "127.0.0.1:8080"

// BindAddr binds the address to listen on or, for healthcheck, to ask.
func (c *Config) BindAddr(defaultAddr, usage string) {
	c.Bind(Setting{Flag: "addr", Variable: "INKFEED_ADDR", Default: defaultAddr, Usage: usage, Group: GroupServer,
		Parse: func(text string) error {
			c.Addr = text
			return CheckAddr(text)
		}})
}

// CheckAddr returns an error unless a text has the form host:port.
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

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
