// Command inkfeed is a multi-user blog on Azure Cosmos DB, or on an embedded
// engine that speaks the same protocol.
package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
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
	"inkfeed/cosmos/media"
	"inkfeed/web"
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

// command is a word or two after the program's name. It registers the settings
// that it obeys and returns what to do once they are parsed and checked.
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
		"serve":             {"serve the blog (what happens without a command)", setupServe},
		"seed":              {"write sample data", setupSeed},
		"import":            {"bring the posts of another blog, or an export, to a user's", setupImport},
		"verify":            {"check every copy against its source", setupVerify},
		"rebuild":           {"make every copy anew from its source, beside live traffic", setupRebuild},
		"deadletters list":  {"show the changes that could not be projected", setupDeadLettersList},
		"deadletters retry": {"project them again", setupDeadLettersRetry},
		"user list":         {"show the users", setupUserList},
		"user show":         {"show one user, and the ways to log in", setupUserShow},
		"user promote":      {"give a user a role: administrator, or another", setupUserPromote},
		"user suspend":      {"let nobody but moderators find a user", setupUserSuspend},
		"user restore":      {"end a suspension", setupUserRestore},
		"user password":     {"set a user's password", setupUserPassword},
		"user factors":      {"take the second factors from a user who has lost them", setupUserFactors},
		"backup":            {"copy the embedded engine's database, in use or not, to a file", setupBackup},
		"restore":           {"make a data folder of a backup", setupRestore},
		"split":             {"split a feed range of the embedded engine", setupSplit},
		"engine":            {"serve the embedded engine alone, over TLS, for other clients", setupEngine},
		"healthcheck":       {"ask a running server whether it is alive", setupHealthcheck},
	}
}

// run is the program, without what belongs to the process.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	all := commands()
	help := len(args) > 0 && args[0] == "help"
	if help {
		args = args[1:]
	}
	if group, ok := asksAbout(args, help, all); ok {
		overview(stdout, group, all)
		return nil
	}
	name, args, err := choose(args, all)
	if err != nil {
		return err
	}
	if help {
		args = []string{"--help"}
	}
	c := configFrom(getenv)
	flags := flag.NewFlagSet("inkfeed "+name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // a wrong flag is one line, printed by main
	do := all[name].setup(flags, c)
	if err := c.operand.parse(flags, args); errors.Is(err, flag.ErrHelp) {
		usage(stdout, name, flags, c, all)
		return nil
	} else if err != nil {
		return err
	}
	if err := c.operand.check(name, flags.Args()); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	return do(ctx, output{stdout, stderr})
}

// choose takes the name of a command, of one word or two, off the arguments.
func choose(args []string, all map[string]command) (name string, rest []string, err error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return defaultCommand, args, nil
	}
	for words := range min(2, len(args)) {
		name := strings.Join(args[:words+1], " ")
		if _, ok := all[name]; ok {
			return name, args[words+1:], nil
		}
	}
	names := slices.Sorted(maps.Keys(all))
	var second []string
	for _, name := range names {
		if rest, ok := strings.CutPrefix(name, args[0]+" "); ok {
			second = append(second, rest)
		}
	}
	if second != nil {
		return "", nil, fmt.Errorf("%s is followed by %s", args[0], strings.Join(second, " or "))
	}
	return "", nil, fmt.Errorf("there is no command %q; there are help, %s", args[0], strings.Join(names, ", "))
}

// asksAbout tells whether help is wanted with commands that share their first word.
func asksAbout(args []string, help bool, all map[string]command) (group string, ok bool) {
	switch {
	case len(args) == 1 && help:
	case len(args) > 1 && slices.Contains([]string{"help", "-h", "-help", "--help"}, args[1]):
	default:
		return "", false
	}
	for name := range all {
		if strings.HasPrefix(name, args[0]+" ") {
			return args[0], true
		}
	}
	return "", false
}

// overview lists the commands of a group.
func overview(w io.Writer, group string, all map[string]command) {
	fmt.Fprintf(w, "inkfeed %s is followed by one of these (each has --help):\n", group)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(name, group+" ") {
			fmt.Fprintf(w, "  %-18s %s\n", name, all[name].help)
		}
	}
}

// operand is what a command takes besides its flags. The zero value is nothing.
type operand struct {
	name string // in capitals
	many bool   // any number, none too; otherwise exactly one
}

func (o operand) String() string {
	if o.many {
		return "[" + o.name + "...]"
	}
	return o.name
}

// parse lets flags come after the one thing that a command takes, too, as people type them.
func (o operand) parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil || o.name == "" || o.many {
		return err
	}
	if given := flags.Args(); len(given) > 1 && strings.HasPrefix(given[1], "-") {
		if err := flags.Parse(given[1:]); err != nil {
			return err
		}
		return flags.Parse(append([]string{"--", given[0]}, flags.Args()...))
	}
	return nil
}

func (o operand) check(command string, given []string) error {
	switch {
	case o.name == "" && len(given) > 0:
		return fmt.Errorf("%s takes no argument %q", command, given[0])
	case o.name != "" && !o.many && len(given) != 1, slices.Contains(given, ""):
		return fmt.Errorf("%s takes one %s", command, o.name)
	}
	for _, g := range given {
		if o.many && strings.HasPrefix(g, "-") {
			return fmt.Errorf("%s takes its flags, such as %s, before %s", command, g, o)
		}
	}
	return nil
}

func usage(w io.Writer, name string, flags *flag.FlagSet, c *config, all map[string]command) {
	fmt.Fprintf(w, "inkfeed %s: %s\n\nFlags:\n", strings.TrimSpace(name+" "+c.operand.String()), all[name].help)
	flags.SetOutput(w)
	flags.PrintDefaults()
	if len(c.variables) > 0 {
		fmt.Fprintf(w, "\nEnvironment, besides the variables of flags (see README.md):\n  %s\n", strings.Join(c.variables, "\n  "))
	}
	fmt.Fprintln(w, "\nCommands (each has --help):")
	for _, other := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(w, "  %-18s %s\n", other, all[other].help)
	}
}

// config is what the environment and the flags say, as text. A command's setup
// registers the settings that the command obeys; check validates those, and
// names the source of what is wrong.
type config struct {
	addr        string
	opsAddr     string
	pprof       bool
	data        string
	sessionKeys string
	endpoint    string
	key         string
	database    string
	insecureTLS string
	media       string    // folder of pictures, empty: in that of the data
	engineKey   string    // of the engine command only
	intervals   intervals // of the workers
	keepsFiles  bool      // whether the data folder is used with an account, too
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
	c.media = getenv("INKFEED_MEDIA")
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

// obeyFolder registers the folder of the embedded engine, for commands that are
// about its files.
func (c *config) obeyFolder(flags *flag.FlagSet) {
	what := "the embedded engine's data"
	if c.keepsFiles {
		what += " and this server's own files"
	}
	flags.StringVar(&c.data, "data", c.data, "keep "+what+" in this `folder` (INKFEED_DATA)")
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
		if asked && !c.embedded() && !c.keepsFiles {
			return errors.New("--data: names the folder of the embedded engine, but COSMOS_ENDPOINT is set: leave out one of them")
		}
		return nil
	})
}

// obeyMedia registers where the files of pictures are, for commands that keep some or
// that run workers, which delete them. The variables of Azure Blob
// Storage have no flags: they hold secrets.
func (c *config) obeyMedia(flags *flag.FlagSet) {
	flags.StringVar(&c.media, "media", c.media, "keep pictures in this `folder`; empty: media in the data folder (INKFEED_MEDIA)")
	c.variables = append(c.variables,
		"INKFEED_BLOB_CONTAINER_URL: keep pictures in Azure Blob Storage, by a signed address, or",
		"INKFEED_BLOB_CONTAINER and AZURE_STORAGE_CONNECTION_STRING: by name and account")
	c.checking(func() error {
		blobs := c.blobs()
		switch {
		case c.media != "" && c.keepsBlobs():
			return errors.New("--media or INKFEED_MEDIA: names a folder, but pictures are in Azure Blob Storage by INKFEED_BLOB_CONTAINER_URL or INKFEED_BLOB_CONTAINER: leave out one of them")
		case blobs.ContainerURL != "" && blobs.Container != "":
			return errors.New("INKFEED_BLOB_CONTAINER_URL: set, and INKFEED_BLOB_CONTAINER as well: leave out one of them")
		case blobs.Container != "" && blobs.ConnectionString == "":
			return errors.New("AZURE_STORAGE_CONNECTION_STRING: not set, although INKFEED_BLOB_CONTAINER is")
		case blobs.Container != "" && !blobContainerPattern.MatchString(blobs.Container):
			return fmt.Errorf("INKFEED_BLOB_CONTAINER: %q cannot name a container", blobs.Container)
		case blobs.ContainerURL != "":
			return checkContainerURL(blobs.ContainerURL)
		}
		return nil
	})
}

var blobContainerPattern = regexp.MustCompile(`^[a-z0-9](-?[a-z0-9]){2,62}$`)

// checkContainerURL does not repeat the address, which holds a secret.
func checkContainerURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || strings.Trim(u.Path, "/") == "" ||
		u.Scheme != "https" && !(u.Scheme == "http" && isLoopback(u.Hostname())) {
		return errors.New("INKFEED_BLOB_CONTAINER_URL: not like https://account.blob.core.windows.net/container?sv=VERSION&sig=SIGNATURE")
	}
	return nil
}

func (c *config) blobs() media.BlobOptions {
	o := media.BlobOptions{ContainerURL: c.getenv("INKFEED_BLOB_CONTAINER_URL"), Container: c.getenv("INKFEED_BLOB_CONTAINER")}
	if o.Container != "" { // other programs obey the variable, too
		o.ConnectionString = c.getenv("AZURE_STORAGE_CONNECTION_STRING")
	}
	return o
}

func (c *config) keepsBlobs() bool { return c.blobs().ContainerURL != "" || c.blobs().Container != "" }

// mediaFolder is where pictures are in a data folder, unless told otherwise.
const mediaFolder = "media"

// files are those of the pictures.
type files interface {
	web.Files
	// Prepare makes what is missing, and finds out whether files can be kept.
	Prepare(ctx context.Context) error
}

// mediaSetting names the setting that says where pictures are.
func (c *config) mediaSetting() string {
	switch {
	case c.blobs().ContainerURL != "":
		return "INKFEED_BLOB_CONTAINER_URL"
	case c.blobs().Container != "":
		return "INKFEED_BLOB_CONTAINER or AZURE_STORAGE_CONNECTION_STRING"
	}
	return "--media or INKFEED_MEDIA"
}

// mediaPath is the folder of the pictures, when they are in one.
func (c *config) mediaPath() string { return cmp.Or(c.media, filepath.Join(c.data, mediaFolder)) }

// openFiles neither makes nor asks for anything.
func (c *config) openFiles() (files, error) {
	if !c.keepsBlobs() {
		return media.NewDisk(c.mediaPath()), nil
	}
	blobs, err := media.NewBlobs(c.blobs())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.mediaSetting(), err)
	}
	return blobs, nil
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
	if c.key == "" {
		return errors.New("COSMOS_KEY: not set, although COSMOS_ENDPOINT is")
	}
	if key, err := base64.StdEncoding.DecodeString(c.key); err != nil || len(key) == 0 {
		return errors.New("COSMOS_KEY: not an account key in base64")
	}
	return nil
}

func (c *config) embedded() bool { return c.endpoint == "" }

// onThisMachine tells whether the account is an engine here, whose servers share a disk.
func (c *config) onThisMachine() bool {
	u, err := url.Parse(c.endpoint)
	return err == nil && isLoopback(u.Hostname())
}

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

// feedRanges is how many feed ranges the embedded engine gives each container:
// more than one, so that what runs on it is ready for many.
const feedRanges = 2

// open opens the configured database, at the place and with the key that the
// configuration says and otherwise by options. The returned function closes it.
func (c *config) open(ctx context.Context, options cosmos.Options, logger *slog.Logger) (*cosmos.Store, func(), error) {
	options.Endpoint, options.Key, options.Database = c.endpoint, c.key, c.database
	files, err := c.openFiles()
	if err != nil {
		return nil, nil, err
	}
	options.Files = files
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

// intervals are the times that the workers of this process keep.
type intervals struct {
	acquire, renew, expiration, poll time.Duration
}

// obeyIntervals registers the workers' intervals, for commands that run
// workers. Processes that share leases should agree on them.
func (c *config) obeyIntervals(flags *flag.FlagSet) {
	w := &c.intervals
	c.obeyDuration(flags, &w.acquire, "lease-acquire", "INKFEED_LEASE_ACQUIRE", "13s", "look this often which leases to take")
	c.obeyDuration(flags, &w.renew, "lease-renew", "INKFEED_LEASE_RENEW", "17s", "renew leases this often; at most half of their expiration")
	c.obeyDuration(flags, &w.expiration, "lease-expiration", "INKFEED_LEASE_EXPIRATION", "60s", "others take a lease that was not renewed for so long")
	c.obeyDuration(flags, &w.poll, "poll", "INKFEED_POLL", "500ms", "read a drained change feed this often for what other processes write")
	c.checking(func() error {
		switch {
		case w.renew > w.expiration/2:
			return fmt.Errorf("--lease-renew or INKFEED_LEASE_RENEW: %s is more than half of --lease-expiration or INKFEED_LEASE_EXPIRATION, %s: one late renewal would lose the lease", w.renew, w.expiration)
		case w.acquire >= w.expiration:
			return fmt.Errorf("--lease-acquire or INKFEED_LEASE_ACQUIRE: %s is not less than --lease-expiration or INKFEED_LEASE_EXPIRATION, %s", w.acquire, w.expiration)
		}
		return nil
	})
}

// obeyDuration registers one setting that is a positive length of time.
func (c *config) obeyDuration(flags *flag.FlagSet, d *time.Duration, name, variable, otherwise, what string) {
	text := flags.String(name, c.or(variable, otherwise), what+", a `time` such as "+otherwise+" ("+variable+")")
	c.checking(func() error {
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
