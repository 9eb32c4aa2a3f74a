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

// server is a mail server that takes mails for others.
type server struct {
	host    string
	options []gomail.Option
}

// newServer does not repeat the address, which holds a password.
func newServer(address string) (*server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Path != "" && u.Path != "/" ||
		u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("not of the form smtp://user:password@host:port, or smtps")
	}
	s := &server{host: u.Hostname(), options: []gomail.Option{gomail.WithTimeout(attemptTime)}}
	port := 587
	switch {
	case u.Scheme == "smtps":
		port = 465
		s.options = append(s.options, gomail.WithSSL())
	case isLoopback(u.Hostname()):
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	default: // a password, or a link that resets one, goes over no plain line
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil || port < 1 || port > 65535 {
			return nil, fmt.Errorf("there is no port %q", u.Port())
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

func (s *server) reach(ctx context.Context) error {
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return err
	}
	if err := client.DialWithContext(ctx); err != nil {
		return err
	}
	return client.Close()
}

func (s *server) carry(ctx context.Context, m *gomail.Msg) error {
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return err
	}
	return client.DialAndSendWithContext(ctx, m)
}

// isRefused tells that the server has understood the mail, and will not take it.
func isRefused(err error) bool {
	e, ok := errors.AsType[*gomail.SendError](err)
	return ok && e.ErrorCode() >= 500
}
