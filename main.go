// Command inkfeed is a multi-user blog on Azure Cosmos DB, or on an embedded
// engine that speaks the same protocol.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos"
	"inkfeed/cosmos/embedded"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			if ctx.Err() != nil {
				err = errors.New("interrupted")
			}
			fmt.Fprintln(os.Stderr, "inkfeed:", err)
		}
		os.Exit(1)
	}
}

// command is one word after the program's name. It adds its own flags to those
// that all commands take and returns what to do once they are parsed.
type command struct {
	help  string
	setup func(flags *flag.FlagSet, c *config) func(ctx context.Context, out output) error
}

// output is where a command writes: results to stdout; progress and logs to
// stderr.
type output struct{ stdout, stderr io.Writer }

const defaultCommand = "serve"

func commands() map[string]command {
	return map[string]command{
		"serve":       {"serve the blog (what happens without a command)", setupServe},
		"seed":        {"write sample data", setupSeed},
		"verify":      {"check every copy against its source", setupVerify},
		"backup":      {"copy the embedded engine's database, in use or not, to a file", setupBackup},
		"restore":     {"make a data folder of a backup", setupRestore},
		"split":       {"split a feed range of the embedded engine", setupSplit},
		"engine":      {"serve the embedded engine alone, over TLS, for other clients", setupEngine},
		"healthcheck": {"ask a running server whether it is alive", setupHealthcheck},
	}
}

// run is the program, without what belongs to the process.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	name := defaultCommand
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	if name == "help" {
		name = defaultCommand
		if len(args) > 0 {
			name = args[0]
		}
		args = []string{"--help"}
	}
	all := commands()
	cmd, ok := all[name]
	if !ok {
		return fmt.Errorf("there is no command %q; there are help, %s", name,
			strings.Join(slices.Sorted(maps.Keys(all)), ", "))
	}
	c := configFrom(getenv)
	flags := flag.NewFlagSet("inkfeed "+name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // a wrong flag is one line, printed by main
	c.register(flags, name)
	do := cmd.setup(flags, c)
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		usage(stdout, strings.TrimSpace(name+" "+c.operand), cmd, flags, all)
		return nil
	} else if err != nil {
		return err
	}
	switch {
	case c.operand == "" && flags.NArg() > 0:
		return fmt.Errorf("%s takes no argument %q", name, flags.Arg(0))
	case c.operand != "" && (flags.NArg() != 1 || flags.Arg(0) == ""):
		return fmt.Errorf("%s takes one %s, after its flags", name, c.operand)
	}
	if err := c.check(); err != nil {
		return err
	}
	flags.Visit(func(f *flag.Flag) { c.dataAsked = c.dataAsked || f.Name == "data" })
	if c.dataAsked && !c.embedded() && name != "engine" {
		return errors.New("--data: names the folder of the embedded engine, but COSMOS_ENDPOINT is set: leave out one of them")
	}
	return do(ctx, output{stdout, stderr})
}

func usage(w io.Writer, name string, cmd command, flags *flag.FlagSet, all map[string]command) {
	fmt.Fprintf(w, "inkfeed %s: %s\n\nFlags:\n", name, cmd.help)
	flags.SetOutput(w)
	flags.PrintDefaults()
	fmt.Fprintln(w, "\nEnvironment: COSMOS_ENDPOINT and COSMOS_KEY (an account; without them the embedded engine),")
	fmt.Fprintln(w, "COSMOS_DATABASE, COSMOS_INSECURE_TLS, INKFEED_SESSION_KEYS: see README.md.")
	fmt.Fprintln(w, "\nCommands (each has --help):")
	for _, other := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(w, "  %-12s %s\n", other, all[other].help)
	}
}

// config is what the environment and the flags say, as text: check validates
// it, and names the source of what is wrong.
type config struct {
	addr        string
	opsAddr     string
	data        string
	sessionKeys string
	endpoint    string
	key         string
	database    string
	insecureTLS string
	engineKey   string // of the engine command only
	dataAsked   bool   // by its flag
	operand     string // what a command takes besides flags, in capitals; "" is nothing
}

const defaultAddr = "127.0.0.1:8080"

func configFrom(getenv func(string) string) *config {
	or := func(name, otherwise string) string {
		if v := getenv(name); v != "" {
			return v
		}
		return otherwise
	}
	return &config{
		addr:        getenv("INKFEED_ADDR"),
		opsAddr:     getenv("INKFEED_OPS_ADDR"),
		data:        or("INKFEED_DATA", "data"),
		sessionKeys: getenv("INKFEED_SESSION_KEYS"),
		endpoint:    getenv("COSMOS_ENDPOINT"),
		key:         getenv("COSMOS_KEY"),
		database:    or("COSMOS_DATABASE", "inkfeed"),
		insecureTLS: or("COSMOS_INSECURE_TLS", "false"),
		engineKey:   getenv("INKFEED_ENGINE_KEY"),
	}
}

// register adds the flags every command takes. Secrets have none: other users
// of a machine can read a process's arguments.
func (c *config) register(flags *flag.FlagSet, command string) {
	if c.addr == "" {
		c.addr = defaultAddr
		if command == "engine" {
			c.addr = defaultEngineAddr
		}
	}
	flags.StringVar(&c.addr, "addr", c.addr, "serve, engine: listen on this `host:port`; healthcheck: ask there (INKFEED_ADDR)")
	flags.StringVar(&c.opsAddr, "ops-addr", c.opsAddr, "serve: Prometheus metrics on this `host:port`; empty: nowhere (INKFEED_OPS_ADDR)")
	flags.StringVar(&c.data, "data", c.data, "keep the embedded engine's data in this `folder` (INKFEED_DATA)")
}

var databasePattern = regexp.MustCompile(`^[^/\\#?\s][^/\\#?]{0,254}$`)

func (c *config) check() error {
	if err := checkAddr(c.addr); err != nil {
		return fmt.Errorf("--addr or INKFEED_ADDR: %w", err)
	}
	if err := checkAddr(c.opsAddr); c.opsAddr != "" && err != nil {
		return fmt.Errorf("--ops-addr or INKFEED_OPS_ADDR: %w", err)
	}
	if strings.TrimSpace(c.data) == "" {
		return errors.New("--data or INKFEED_DATA: no folder is named")
	}
	if _, err := parseSessionKeys(c.sessionKeys); c.sessionKeys != "" && err != nil {
		return fmt.Errorf("INKFEED_SESSION_KEYS: %w", err)
	}
	if !databasePattern.MatchString(c.database) || strings.HasSuffix(c.database, " ") {
		return fmt.Errorf("COSMOS_DATABASE: %q cannot name a database", c.database)
	}
	return c.checkCosmos()
}

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

// checkSessionKeys is asked by commands that need the keys, before they begin.
func (c *config) checkSessionKeys() error {
	if c.sessionKeys == "" && !c.embedded() {
		return errors.New("INKFEED_SESSION_KEYS: not set; instances on a Cosmos DB account must share their keys")
	}
	return nil
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
