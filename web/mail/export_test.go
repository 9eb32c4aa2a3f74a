package mail

import (
	"crypto/tls"
	"crypto/x509"
)

// Trust makes the mailer trust a certificate.
func (m *Mailer) Trust(c *x509.Certificate) {
	m.server.tls = &tls.Config{RootCAs: x509.NewCertPool(), ServerName: m.server.tls.ServerName}
	m.server.tls.RootCAs.AddCert(c)
}

// Limits of an outbox.
const (
	MaxOutbox = maxOutbox
	OutboxAge = maxOutboxAge
)
