package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"

	gomail "github.com/wneessen/go-mail"
)

// server is a mail server that relays mails.
type server struct {
	host    string
	tls     *tls.Config // of a connection that begins with TLS; nil: it begins without
	options []gomail.Option
}

// newServer parses the server's address. Its errors do not repeat the address, which contains a
// password.
func newServer(address string) (*server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Path != "" && u.Path != "/" ||
		u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("expected smtp://user:password@host:port or smtps://user:password@host:port")
	}
	s := &server{host: u.Hostname(), options: []gomail.Option{gomail.WithTimeout(attemptTime)}}
	port := 587
	switch {
	case u.Scheme == "smtps":
		port, s.tls = 465, &tls.Config{ServerName: s.host, MinVersion: gomail.DefaultTLSMinVersion}
		// With TLSOpportunistic, go-mail would begin TLS again if the server offers STARTTLS. With WithSSL, it would
		// send no password.
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.NoTLS))
	case isLoopback(u.Hostname()):
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	default: // passwords, and links that reset passwords, need an encrypted connection
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil || port < 1 || port > 65535 {
			return nil, fmt.Errorf("port %q is not between 1 and 65535", u.Port())
		}
	}
	s.options = append(s.options, gomail.WithPort(port))
	if u.User != nil {
		password, _ := u.User.Password()
		auth := gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover)
		if s.tls != nil { // go-mail does not discover that connections from WithDialContextFunc are encrypted
			auth = gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256PLUS, gomail.SMTPAuthSCRAMSHA256,
				gomail.SMTPAuthSCRAMSHA1PLUS, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthNTLM, gomail.SMTPAuthCramMD5,
				gomail.SMTPAuthPlain, gomail.SMTPAuthLogin)
		}
		s.options = append(s.options, auth, gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	return s, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (s *server) check(ctx context.Context) error {
	client, err := s.client(ctx)
	if err != nil {
		return err
	}
	if err := client.DialWithContext(ctx); err != nil {
		return err
	}
	return client.Close()
}

func (s *server) send(ctx context.Context, m *gomail.Msg) error {
	client, err := s.client(ctx)
	if err != nil {
		return err
	}
	err = client.DialAndSendWithContext(ctx, m)
	if m.IsDelivered() { // the connection may have broken after the server had accepted the mail
		return nil
	}
	return err
}

// client returns a client whose connection is closed when the context ends. go-mail itself uses contexts for dialling
// only.
func (s *server) client(ctx context.Context) (*gomail.Client, error) {
	return gomail.NewClient(s.host, append(slices.Clone(s.options), gomail.WithDialContextFunc(
		func(dialing context.Context, network, address string) (net.Conn, error) {
			connection, err := new(net.Dialer).DialContext(dialing, network, address)
			if err != nil {
				return nil, err
			}
			context.AfterFunc(ctx, func() { connection.Close() })
			if s.tls != nil {
				return tls.Client(connection, s.tls), nil
			}
			return connection, nil
		}))...)
}

// isRefused reports whether the server has permanently refused the mail.
func isRefused(err error) bool {
	e, ok := errors.AsType[*gomail.SendError](err)
	return ok && e.ErrorCode() >= 500
}
