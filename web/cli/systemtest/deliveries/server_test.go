package deliveries

import (
	"bufio"
	"io"
	"net"
	netmail "net/mail"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"
)

// mailServer accepts every mail.
type mailServer struct {
	address string
	taken   chan string // the id of the delivery of each mail, as it is accepted
}

// startServer starts a mail server: the command in INKFEED_TEST_SMTP_SERVER, which writes its port and then the
// Message-IDs of the mails that it accepts, or one in this process.
func startServer(t testing.TB) *mailServer {
	t.Helper()
	s := &mailServer{taken: make(chan string, 1000)}
	if command := os.Getenv("INKFEED_TEST_SMTP_SERVER"); command != "" {
		s.run(t, strings.Fields(command))
		return s
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = "smtp://" + listener.Addr().String()
	server := smtp.NewServer(backend{s})
	server.ErrorLog = quiet{}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return s
}

func (s *mailServer) run(t testing.TB, command []string) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the mail server does not start")
	}
	s.address = "smtp://127.0.0.1:" + lines.Text()
	go func() {
		for lines.Scan() {
			s.taken <- idOf(lines.Text())
		}
	}()
}

// idOf returns the id of a delivery in the Message-ID of its mail.
func idOf(messageID string) string {
	id, _, _ := strings.Cut(strings.Trim(messageID, "<>"), "@")
	return id
}

type backend struct{ *mailServer }

func (b backend) NewSession(*smtp.Conn) (smtp.Session, error) { return b, nil }

func (backend) Reset() {}

func (backend) Logout() error { return nil }

func (backend) Mail(string, *smtp.MailOptions) error { return nil }

func (backend) Rcpt(string, *smtp.RcptOptions) error { return nil }

func (b backend) Data(r io.Reader) error {
	read, err := netmail.ReadMessage(r)
	if err == nil {
		_, err = io.Copy(io.Discard, read.Body)
	}
	if err == nil {
		b.taken <- idOf(read.Header.Get("Message-ID"))
	}
	return err
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

func (quiet) Println(...any) {}
