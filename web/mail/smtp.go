package mail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	gomail "github.com/wneessen/go-mail"
)

// server is a mail server that relays mails.
type server struct {
	host    string
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
		port = 465
		s.options = append(s.options, gomail.WithSSL())
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
		s.options = append(s.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	return s, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (s *server) check(ctx context.Context) error {
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return err
	}
	if err := client.DialWithContext(ctx); err != nil {
		return err
	}
	return client.Close()
}

func (s *server) send(ctx context.Context, m *gomail.Msg) error {
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return err
	}
	return client.DialAndSendWithContext(ctx, m)
}

// isRefused reports whether the server has permanently refused the mail.
func isRefused(err error) bool {
	e, ok := errors.AsType[*gomail.SendError](err)
	return ok && e.ErrorCode() >= 500
}
