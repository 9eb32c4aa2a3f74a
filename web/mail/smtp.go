package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"inkfeed/domain"
)

const (
	phaseTime = 20 * time.Second // the longest wait for the server in a phase of a transmission, but the last
	// acceptTime is the longest wait for the answer to a complete mail. A server that is only slow would get the mail
	// again.
	acceptTime = 5 * time.Minute
	quitTime   = time.Second
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
	s := &server{host: u.Hostname(), options: []gomail.Option{gomail.WithTimeout(phaseTime)}}
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

// session is a connection to the server. It connects again after the server has closed it, or answered nonsense.
type session struct {
	server     *server
	mailer     *Mailer
	lane       *sync.Mutex // see Mailer
	client     *smtp.Client
	connection net.Conn
	used       bool // the connection has transmitted a mail
}

func (s *server) open(ctx context.Context, m *Mailer, lane *sync.Mutex) (*session, error) {
	one := &session{server: s, mailer: m, lane: lane}
	if err := one.connect(ctx); err != nil {
		return nil, err
	}
	return one, nil
}

// connect connects and logs in. Each of its failures concerns all mails.
func (s *session) connect(ctx context.Context) *domain.DeliveryError {
	s.used = false
	stop := func() {}
	client, err := gomail.NewClient(s.server.host, append(slices.Clone(s.server.options),
		gomail.WithDialContextFunc(func(dialing context.Context, network, address string) (net.Conn, error) {
			connection, err := new(net.Dialer).DialContext(dialing, network, address)
			if err != nil {
				return nil, err
			}
			s.connection = connection
			stop = closeWith(ctx, connection)
			if s.server.tls != nil {
				return tls.Client(connection, s.server.tls), nil
			}
			return connection, nil
		}))...)
	if err == nil {
		s.client, err = client.DialToSMTPClientWithContext(ctx)
	}
	stop()
	if err != nil {
		s.Close()
		return failure(err, domain.ReceiverFailed, domain.ReceiverFailed)
	}
	return nil
}

// closeWith closes a connection when the context ends, unless the returned function is called before. go-mail uses
// contexts for dialling only.
func closeWith(ctx context.Context, connection net.Conn) (stop func()) {
	end := context.AfterFunc(ctx, func() { connection.Close() })
	return func() { end() }
}

// Deliver implements delivery.Session.
func (s *session) Deliver(ctx context.Context, d domain.Delivery, done func()) error {
	return s.mailer.handOver(ctx, s, d, done)
}

// Send implements Sender.
func (s *session) Send(ctx context.Context, id string, created time.Time, mail domain.Mail, done func()) error {
	msg, err := s.mailer.message(id, created, mail)
	if err != nil {
		return err
	}
	text, err := s.mailer.render(msg)
	if err != nil {
		return fmt.Errorf("write a mail: %w", err)
	}
	again := s.used // servers close connections that are idle, or have transmitted a number of mails
	e := s.transmit(ctx, msg, text, done)
	if e != nil && again && e.Fault == domain.ReceiverFailed {
		e = s.transmit(ctx, msg, text, done)
	}
	if e != nil {
		return e
	}
	s.used = true
	return nil
}

// transmit sends a message. It connects first if necessary. After a failure that leaves the connection in doubt, it
// closes the connection.
func (s *session) transmit(ctx context.Context, msg *gomail.Msg, text []byte, done func()) *domain.DeliveryError {
	if s.client == nil {
		if err := s.connect(ctx); err != nil {
			return err
		}
	}
	defer closeWith(ctx, s.connection)()
	err := s.send(msg, text, done)
	if err == nil {
		return nil
	}
	e := failure(err.error, err.refused, err.broke)
	if e.Fault == domain.ReceiverFailed || e.Fault == domain.ConnectionBroke || s.client.Reset() != nil {
		s.Close()
	}
	return e
}

// send sends a message and calls done when the server has accepted it.
func (s *session) send(msg *gomail.Msg, text []byte, done func()) *phaseError {
	from, err := msg.GetSender(false)
	to, toErr := msg.GetRecipients()
	if err = cmp.Or(err, toErr, s.client.UpdateDeadline(phaseTime)); err != nil {
		return &phaseError{err, domain.ReceiverFailed, domain.ReceiverFailed}
	}
	if err := s.client.Mail(from); err != nil { // the sender is that of all mails
		return &phaseError{err, domain.ReceiverFailed, domain.ReceiverFailed}
	}
	if err := s.client.Rcpt(to[0]); err != nil {
		return &phaseError{err, domain.Refused, domain.ConnectionBroke}
	}
	data, err := s.client.Data()
	if err == nil {
		_, err = data.Write(text)
	}
	if err == nil {
		s.lane.Lock()
		defer s.lane.Unlock()
		if err = s.client.UpdateDeadline(acceptTime); err == nil {
			err = data.Close()
		}
	}
	if err != nil {
		return &phaseError{err, domain.Refused, domain.ConnectionBroke}
	}
	done()
	return nil
}

// phaseError is an error of a phase of a transmission.
type phaseError struct {
	error
	refused, broke domain.DeliveryFault // what a permanent refusal means, and the end of the connection
}

// failure says what an error means: refused if the server answered with a permanent refusal, broke if it gave no
// answer.
func failure(err error, refused, broke domain.DeliveryFault) *domain.DeliveryError {
	fault := broke
	if answer, ok := errors.AsType[*textproto.Error](err); ok {
		switch code := answer.Code; {
		case refused == domain.ReceiverFailed: // nothing was said about this mail
		case code == serviceUnavailable, code == needsLogin, code == loginRefused:
			fault = domain.ConnectionBroke // it may also be because of this mail, which must not block the others
		case code >= 500 && !securityStatus.MatchString(answer.Msg):
			fault = refused
		default:
			fault = domain.RefusedForNow
		}
	}
	return &domain.DeliveryError{Fault: fault, Answer: scrub(err.Error())}
}

// Replies of RFC 5321 and RFC 4954 that concern all mails, in whatever phase they come.
const (
	serviceUnavailable = 421
	needsLogin         = 530
	loginRefused       = 535
)

// securityStatus matches the status codes of RFC 3463 for policies. Many servers refuse a sender, a client or relaying
// only when they learn the receiver. So the settings may be wrong, not the receiver.
var securityStatus = regexp.MustCompile(`^5\.7\.`)

// Close implements delivery.Session. The next mail connects again.
func (s *session) Close() {
	if s.client != nil {
		_ = s.client.UpdateDeadline(quitTime)
		_ = s.client.Quit() // a courtesy
	}
	if s.connection != nil {
		s.connection.Close()
	}
	s.client, s.connection = nil, nil
}
