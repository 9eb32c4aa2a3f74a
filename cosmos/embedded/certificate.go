package embedded

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"path/filepath"
	"slices"
	"time"

	"inkfeed/cosmos/embedded/internal/storage"
)

// Files and lifetime of the self-signed certificate in the data directory.
const (
	certificateFile = "engine.crt"
	certificateKey  = "engine.key"

	certificateLife = 2 * 365 * 24 * time.Hour // below the maximum of 825 days that some systems accept
	renewBefore     = 60 * 24 * time.Hour
)

// Certificate returns the self-signed certificate engine.crt of the data directory, with its path.
// The key is in engine.key. The certificate is for localhost, the loopback addresses and hosts. A
// new one is created if none exists, if a host is missing, or if it expires soon.
func (e *Engine) Certificate(hosts ...string) (tls.Certificate, string, error) {
	dir := filepath.Dir(e.store.File)
	path := filepath.Join(dir, certificateFile)
	keyPath := filepath.Join(dir, certificateKey)
	hosts = append([]string{"localhost", "127.0.0.1", "::1"}, hosts...)
	kept, err := tls.LoadX509KeyPair(path, keyPath)
	if err == nil && serves(kept.Leaf, hosts, time.Now()) {
		return kept, path, nil
	}
	if _, missing := errors.AsType[*fs.PathError](err); err != nil && missing && !errors.Is(err, fs.ErrNotExist) {
		return tls.Certificate{}, "", fmt.Errorf("read the certificate: %w", err)
	}
	cert, key, err := selfSigned(hosts, time.Now())
	if err != nil {
		return tls.Certificate{}, "", fmt.Errorf("create the self-signed certificate: %w", err)
	}
	// A crash between the two writes leaves files that do not match. The next start replaces them.
	if err := errors.Join(storage.WritePrivate(keyPath, key), storage.WritePrivate(path, cert)); err != nil {
		return tls.Certificate{}, "", fmt.Errorf("store the self-signed certificate: %w", err)
	}
	made, err := tls.X509KeyPair(cert, key)
	return made, path, err
}

// serves reports whether a certificate is valid for all hosts and does not expire soon.
func serves(leaf *x509.Certificate, hosts []string, now time.Time) bool {
	if now.Before(leaf.NotBefore) || now.Add(renewBefore).After(leaf.NotAfter) {
		return false
	}
	return !slices.ContainsFunc(hosts, func(h string) bool { return leaf.VerifyHostname(h) != nil })
}

// selfSigned creates a certificate and its key in PEM. It is not a certificate authority, so
// trusting it does not extend to other certificates.
func selfSigned(hosts []string, now time.Time) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		// The subject is unique, because OpenSSL distinguishes trusted certificates by subject.
		Subject:               pkix.Name{CommonName: "Inkfeed embedded engine " + serial.Text(36)},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(certificateLife),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return nil, nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), nil
}
