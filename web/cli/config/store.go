package config

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos"
	"inkfeed/cosmos/embedded"
)

// ObeyFolder registers the folder of the embedded engine, for commands that are
// about its files.
func (c *Config) ObeyFolder(flags *flag.FlagSet) {
	what := "the embedded engine's data"
	if c.keepsFiles {
		what += " and this server's own files"
	}
	flags.StringVar(&c.Data, "data", c.Data, "keep "+what+" in this `folder` (INKFEED_DATA)")
	c.Checking(func() error {
		if strings.TrimSpace(c.Data) == "" {
			return errors.New("--data or INKFEED_DATA: no folder is named")
		}
		return nil
	})
}

// ObeyStore registers where the data is, an account or the embedded engine, for
// commands that open it.
func (c *Config) ObeyStore(flags *flag.FlagSet) {
	c.ObeyFolder(flags)
	c.Variables = append(c.Variables,
		"COSMOS_ENDPOINT and COSMOS_KEY: an account; without them the embedded engine",
		"COSMOS_DATABASE, COSMOS_INSECURE_TLS: about the account")
	c.Checking(func() error {
		if !databasePattern.MatchString(c.Database) || strings.HasSuffix(c.Database, " ") {
			return fmt.Errorf("COSMOS_DATABASE: %q cannot name a database", c.Database)
		}
		if err := c.checkCosmos(); err != nil {
			return err
		}
		asked := false
		flags.Visit(func(f *flag.Flag) { asked = asked || f.Name == "data" })
		if asked && !c.Embedded() && !c.keepsFiles {
			return errors.New("--data: names the folder of the embedded engine, but COSMOS_ENDPOINT is set: leave out one of them")
		}
		return nil
	})
}

var databasePattern = regexp.MustCompile(`^[^/\\#?\s][^/\\#?]{0,254}$`)

func (c *Config) checkCosmos() error {
	insecure, err := strconv.ParseBool(c.InsecureTLS)
	if err != nil {
		return fmt.Errorf("COSMOS_INSECURE_TLS: %q is neither true nor false", c.InsecureTLS)
	}
	switch {
	case c.Endpoint == "" && c.Key != "":
		return errors.New("COSMOS_ENDPOINT: not set, although COSMOS_KEY is")
	case c.Endpoint == "" && insecure:
		return errors.New("COSMOS_INSECURE_TLS: set without COSMOS_ENDPOINT")
	case c.Endpoint == "":
		return nil
	}
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" {
		return fmt.Errorf("COSMOS_ENDPOINT: %q is not like https://account.documents.azure.com:443/", c.Endpoint)
	}
	if insecure && !IsLoopback(u.Hostname()) {
		return fmt.Errorf("COSMOS_INSECURE_TLS: a certificate is not to be ignored on %s, which is not a loopback address", u.Hostname())
	}
	if c.Key == "" {
		return errors.New("COSMOS_KEY: not set, although COSMOS_ENDPOINT is")
	}
	if key, err := base64.StdEncoding.DecodeString(c.Key); err != nil || len(key) == 0 {
		return errors.New("COSMOS_KEY: not an account key in base64")
	}
	return nil
}

// Embedded tells whether the data is the embedded engine's, not an account's.
func (c *Config) Embedded() bool { return c.Endpoint == "" }

// onThisMachine tells whether the account is an engine here, whose servers share a disk.
func (c *Config) onThisMachine() bool {
	u, err := url.Parse(c.Endpoint)
	return err == nil && IsLoopback(u.Hostname())
}

// feedRanges is how many feed ranges the embedded engine gives each container:
// more than one, so that what runs on it is ready for many.
const feedRanges = 2

// Open opens the configured database, at the place and with the key that the
// configuration says and otherwise by options. The returned function closes it.
func (c *Config) Open(ctx context.Context, options cosmos.Options, logger *slog.Logger) (*cosmos.Store, func(), error) {
	options.Endpoint, options.Key, options.Database = c.Endpoint, c.Key, c.Database
	files, err := c.OpenFiles()
	if err != nil {
		return nil, nil, err
	}
	options.Files = files
	closeEngine := func() {}
	switch insecure, _ := strconv.ParseBool(c.InsecureTLS); {
	case c.Embedded():
		if err := c.CheckData(); options.Existing && err != nil {
			return nil, nil, err
		}
		engine, err := embedded.Open(c.Data, embedded.Options{Ranges: feedRanges, Logger: logger})
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
		options.Transport = InsecureTransport()
	}
	store, err := cosmos.Open(ctx, options)
	if err != nil {
		closeEngine()
		return nil, nil, c.Blame(err)
	}
	return store, func() { store.Close(); closeEngine() }, nil
}

// CheckData is asked by commands that are to make no data where there is none.
func (c *Config) CheckData() error {
	if !embedded.Holds(c.Data) {
		return fmt.Errorf("--data or INKFEED_DATA: there is no data in %q", c.Data)
	}
	return nil
}

// CheckEmbedded is asked by commands for the files of the embedded engine.
func (c *Config) CheckEmbedded() error {
	if !c.Embedded() {
		return errors.New("COSMOS_ENDPOINT: set, but only the embedded engine's data can be backed up and restored here: unset it to do so with the folder of --data")
	}
	return nil
}

// Blame names the setting that an account cannot be opened with.
func (c *Config) Blame(err error) error {
	failed, answered := errors.AsType[*azcore.ResponseError](err)
	switch {
	case c.Embedded():
		return err
	case answered && (failed.StatusCode == http.StatusUnauthorized || failed.StatusCode == http.StatusForbidden):
		return fmt.Errorf("COSMOS_KEY: not accepted by %s: %w", c.Endpoint, err)
	case strings.Contains(err.Error(), "x509: "):
		return fmt.Errorf("COSMOS_ENDPOINT or COSMOS_INSECURE_TLS: %w", err)
	case answered:
		return err
	}
	return fmt.Errorf("COSMOS_ENDPOINT: %w", err)
}

// InsecureTransport accepts any certificate, and connects to loopback addresses
// only: an account may name other addresses than the one it was asked at.
func InsecureTransport() policy.Transporter {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if host, _, err := net.SplitHostPort(addr); err != nil || !IsLoopback(host) {
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
