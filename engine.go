package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"time"

	"inkfeed/cosmos/embedded"
)

const defaultEngineAddr = "127.0.0.1:8081"

func setupEngine(flags *flag.FlagSet, c *config) func(context.Context, output) error {
	key := flags.String("key", "", "account `key` in base64 (INKFEED_ENGINE_KEY); neither: the emulators' well-known one, on loopback addresses only")
	ranges := flags.Int("ranges", 1, "feed ranges of each new container, if its throughput does not need more")
	enforce := flags.Bool("enforce-throughput", false, "answer 429 to what goes beyond the throughput of a container or its database")
	throughput := flags.Int("throughput", 400, "RU a second of containers for which none was set, when throughput is enforced")
	return func(ctx context.Context, out output) error {
		if *key == "" {
			*key = c.engineKey
		}
		host, _, err := net.SplitHostPort(c.addr)
		if err != nil {
			return err
		}
		if *key == "" && !isLoopback(host) {
			return fmt.Errorf("--key or INKFEED_ENGINE_KEY: needed, since %s is not a loopback address and everybody knows the default key", c.addr)
		}
		if decoded, err := base64.StdEncoding.DecodeString(*key); err != nil || *key != "" && len(decoded) < 16 {
			return errors.New("--key or INKFEED_ENGINE_KEY: not at least 16 bytes in base64")
		}
		if *ranges < 1 || *ranges > embedded.MaxRanges {
			return fmt.Errorf("--ranges: %d is not from 1 to %d", *ranges, embedded.MaxRanges)
		}
		if *throughput < 1 {
			return fmt.Errorf("--throughput: %d is not from 1", *throughput)
		}
		logger := slog.New(slog.NewTextHandler(out.stderr, nil))
		engine, err := embedded.Open(c.data, embedded.Options{Key: *key, Ranges: *ranges,
			EnforceThroughput: *enforce, Throughput: *throughput, Logger: logger})
		if err != nil {
			return err
		}
		defer engine.Close()
		certificate, err := selfSigned(host)
		if err != nil {
			return err
		}
		listener, err := tls.Listen("tcp", c.addr, &tls.Config{
			Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}})
		if err != nil {
			return fmt.Errorf("--addr or INKFEED_ADDR: %w", err)
		}
		fmt.Fprintf(out.stdout, "The engine is at https://%s/ with a self-signed certificate.\n", listener.Addr())
		if *key == "" {
			fmt.Fprintf(out.stdout, "Its key is %s\n", engine.Key())
		}
		fmt.Fprintln(out.stdout, "Servers on this machine reach it with COSMOS_ENDPOINT, COSMOS_KEY and COSMOS_INSECURE_TLS=true.")
		return serveUntil(ctx, []served{{newServer(engine, logger), listener}})
	}
}

// selfSigned makes a certificate for the addresses a local client may use.
func selfSigned(host string) (tls.Certificate, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: "Inkfeed embedded engine"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().AddDate(1, 0, 0),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = append(template.IPAddresses, ip)
	} else if host != "" {
		template.DNSNames = append(template.DNSNames, host)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}, nil
}
