package config

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/metering"
)

const (
	defaultData     = "data"
	defaultDatabase = "inkfeed"
)

// BindData binds the folder of the embedded engine.
func (c *Config) BindData() {
	what := "the embedded engine's data"
	if c.keepsFiles {
		what += " and this server's own files"
	}
	c.Bind(Setting{Flag: "data", Variable: "INKFEED_DATA", Default: defaultData, Group: GroupStorage,
		Usage: "store " + what + " in this `folder`",
		Parse: func(text string) error {
			if c.Data = text; strings.TrimSpace(text) == "" {
				return errors.New("no folder is named")
			}
			return nil
		}})
}

// BindStore binds the place of the data, an account or the embedded engine, for commands that open it.
func (c *Config) BindStore() {
	c.BindData()
	c.Bind(
		Setting{Variable: "COSMOS_ENDPOINT", Group: GroupStorage, Parse: c.parseEndpoint,
			Usage: "`address` of an Azure Cosmos DB account; empty: the embedded engine in the data folder"},
		Setting{Variable: "COSMOS_KEY", Group: GroupStorage, Parse: c.parseKey,
			Usage: "`key` of the account, in base64; empty: the identity of the app or user authorizes requests"},
		Setting{Variable: "AZURE_CLIENT_ID", Group: GroupStorage, Parse: func(string) error { return nil },
			Usage: "client `id` of the user-assigned identity to use; empty: the identity that the system assigned"},
		Setting{Variable: "COSMOS_DATABASE", Default: defaultDatabase, Group: GroupStorage, Parse: c.parseDatabase,
			Usage: "`name` of the database; with a key, it is created with its containers if missing"},
		Setting{Variable: "COSMOS_REGIONS", Group: GroupStorage, Parse: c.parseRegions,
			Usage: "comma-separated `regions` of the account to read from, the preferred one first; empty: the write " +
				"region"},
		Setting{Variable: "COSMOS_INSECURE_TLS", Default: "false", Group: GroupStorage, Parse: Bool(&c.InsecureTLS),
			Usage: "true accepts any certificate of an account on a loopback address"})
	c.AddCheck(c.checkAccount)
}

func (c *Config) parseEndpoint(text string) error {
	c.Endpoint = text
	u, err := url.Parse(text)
	if text != "" && (err != nil || u.Scheme != "https" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "") {
		// The text may be a connection string, which contains the key, so the error does not repeat it.
		return errors.New("not an address like https://account.documents.azure.com:443/")
	}
	return nil
}

func (c *Config) parseKey(text string) error {
	c.Key = text
	if key, err := base64.StdEncoding.DecodeString(text); text != "" && (err != nil || len(key) == 0) {
		return errors.New("not an account key in base64")
	}
	return nil
}

func (c *Config) parseDatabase(text string) error {
	c.Database = text
	if !databasePattern.MatchString(text) || strings.HasSuffix(text, " ") {
		return fmt.Errorf("%q cannot name a database", text)
	}
	return nil
}

func (c *Config) parseRegions(text string) error {
	c.Regions = nil
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			c.Regions = append(c.Regions, name)
		} else if text != "" {
			return fmt.Errorf("%q is not like West Europe,North Europe", text)
		}
	}
	return nil
}

var databasePattern = regexp.MustCompile(`^[^/\\#?\s][^/\\#?]{0,254}$`)

// checkAccount checks the settings of the account together.
func (c *Config) checkAccount() error {
	switch {
	case c.Endpoint == "" && c.Key != "":
		return errors.New("COSMOS_ENDPOINT: not set, although COSMOS_KEY is")
	case c.Endpoint == "" && c.InsecureTLS:
		return errors.New("COSMOS_INSECURE_TLS: set without COSMOS_ENDPOINT")
	case c.Endpoint == "" && len(c.Regions) > 0:
		return errors.New("COSMOS_REGIONS: set without COSMOS_ENDPOINT")
	case c.Endpoint == "":
		return nil
	case c.InsecureTLS && !c.onThisMachine():
		return fmt.Errorf("COSMOS_INSECURE_TLS: true, but %s is not a loopback address", c.Endpoint)
	case c.Given("data") && !c.keepsFiles:
		return errors.New("--data: names the folder of the embedded engine, but COSMOS_ENDPOINT is set: " +
			"leave out one of them")
	}
	return nil
}

// Embedded reports whether the embedded engine stores the data, and not an account.
func (c *Config) Embedded() bool { return c.Endpoint == "" }

// onThisMachine reports whether the account is an engine on this machine, whose servers share a disk.
func (c *Config) onThisMachine() bool {
	u, err := url.Parse(c.Endpoint)
	return err == nil && IsLoopback(u.Hostname())
}

// feedRanges is the number of feed ranges of each container of the embedded engine. It is more than one, so that
// development and tests exercise several ranges.
const feedRanges = 2

// Open opens the configured database. It sets the account and the database in the options. The returned function closes
// the database.
func (c *Config) Open(ctx context.Context, options cosmos.Options, logger *slog.Logger) (*cosmos.Store, func(), error) {
	options.Endpoint, options.Key, options.Database, options.Regions = c.Endpoint, c.Key, c.Database, c.Regions
	explain := c.ExplainOpenError
	files, err := c.OpenFiles()
	if err != nil {
		return nil, nil, err
	}
	recorder := metering.NewRecorder(c.processName())
	options.Files, options.Observers = files, append(slices.Clone(options.Observers), recorder)
	closeEngine := func() {}
	switch {
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
	case c.InsecureTLS:
		options.Transport = InsecureTransport()
	}
	if c.usesIdentity() {
		who, err := c.credential()
		if err != nil {
			return nil, nil, c.explainIdentityError(who, err)
		}
		options.Credential = who
		explain = func(err error) error { return c.explainIdentityError(who, err) }
	}
	store, err := cosmos.Open(ctx, options)
	if err != nil {
		closeEngine()
		return nil, nil, explain(err)
	}
	for _, warning := range store.Warnings {
		logger.Warn("the account differs from what Inkfeed is made for", "difference", warning)
	}
	store.Recorder = recorder
	stopMeasuring := runRecorder(ctx, store, logger)
	return store, func() { stopMeasuring(); store.Close(); closeEngine() }, nil
}

// runRecorder stores what the requests of this process cost, until the returned function is called.
func runRecorder(ctx context.Context, store *cosmos.Store, logger *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { store.Recorder.Run(ctx, store.Costs, logger) })
	return func() { cancel(); running.Wait() }
}

// CheckData returns an error if the data folder contains no database, for commands that must not create one.
func (c *Config) CheckData() error {
	if !embedded.HasDatabase(c.Data) {
		return fmt.Errorf("--data or INKFEED_DATA: there is no data in %q", c.Data)
	}
	return nil
}

// CheckEmbedded returns an error if an account is configured, for commands on the embedded engine's files.
func (c *Config) CheckEmbedded() error {
	if !c.Embedded() {
		return errors.New("COSMOS_ENDPOINT: set, but this command backs up or restores the data of the embedded " +
			"engine only: unset it to use the folder of --data")
	}
	return nil
}

// ExplainOpenError adds the setting that prevented the connection to an account to the error.
func (c *Config) ExplainOpenError(err error) error {
	failed, answered := errors.AsType[*azcore.ResponseError](err)
	switch {
	case c.Embedded():
		return err
	case answered && strings.Contains(serviceMessage(failed), "Local Authorization is disabled"):
		return fmt.Errorf("COSMOS_KEY: %s accepts no keys: leave it unset to use an identity (docs/identity.md): %w",
			c.Endpoint, err)
	case answered && (failed.StatusCode == http.StatusUnauthorized || failed.StatusCode == http.StatusForbidden):
		return fmt.Errorf("COSMOS_KEY: not accepted by %s: %w", c.Endpoint, err)
	}
	return c.explainConnectionError(err)
}

// explainConnectionError adds the setting of the account to an error that has nothing to do with its key.
func (c *Config) explainConnectionError(err error) error {
	_, answered := errors.AsType[*azcore.ResponseError](err)
	_, region := errors.AsType[*client.UnknownRegionError](err)
	switch {
	case region:
		return fmt.Errorf("COSMOS_REGIONS: %w", err)
	case strings.Contains(err.Error(), "x509: "):
		return fmt.Errorf("COSMOS_ENDPOINT or COSMOS_INSECURE_TLS: %w", err)
	case answered:
		return err
	}
	return fmt.Errorf("COSMOS_ENDPOINT: %w", err)
}

// InsecureTransport returns a client that accepts any certificate. It connects to loopback addresses only, because an
// account can refer its clients to other addresses.
func InsecureTransport() policy.Transporter {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if host, _, err := net.SplitHostPort(addr); err != nil || !IsLoopback(host) {
				return nil, fmt.Errorf("COSMOS_INSECURE_TLS: the account leads to %s, which is not a loopback address",
					addr)
			}
			return dialer.DialContext(ctx, network, addr)
		},
		TLSClientConfig:     &tls.Config{InsecureSkipVerify: true},
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     90 * time.Second,
		ForceAttemptHTTP2:   true,
	}}
}
