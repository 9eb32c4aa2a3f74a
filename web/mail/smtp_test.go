package mail_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-smtp"

	"inkfeed/web/mail"
)

// plainServer starts a mail server without extensions, such as 8BITMIME. It handles each connection with the function,
// which answers a command and reports whether the connection goes on.
func plainServer(t *testing.T, answer func(c net.Conn, command string) (more bool)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serve(t, listener, answer)
	return "smtp://" + listener.Addr().String()
}

func serve(t *testing.T, listener net.Listener, answer func(c net.Conn, command string) (more bool)) {
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				fmt.Fprint(c, "220 ready\r\n")
				for lines := bufio.NewScanner(c); lines.Scan() && answer(c, lines.Text()); {
				}
			}()
		}
	}()
}

// accept answers a command as a server that accepts every mail. It answers DATA once the text is complete.
func accept(c net.Conn, command string) (more bool) {
	switch {
	case command == "DATA":
		fmt.Fprint(c, "354 go ahead\r\n")
	case command == ".":
		fmt.Fprint(c, "250 accepted\r\n")
	case strings.HasPrefix(command, "EHLO "):
		fmt.Fprint(c, "250 plain\r\n")
	case strings.HasPrefix(command, "MAIL "), strings.HasPrefix(command, "RCPT "), command == "RSET", command == "NOOP":
		fmt.Fprint(c, "250 fine\r\n")
	case command == "QUIT":
		fmt.Fprint(c, "221 bye\r\n")
	}
	return true
}

func TestServersWithoutExtensionsGetEveryMail(t *testing.T) {
	m, stop, logged := mailing(t, mail.Options{SMTP: plainServer(t, accept), From: from, Outbox: t.TempDir()})
	m.Send("ada@example.com", "Verify your email address", "Open this page.")
	logged.await(t, "mail=")
	stop()
	if text := logged.String(); !strings.Contains(text, "a mail was sent") {
		t.Errorf("the log is %s", text)
	}
}

// loginServer answers EHLO with extensions, accepts any password, and reports the commands that it gets.
func loginServer(t *testing.T, listener net.Listener, extensions ...string) (commands chan string) {
	commands = make(chan string, 20)
	var extended string
	for _, each := range extensions {
		extended += "250-" + each + "\r\n"
	}
	serve(t, listener, func(c net.Conn, command string) (more bool) {
		commands <- command
		switch {
		case strings.HasPrefix(command, "EHLO "):
			fmt.Fprintf(c, "250-login\r\n%s250 8BITMIME\r\n", extended)
		case strings.HasPrefix(command, "AUTH "):
			fmt.Fprint(c, "235 welcome\r\n")
		default:
			return accept(c, command)
		}
		return true
	})
	return commands
}

// received returns the commands that a server has got.
func received(commands chan string) (all []string) {
	for len(commands) > 0 {
		all = append(all, <-commands)
	}
	return all
}

func TestPasswordsAreSentThroughTLSFromTheBeginning(t *testing.T) {
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS()
	defer certified.Close()
	for name, extensions := range map[string][]string{
		"by AUTH PLAIN": {"AUTH PLAIN"},
		"although the server offers to begin TLS once more": {"STARTTLS", "AUTH LOGIN PLAIN"},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates})
			if err != nil {
				t.Fatal(err)
			}
			commands := loginServer(t, listener, extensions...)
			m, err := mail.New(mail.Options{SMTP: "smtps://user:secret@" + listener.Addr().String(), From: from,
				Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			if m.Reach(t.Context()) == nil {
				t.Error("an unknown certificate is trusted")
			}
			m.Trust(certified.Certificate())
			if err := m.Reach(t.Context()); err != nil {
				t.Error(err)
			}
			want := "AUTH PLAIN " + base64.StdEncoding.EncodeToString([]byte("\x00user\x00secret"))
			got := received(commands)
			if !slices.Contains(got, want) || slices.Contains(got, "STARTTLS") {
				t.Errorf("the server got %q, want %q", got, want)
			}
		})
	}
}

func TestPasswordsAreNeverSentWithoutTLS(t *testing.T) {
	for _, mechanism := range []string{"PLAIN", "LOGIN", "LOGIN PLAIN"} {
		t.Run(mechanism, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			commands := loginServer(t, listener, "AUTH "+mechanism)
			m, err := mail.New(mail.Options{SMTP: "smtp://user:secret@" + listener.Addr().String(), From: from,
				Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Reach(t.Context()); err == nil {
				t.Error("the server can be used")
			}
			if got := received(commands); slices.ContainsFunc(got, func(command string) bool {
				return strings.HasPrefix(command, "AUTH")
			}) {
				t.Errorf("the server got %q", got)
			}
		})
	}
}

func TestAcceptedMailsAreNotSentAgain(t *testing.T) {
	var mu sync.Mutex
	accepted := 0
	address := plainServer(t, func(c net.Conn, command string) (more bool) {
		mu.Lock()
		defer mu.Unlock()
		if command == "." {
			accepted++
		}
		accept(c, command)
		return command != "." // the connection breaks after the mail
	})
	m, stop, logged := mailing(t, mail.Options{SMTP: address, From: from, Outbox: t.TempDir()})
	m.Send("ada@example.com", "Größe", "Größe")
	logged.await(t, "mail=")
	stop()
	mu.Lock()
	defer mu.Unlock()
	if accepted != 1 || !strings.Contains(logged.String(), "a mail was sent") {
		t.Errorf("%d mails were accepted; the log is %s", accepted, logged)
	}
}

func TestASlowServerGetsAMailOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		m, logged := transmitting(t, func(ctx context.Context, _ string) error {
			attempts++
			select {
			case <-time.After(50 * time.Second): // the server takes its time in each of several phases
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		stop := running(t, m)
		m.Send("ada@example.com", "Subject", "Text")
		time.Sleep(time.Minute)
		stop()
		if attempts != 1 || !strings.Contains(logged.String(), "a mail was sent") {
			t.Errorf("%d attempts; the log is %s", attempts, logged)
		}
	})
}

func TestAServerThatHangsDoesNotDelayTheEnd(t *testing.T) {
	hanging, logged := make(chan struct{}, 10), &logs{}
	address := plainServer(t, func(net.Conn, string) bool {
		hanging <- struct{}{}
		return true
	})
	m, err := mail.New(mail.Options{SMTP: address, From: from, Outbox: t.TempDir(),
		Logger: slog.New(slog.NewTextHandler(logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	m.DrainFor(10 * time.Millisecond)
	for range 5 {
		m.Send("ada@example.com", "Subject", "Text")
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { m.Run(ctx) })
	<-hanging
	cancel()
	running.Wait()
	if regexp.MustCompile(`read tcp [^\n]*i/o timeout`).MatchString(logged.String()) {
		t.Errorf("the mailer waits for the time limit of an attempt: %s", logged)
	}
}

func TestMailsThatWaitForAnotherAttemptDoNotDelayOthers(t *testing.T) {
	busy := &smtp.SMTPError{Code: 451, Message: "ask again"}
	p, address := posted(t, busy, busy, busy, busy)
	logged := &logs{}
	m, err := mail.New(mail.Options{SMTP: address, From: from, Logger: slog.New(slog.NewTextHandler(logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	m.RetryAfter(time.Hour)
	m.DrainFor(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { m.Run(ctx) })
	defer running.Wait()
	defer cancel()
	for i := range 4 {
		subject := fmt.Sprint("Early ", i)
		m.Send("ada@example.com", subject, "Text")
		logged.await(t, fmt.Sprintf("mail=%q", subject))
	}
	m.Send("ada@example.com", "Late", "Text")
	if text := <-p.taken; !strings.Contains(text, "Subject: Late") {
		t.Errorf("the first mail that is sent is %s", text)
	}
	cancel() // the end of the process is the last attempt of the others
	running.Wait()
	if n := len(p.taken); n != 4 {
		t.Errorf("%d more mails were sent at the end, want 4", n)
	}
}
