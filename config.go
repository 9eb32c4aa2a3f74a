package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos"
	"inkfeed/cosmos/embedded"
)

// config is what the environment and the flags say, as text. A command's setup
// registers the settings that the command obeys; check validates those, and
// names the source of what is wrong.
type config struct {
	addr        string
	opsAddr     string
	data        string
	sessionKeys string
	endpoint    string
	key         string
	database    string
	insecureTLS string
	engineKey   string    // of the engine command only
	intervals   intervals // of the workers
	operand     operand

	getenv    func(string) string
	checks    []func() error
	variables []string // without a flag, that the command obeys
}

func configFrom(getenv func(string) string) *config {
	c := &config{getenv: getenv}
	c.data = c.or("INKFEED_DATA", "data")
	c.sessionKeys = getenv("INKFEED_SESSION_KEYS")
	c.endpoint = getenv("COSMOS_ENDPOINT")
	c.key = getenv("COSMOS_KEY")
	c.database = c.or("COSMOS_DATABASE", "inkfeed")
	c.insecureTLS = c.or("COSMOS_INSECURE_TLS", "false")
	c.engineKey = getenv("INKFEED_ENGINE_KEY")
	return c
}

// or is a variable's value or, when it is not set, another.
func (c *config) or(variable, otherwise string) string {
	return cmp.Or(c.getenv(variable), otherwise)
}

func (c *config) check() error {
	for _, check := range c.checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *config) checking(check func() error) { c.checks = append(c.checks, check) }

const defaultAddr = "127.0.0.1:8080"

// obeyAddr registers the address to listen on or, of healthcheck, to ask.
func (c *config) obeyAddr(flags *flag.FlagSet, otherwise, what string) {
	flags.StringVar(&c.addr, "addr", c.or("INKFEED_ADDR", otherwise), what+" (INKFEED_ADDR)")
	c.checking(func() error {
		if err := checkAddr(c.addr); err != nil {
			return fmt.Errorf("--addr or INKFEED_ADDR: %w", err)
		}
		return nil
	})
}

func (c *config) obeyOpsAddr(flags *flag.FlagSet) {
	flags.StringVar(&c.opsAddr, "ops-addr", c.getenv("INKFEED_OPS_ADDR"), "Prometheus metrics on this `host:port`; empty: nowhere (INKFEED_OPS_ADDR)")
	c.checking(func() error {
		if err := checkAddr(c.opsAddr); c.opsAddr != "" && err != nil {
			return fmt.Errorf("--ops-addr or INKFEED_OPS_ADDR: %w", err)
		}
		return nil
	})
}

// obeyFolder registers the folder of the embedded engine, for commands that are
// about its files.
func (c *config) obeyFolder(flags *flag.FlagSet) {
	flags.StringVar(&c.data, "data", c.data, "keep the embedded engine's data in this `folder` (INKFEED_DATA)")
	c.checking(func() error {
		if strings.TrimSpace(c.data) == "" {
			return errors.New("--data or INKFEED_DATA: no folder is named")
		}
		return nil
	})
}

// obeyStore registers where the data is, an account or the embedded engine, for
// commands that open it.
func (c *config) obeyStore(flags *flag.FlagSet) {
	c.obeyFolder(flags)
	c.variables = append(c.variables,
		"COSMOS_ENDPOINT and COSMOS_KEY: an account; without them the embedded engine",
		"COSMOS_DATABASE, COSMOS_INSECURE_TLS: about the account")
	c.checking(func() error {
		if !databasePattern.MatchString(c.database) || strings.HasSuffix(c.database, " ") {
			return fmt.Errorf("COSMOS_DATABASE: %q cannot name a database", c.database)
		}
		if err := c.checkCosmos(); err != nil {
			return err
		}
		asked := false
		flags.Visit(func(f *flag.Flag) { asked = asked || f.Name == "data" })
		if asked && !c.embedded() {
			return errors.New("--data: names the folder of the embedded engine, but COSMOS_ENDPOINT is set: leave out one of them")
		}
		return nil
	})
}

// obeySessionKeys registers the secrets of the session cookies. They have no
// flag: other users of a machine can read a process's arguments.
func (c *config) obeySessionKeys() {
	c.variables = append(c.variables, "INKFEED_SESSION_KEYS: needed with an account")
	c.checking(func() error {
		if _, err := parseSessionKeys(c.sessionKeys); c.sessionKeys != "" && err != nil {
			return fmt.Errorf("INKFEED_SESSION_KEYS: %w", err)
		}
		if c.sessionKeys == "" && !c.embedded() {
			return errors.New("INKFEED_SESSION_KEYS: not set; instances on a Cosmos DB account must share their keys")
		}
		return nil
	})
}

var databasePattern = regexp.MustCompile(`^[^/\\#?\s][^/\\#?]{0,254}$`)

func (c *config) checkCosmos() error {
	insecure, err := strconv.ParseBool(c.insecureTLS)
	if err != nil {
		return fmt.Errorf("COSMOS_INSECURE_TLS: %q is neither true nor false", c.insecureTLS)
	}
	switch {
	case c.endpoint == "" && c.key != "":
		return errors.New("COSMOS_ENDPOINT: not set, although COSMOS_KEY is")
	case c.endpoint == "" && insecure:
		return errors.New("COSMOS_INSECURE_TLS: set without COSMOS_ENDPOINT")
	case c.endpoint == "":
		return nil
	}
	u, err := url.Parse(c.endpoint)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" {
		return fmt.Errorf("COSMOS_ENDPOINT: %q is not like https://account.documents.azure.com:443/", c.endpoint)
	}
	if insecure && !isLoopback(u.Hostname()) {
		return fmt.Errorf("COSMOS_INSECURE_TLS: a certificate is not to be ignored on %s, which is not a loopback address", u.Hostname())
	}
	if key, err := base64.StdEncoding.DecodeString(c.key); err != nil || len(key) == 0 {
		return errors.New("COSMOS_KEY: not an account key in base64")
	}
	return nil
}

func (c *config) embedded() bool { return c.endpoint == "" }

func checkAddr(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%q is not host:port", addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%q has no port from 0 to 65535", addr)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
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

// loadSessionKeys returns the configured keys or, on the embedded engine, the
// one made for this data directory, making it first if there is none.
func (c *config) loadSessionKeys() ([][]byte, error) {
	if c.sessionKeys != "" {
		return parseSessionKeys(c.sessionKeys)
	}
	path := filepath.Join(c.data, "session.key")
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

// feedRanges is how many feed ranges the embedded engine gives each container:
// more than one, so that what runs on it is ready for many.
const feedRanges = 2

// open opens the configured database, at the place and with the key that the
// configuration says and otherwise by options. The returned function closes it.
func (c *config) open(ctx context.Context, options cosmos.Options, logger *slog.Logger) (*cosmos.Store, func(), error) {
	options.Endpoint, options.Key, options.Database = c.endpoint, c.key, c.database
	closeEngine := func() {}
	switch insecure, _ := strconv.ParseBool(c.insecureTLS); {
	case c.embedded():
		if err := c.checkData(); options.Existing && err != nil {
			return nil, nil, err
		}
		engine, err := embedded.Open(c.data, embedded.Options{Ranges: feedRanges, Logger: logger})
		if err != nil {
			return nil, nil, fmt.Errorf("--data or INKFEED_DATA: %w", err)
		}
		options.Endpoint, options.Key, options.Transport = engine.Endpoint(), engine.Key(), engine
		closeEngine = func() {
			if err := engine.Close(); err != nil {
				logger.Error("cannot close the embedded engine", "error", err)
			}
		}
	case insecure:
		options.Transport = insecureTransport()
	}
	store, err := cosmos.Open(ctx, options)
	if err != nil {
		closeEngine()
		return nil, nil, c.blame(err)
	}
	return store, func() { store.Close(); closeEngine() }, nil
}

// checkData is asked by commands that are to make no data where there is none.
func (c *config) checkData() error {
	if !embedded.Holds(c.data) {
		return fmt.Errorf("--data or INKFEED_DATA: there is no data in %q", c.data)
	}
	return nil
}

// blame names the setting that an account cannot be opened with.
func (c *config) blame(err error) error {
	failed, answered := errors.AsType[*azcore.ResponseError](err)
	switch {
	case c.embedded():
		return err
	case answered && (failed.StatusCode == http.StatusUnauthorized || failed.StatusCode == http.StatusForbidden):
		return fmt.Errorf("COSMOS_KEY: not accepted by %s: %w", c.endpoint, err)
	case strings.Contains(err.Error(), "x509: "):
		return fmt.Errorf("COSMOS_ENDPOINT or COSMOS_INSECURE_TLS: %w", err)
	case answered:
		return err
	}
	return fmt.Errorf("COSMOS_ENDPOINT: %w", err)
}

// insecureTransport accepts any certificate, and connects to loopback addresses
// only: an account may name other addresses than the one it was asked at.
func insecureTransport() policy.Transporter {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if host, _, err := net.SplitHostPort(addr); err != nil || !isLoopback(host) {
				return nil, fmt.Errorf("COSMOS_INSECURE_TLS: the account leads to %s, which is not a loopback address", addr)
			}
			return dialer.DialContext(ctx, network, addr)
		},
		TLSClientConfig:     &tls.Config{InsecureSkipVerify: true},
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     90 * time.Second,
		ForceAttemptHTTP2:   true,
	}}
}
