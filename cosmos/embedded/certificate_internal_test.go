package embedded

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestCertificate(t *testing.T) {
	dir := t.TempDir()
	e, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	must := func(t *testing.T, hosts ...string) *x509.Certificate {
		t.Helper()
		cert, path, err := e.Certificate(hosts...)
		if err != nil || path != filepath.Join(dir, "engine.crt") {
			t.Fatalf("%s, %v", path, err)
		}
		return cert.Leaf
	}
	first := must(t)

	t.Run("is reused", func(t *testing.T) {
		if !must(t).Equal(first) {
			t.Error("the second certificate differs")
		}
	})
	t.Run("is readable by its owner only", func(t *testing.T) {
		for _, name := range []string{certificateFile, certificateKey} {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
	})
	t.Run("is valid for every loopback name", func(t *testing.T) {
		cert, path, err := e.Certificate()
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		trusted := x509.NewCertPool()
		if err != nil || !trusted.AppendCertsFromPEM(text) {
			t.Fatal(err)
		}
		server := httptest.NewUnstartedServer(e)
		server.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
		server.StartTLS()
		defer server.Close()
		for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
			conn, err := tls.Dial("tcp", server.Listener.Addr().String(),
				&tls.Config{RootCAs: trusted, ServerName: name})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			conn.Close()
		}
		_, err = tls.Dial("tcp", server.Listener.Addr().String(),
			&tls.Config{RootCAs: trusted, ServerName: "example.org"})
		if _, ok := errors.AsType[x509.HostnameError](err); !ok {
			t.Errorf("as example.org: %v", err)
		}
		_,
			err = (&http.Client{
			Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: x509.NewCertPool()}}}).Get(server.URL)
		if err == nil {
			t.Error("a client that does not trust the certificate connects")
		}
	})
	t.Run("is no certificate authority", func(t *testing.T) {
		if first.IsCA || first.KeyUsage&x509.KeyUsageCertSign != 0 {
			t.Errorf("it is a certificate authority: %v %b", first.IsCA, first.KeyUsage)
		}
	})
	t.Run("is replaced if it lacks a host", func(t *testing.T) {
		second := must(t, "cosmos.example", "192.0.2.1")
		if second.Equal(first) || second.VerifyHostname("cosmos.example") != nil ||
			second.VerifyHostname("192.0.2.1") != nil {
			t.Errorf("%v %v", second.DNSNames, second.IPAddresses)
		}
		if !must(t, "192.0.2.1").Equal(second) {
			t.Error("it is replaced although it has all hosts")
		}
	})
	t.Run("is replaced before it expires", func(t *testing.T) {
		cert, key, err := selfSigned([]string{"localhost", "127.0.0.1", "::1"},
			time.Now().Add(renewBefore-certificateLife-time.Minute))
		if err := errors.Join(err, os.WriteFile(filepath.Join(dir, certificateFile), cert, 0o600),
			os.WriteFile(filepath.Join(dir, certificateKey), key, 0o600)); err != nil {
			t.Fatal(err)
		}
		if must(t).NotAfter.Before(time.Now().Add(renewBefore)) {
			t.Error("the certificate was not replaced")
		}
	})
	t.Run("is replaced if its key is missing, as after a crash", func(t *testing.T) {
		before := must(t)
		_, other, err := selfSigned(nil, time.Now())
		if err := errors.Join(err, os.WriteFile(filepath.Join(dir, certificateKey), other, 0o600)); err != nil {
			t.Fatal(err)
		}
		if must(t).Equal(before) {
			t.Error("the certificate without its key was not replaced")
		}
	})
	t.Run("stops the engine and stays if it cannot be read", func(t *testing.T) {
		path := filepath.Join(dir, certificateFile)
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := e.Certificate(); err == nil {
			t.Error("no error")
		}
	})
}
