package mail_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
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
	m, _ := mailing(t, mail.Options{SMTP: plainServer(t, accept), From: from})
	send(t, m, "ada@example.com", "Verify your email address", "Öffne diese Seite.")
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
			m, _ := mailing(t, mail.Options{SMTP: "smtps://user:secret@" + listener.Addr().String(), From: from})
			if reach(t, m) == nil {
				t.Error("an unknown certificate is trusted")
			}
			m.Trust(certified.Certificate())
			if err := reach(t, m); err != nil {
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
			m, _ := mailing(t, mail.Options{SMTP: "smtp://user:secret@" + listener.Addr().String(), From: from})
			if err := reach(t, m); err == nil {
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

// reach connects and logs in.
func reach(t *testing.T, m *mail.Mailer) error {
	session, err := m.Open(t.Context(), domain.UrgentMail)
	if err == nil {
		session.Close()
	}
	return err
}

func TestMailIsRecordedOnceTheServerHasAcceptedIt(t *testing.T) {
	accepted := 0
	m, _ := mailing(t, mail.Options{SMTP: plainServer(t, func(c net.Conn, command string) (more bool) {
		if command == "." {
			accepted++
		}
		accept(c, command)
		return command != "." // the connection breaks after the mail
	}), From: from})
	errs, recorded := deliver(t, m, sealed(m, "ada@example.com", "Größe", "Größe"))
	if accepted != 1 || errs[0] != nil || recorded[0] != 1 {
		t.Errorf("%d mails were accepted, %d recorded; error %v", accepted, recorded[0], errs[0])
	}
}

func TestWhatAnAnswerMeans(t *testing.T) {
	// connection ends the connection without an answer, or goes silent.
	const closed, silent = "", "-"
	for name, tt := range map[string]struct {
		command, answer string
		fault           domain.DeliveryFault
		says            string
	}{
		"the sender is refused":                   {"MAIL", "550 no, blog@example.org", domain.ReceiverFailed, "550"},
		"the sender sends too much":               {"MAIL", "450 4.7.1 slow down", domain.ReceiverFailed, "slow down"},
		"no connection":                           {"EHLO", closed, domain.ReceiverFailed, "EOF"},
		"the server stops":                        {"MAIL", "421 4.3.2 stopping", domain.ReceiverFailed, "stopping"},
		"the server stops because of the mail":    {"RCPT", "421 4.3.2 stopping", domain.ConnectionBroke, "stopping"},
		"the server wants a login":                {"RCPT", "530 5.7.0 log in", domain.ConnectionBroke, "log in"},
		"the server does not relay":               {"RCPT", "554 5.7.1 relay denied", domain.RefusedForNow, "relay"},
		"there is no such mailbox":                {"RCPT", "550 no <ada@example.com>", domain.Refused, "[address]"},
		"the mailbox is busy":                     {"RCPT", "451 4.7.1 greylisted", domain.RefusedForNow, "greylisted"},
		"nonsense instead of an answer":           {"RCPT", "hello there", domain.ConnectionBroke, "hello"},
		"the text is refused":                     {".", "554 5.6.0 looks like spam", domain.Refused, "spam"},
		"the disk is full":                        {".", "452 4.3.1 no space", domain.RefusedForNow, "no space"},
		"the end of the connection after a text":  {".", closed, domain.ConnectionBroke, "EOF"},
		"the end of the connection before a text": {"DATA", closed, domain.ConnectionBroke, "EOF"},
		"silence after a text":                    {".", silent, domain.ConnectionBroke, "closed"},
		"an endless answer": {
			"RCPT", "550 " + strings.Repeat("x", 100_000), domain.Refused, "xxx …",
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			m, _ := mailing(t, mail.Options{SMTP: plainServer(t, func(c net.Conn, command string) (more bool) {
				if !strings.HasPrefix(command, tt.command) {
					return accept(c, command)
				}
				switch tt.answer {
				case closed:
					return false
				case silent:
					cancel()
					return true
				}
				fmt.Fprintf(c, "%s\r\n", tt.answer)
				return true
			}), From: from})
			session, err := m.OpenBulk(ctx) // deliveries take the same path
			recorded := 0
			if err == nil {
				err = session.Send(ctx, "1", time.Now(), newsletter("ada@example.com"), func() { recorded++ })
				session.Close()
			}
			e, ok := errors.AsType[*domain.DeliveryError](err)
			if !ok || e.Fault != tt.fault || recorded > 0 || !strings.Contains(e.Answer, tt.says) ||
				strings.Contains(e.Answer, "@") || len(e.Answer) > 600 {
				t.Errorf("%+v, recorded %d times", err, recorded)
			}
		})
	}
}

func TestSessionSurvivesWhatHappensToOneMail(t *testing.T) {
	for name, answer := range map[string]string{"a refusal": "550 no", "the end of the connection": ""} {
		t.Run(name, func(t *testing.T) {
			first := true
			m, _ := mailing(t, mail.Options{SMTP: plainServer(t, func(c net.Conn, command string) (more bool) {
				if !first || !strings.HasPrefix(command, "RCPT") {
					return accept(c, command)
				}
				first = false
				fmt.Fprintf(c, "%s\r\n", answer)
				return answer != ""
			}), From: from})
			errs, recorded := deliver(t, m, sealed(m, "ada@example.com", "One", "1"),
				sealed(m, "ben@example.com", "Two", "2"))
			if errs[0] == nil || errs[1] != nil || !slices.Equal(recorded, []int{0, 1}) {
				t.Errorf("errors %v, recorded %d", errs, recorded)
			}
		})
	}
}

func TestServerThatEndsConnectionsGetsTheNextMailInAnother(t *testing.T) {
	for name, end := range map[string]string{"silently": "", "with 421": "421 4.7.0 too many mails\r\n"} {
		t.Run(name, func(t *testing.T) {
			mails := 0
			m, _ := mailing(t, mail.Options{SMTP: plainServer(t, func(c net.Conn, command string) (more bool) {
				if strings.HasPrefix(command, "EHLO") {
					mails = 0
				}
				if strings.HasPrefix(command, "MAIL") {
					if mails++; mails > 2 {
						fmt.Fprint(c, end)
						return false
					}
				}
				return accept(c, command)
			}), From: from})
			var list []domain.Delivery
			for range 5 {
				list = append(list, sealed(m, "ada@example.com", "Subject", "Text"))
			}
			if errs, recorded := deliver(t, m, list...); errors.Join(errs...) != nil ||
				!slices.Equal(recorded, []int{1, 1, 1, 1, 1}) {
				t.Errorf("errors %v, recorded %d", errs, recorded)
			}
		})
	}
}

func TestOneMailOfALaneAtATimeIsAcceptedAndNotRecorded(t *testing.T) {
	p, address := posted(t)
	m, _ := mailing(t, mail.Options{SMTP: address, From: from})
	bulk := func(to string) domain.Delivery {
		d := sealed(m, to, "Subject", "Text")
		d.Destination = domain.BulkMail(to)
		return d
	}
	recording, release := make(chan string), make(chan struct{})
	go func() {
		session, err := m.OpenBulk(t.Context())
		if err == nil {
			defer session.Close()
			err = session.Send(t.Context(), "1", time.Now(), newsletter("d@four.example"),
				func() { recording <- "mailing"; <-release })
		}
		if err != nil {
			t.Error(err)
		}
	}()
	for _, d := range []domain.Delivery{bulk("a@one.example"), bulk("b@two.example"),
		sealed(m, "c@three.example", "Subject", "Text")} {
		go func() {
			session, err := m.Open(t.Context(), d.Destination)
			if err == nil {
				defer session.Close()
				err = session.Deliver(t.Context(), d, func() { recording <- d.Destination; <-release })
			}
			if err != nil {
				t.Error(err)
			}
		}()
	}
	first, second := <-recording, <-recording
	if (first == domain.UrgentMail) == (second == domain.UrgentMail) || len(p.taken) != 2 {
		t.Errorf("%s and %s are recorded at the same time, %d mails were accepted", first, second, len(p.taken))
	}
	close(release)
	for range 2 {
		if next := <-recording; next == domain.UrgentMail {
			t.Error("an urgent mail was accepted twice")
		}
	}
}
