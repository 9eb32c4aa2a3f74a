package cli

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"strings"
	"syscall"
	"time"

	"inkfeed/cosmos/embedded"
	"inkfeed/web/cli/config"
	"inkfeed/web/graceful"
)

const (
	defaultEngineAddr = "localhost:8081"
	// engineFinishTime is less than the 10 seconds that containers are given to stop.
	engineFinishTime = 6 * time.Second
)

// noExplorer answers the flags of the data explorer of earlier releases.
const noExplorer = "the engine has no data explorer; use any client of Azure Cosmos DB with its address and key"

// engineFlags are the flags of the engine command alone.
type engineFlags struct {
	key            string
	secondaryKey   string
	ranges         int
	identity       string
	certificate    string
	certificateKey string
	enforce        bool
	throughput     int
	permissive     bool
	splitPages     uint64
}

func setupEngine(c *config.Config) func(context.Context, output) error {
	var f engineFlags
	c.Bind(
		config.Setting{Flag: "key", Variable: "INKFEED_ENGINE_KEY", Parse: f.parseKeys,
			Usage: "`key` of the account in base64, or two keys separated by a comma, which are both accepted; " +
				"empty: the well-known key of emulators, on loopback addresses only"},
		config.Flag("ranges", "1", config.Int(&f.ranges, 1, embedded.MaxRanges),
			"least `number` of feed ranges of a new container"),
		config.Switch("enforce-throughput", &f.enforce,
			"answer 429 to requests that exceed the throughput of a container or its database"),
		config.Flag("throughput", "400", config.Int(&f.throughput, 1, math.MaxInt),
			"`RU/s` of containers without a throughput of their own, when throughput is enforced"),
		config.Switch("permissive", &f.permissive, "answer cross-partition queries with ORDER BY, TOP, OFFSET, "+
			"DISTINCT, GROUP BY or aggregates, which the service rejects"),
		config.Flag("split-pages", "0", config.Uint64(&f.splitPages), "for tests: end the pages of queries and change "+
			"feeds at random places, with this random `seed`; 0: end a page only when it is full"),
		config.Flag("identity", "inkfeed", f.parseIdentity, "`name` of the kind of account: inkfeed, or emulator to "+
			"resemble Microsoft's emulator (consistency Strong, and the address of --addr if that is one host)"),
		config.Flag("certificate", "", config.Text(&f.certificate), "TLS certificate and its chain in this PEM "+
			"`file`; empty: a self-signed certificate for localhost and --addr, stored in the data folder as "+
			"engine.crt, which clients can trust (SSL_CERT_FILE for Go, NODE_EXTRA_CA_CERTS for Node.js)"),
		config.Flag("certificate-key", "", config.Text(&f.certificateKey),
			"private key of --certificate in this PEM `file`"),
		config.Removed("explorer", true, noExplorer), config.Removed("explorer-addr", false, noExplorer),
		config.Removed("explorer-write", true, noExplorer))
	c.BindAddr(defaultEngineAddr, "listen on this `host:port`")
	c.BindData()
	return func(ctx context.Context, out output) error {
		if err := f.check(c.Addr); err != nil {
			return err
		}
		return f.serve(ctx, c, out)
	}
}

func (f *engineFlags) check(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	if (f.key == embedded.WellKnownKey || f.secondaryKey == embedded.WellKnownKey) && !config.IsLoopback(host) {
		return fmt.Errorf("--key or INKFEED_ENGINE_KEY: set a key, because %s is not a loopback address and the "+
			"default key is public", addr)
	}
	if (f.certificate == "") != (f.certificateKey == "") {
		return errors.New("--certificate and --certificate-key: one is given without the other")
	}
	return nil
}

// parseKeys parses one or two keys, separated by a comma. Its errors do not repeat them.
func (f *engineFlags) parseKeys(text string) error {
	var two bool
	f.key, f.secondaryKey, two = strings.Cut(cmp.Or(text, embedded.WellKnownKey), ",")
	keys := []string{f.key}
	if two {
		keys = append(keys, f.secondaryKey)
	}
	for _, key := range keys {
		if decoded, err := base64.StdEncoding.DecodeString(key); err != nil || len(decoded) < 16 {
			return errors.New("not one or two keys of at least 16 bytes in base64")
		}
	}
	return nil
}

func (f *engineFlags) parseIdentity(text string) error {
	if f.identity = text; text != "inkfeed" && text != "emulator" {
		return fmt.Errorf("%q is neither inkfeed nor emulator", text)
	}
	return nil
}

func (f *engineFlags) serve(ctx context.Context, c *config.Config, out output) error {
	logger := slog.New(slog.NewTextHandler(out.stderr, nil))
	listeners, err := engineListeners(c)
	if err != nil {
		return fmt.Errorf("--addr or INKFEED_ADDR: %w", err)
	}
	defer func() {
		for _, l := range listeners {
			l.Close() // closes those that never served
		}
	}()
	address := listeners[0].Addr().String()
	options := embedded.Options{Key: f.key, SecondaryKey: f.secondaryKey, Ranges: f.ranges,
		EnforceThroughput: f.enforce, Throughput: f.throughput, Permissive: f.permissive, SplitPages: f.splitPages,
		Logger: logger}
	if f.identity == "emulator" {
		options.Identity = embedded.EmulatorIdentity(reachable(listeners[0].Addr()))
	}
	engine, err := embedded.Open(c.Data, options)
	if err != nil {
		return fmt.Errorf("--data or INKFEED_DATA: %w", err)
	}
	defer engine.Close()
	certificate, selfSigned, err := f.loadCertificate(engine, c.Addr)
	if err != nil {
		return err
	}
	settings := &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}}
	var servers []graceful.Server
	for _, l := range listeners {
		servers = append(servers,
			graceful.Server{Server: graceful.NewServer(engine, logger), Listener: tls.NewListener(l, settings)})
	}
	f.greet(out.stdout, address, selfSigned)
	return graceful.Serve(ctx, graceful.Options{Finish: engineFinishTime, Logger: logger}, servers...)
}

// reachable returns the URL of an address, or nothing for the address of all interfaces, to which clients cannot
// connect.
func reachable(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return ""
	}
	return "https://" + addr.String() + "/"
}

// loadCertificate returns the operator's certificate, or the engine's self-signed certificate and its file.
func (f *engineFlags) loadCertificate(
	engine *embedded.Engine, addr string,
) (cert tls.Certificate, selfSigned string, err error) {
	if f.certificate != "" {
		cert, err = tls.LoadX509KeyPair(f.certificate, f.certificateKey)
		if err != nil {
			err = fmt.Errorf("--certificate and --certificate-key: %w", err)
		}
		return cert, "", err
	}
	var hosts []string
	if host, _, err := net.SplitHostPort(addr); err == nil && host != "" {
		hosts = append(hosts, host)
	}
	return engine.Certificate(hosts...)
}

func (f *engineFlags) greet(w io.Writer, address, selfSigned string) {
	if selfSigned == "" {
		fmt.Fprintf(w, "The engine is at https://%s/.\n", address)
	} else {
		fmt.Fprintf(w, "The engine is at https://%s/ with the self-signed certificate %s.\n", address, selfSigned)
	}
	if f.key == embedded.WellKnownKey {
		fmt.Fprintf(w, "Its key is %s\n", f.key)
	}
	if selfSigned != "" {
		fmt.Fprintln(w, "Servers on this machine reach it with COSMOS_ENDPOINT, COSMOS_KEY and "+
			"COSMOS_INSECURE_TLS=true.")
	}
}

// engineListeners returns the socket of systemd for the configured address or, without one, listens on it.
func engineListeners(c *config.Config) ([]net.Listener, error) {
	inherited, err := c.Inherited()
	if inherited != nil || err != nil {
		return []net.Listener{inherited}, err
	}
	return listen(c.Addr)
}

// listen listens on an address. For localhost it listens on the loopback addresses of IPv4 and, if available, IPv6,
// because clients differ in which one they try.
func listen(addr string) ([]net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(host, "localhost") {
		l, err := net.Listen("tcp", addr)
		return []net.Listener{l}, err
	}
	four, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, err
	}
	_, port, _ = net.SplitHostPort(four.Addr().String()) // the system chooses a port for port 0
	six, err := net.Listen("tcp6", net.JoinHostPort("::1", port))
	switch {
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EAFNOSUPPORT):
		return []net.Listener{four}, nil // no IPv6
	case err != nil:
		return nil, errors.Join(err, four.Close())
	}
	return []net.Listener{four, six}, nil
}
