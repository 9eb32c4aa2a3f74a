package newsletter_test

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/subscription"
	"inkfeed/web/mail"
	"inkfeed/web/newsletter"
)

// samples returns a mail of each kind in each language, by names.
func samples(t *testing.T) map[string]domain.Mail {
	t.Helper()
	s := newScene(t)
	p := s.ada.CreatePostWith("The Analytical Engine 🎉, Donaudampfschifffahrtsgesellschaftskapitän", mixed,
		func(p *domain.Post) { p.Tags, p.Details.Subtitle = "Looms", "What it weaves, and why" })
	arabic := s.ada.CreatePost("شيء عن المحركات", "هذا نص عربي طويل بما يكفي ليظهر اتجاه الكتابة من اليمين إلى اليسار.")
	ben := s.SignUp("ben")
	s.comment(ben.CreatePost("Of ben", "text"))
	s.Data.CatchUp()
	author, notices := subscription.Author(s.ada.User.ID), subscription.List{Kind: subscription.Notices}
	ben.SetVerifiedEmail("ben@example.com")
	all := map[string]domain.Mail{}
	for _, l := range locale.All() {
		add := func(name string) func(domain.Mail, error) {
			return func(m domain.Mail, err error) {
				t.Helper()
				s.Data.Must(err)
				m.To = cmp.Or(m.To, "eve@example.com")
				all[name+"-"+l.Code()] = m
			}
		}
		ctx := locale.With(t.Context(), l)
		eve := s.subscribe(subscription.VisitorID("eve@example.com"), subscription.Each, author)
		eve.Language = l.Code()
		for name, of := range map[string]domain.Post{"post": p, "right-to-left": arabic} {
			issue, err := s.Post(ctx, of.ID)
			s.Data.Must(err)
			add(name)(issue.Mail(ctx, eve, "eve@example.com", author))
		}
		add("subscribed")(s.Confirmation(ctx, eve, "eve@example.com", author))
		add("confirmation")(s.Confirmation(ctx, eve, "eve@example.com", subscription.Tag("looms")))
		member := s.subscribe(ben.User.ID, subscription.Daily, author, notices)
		member.Language, member.Kinds = l.Code(), "comment"
		add("digest")(s.Digest(ctx, member, "ben@example.com",
			subscription.DigestRun{Daily: longAgo, Until: time.Now().AddDate(1, 0, 0)}, told(p, arabic)))
		_, err := s.Data.Store.Subscriptions.Change(ctx, ben.User.ID, func(sub *subscription.Subscriber) error {
			sub.Kinds, sub.Language = "comment", l.Code()
			return sub.Add(notices, subscription.Each, subscription.Consent{At: longAgo})
		})
		s.Data.Must(err)
		w := writers{}
		s.Register(w)
		list, err := s.Data.Store.Notifications.List(ctx, ben.User.ID, 1)
		s.Data.Must(err)
		payload, _ := json.Marshal(newsletter.Notice{UserID: ben.User.ID, Notification: list.Items[0]})
		add("notice")(w[subscription.DeliverNotice](ctx, domain.Delivery{}, payload))
	}
	return all
}

// folderEnv names the folder for the mails, which other programs read: see .ci/mail/read.mjs.
const folderEnv = "INKFEED_TEST_MAIL_FOLDER"

func TestEachKindOfMailInEachLanguage(t *testing.T) {
	folder, key := os.Getenv(folderEnv), ""
	if folder != "" {
		key = newKey(t, folder)
	}
	for name, m := range samples(t) {
		t.Run(name, func(t *testing.T) {
			parsed(t, m)
			if folder != "" {
				for ext, content := range map[string][]byte{".html": []byte(m.HTML), ".txt": []byte(m.Text),
					".eml": sent(t, m, key)} {
					if err := os.WriteFile(filepath.Join(folder, name+ext), content, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// newKey returns the path of a key that signs mails, and writes its record in the DNS into a folder.
func newKey(t *testing.T, folder string) (path string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "key.pem")
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	record := os.WriteFile(filepath.Join(folder, "dkim.txt"), []byte("v=DKIM1; k=rsa; p="+
		base64.StdEncoding.EncodeToString(public)), 0o644)
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	if err := errors.Join(record, os.WriteFile(path, private, 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// sent returns a mail as a mail server gets it.
func sent(t *testing.T, m domain.Mail, key string) []byte {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return receiver{&got}, nil }))
	go server.Serve(listener)
	defer server.Close()
	mailer, err := mail.New(mail.Options{SMTP: "smtp://" + listener.Addr().String(), From: "Notes <notes@blog.example>",
		DKIMKey: key, DKIMSelector: "test",
		Keys: [][]byte{bytes.Repeat([]byte{1}, 32)}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	session, err := mailer.Open(t.Context(), domain.UrgentMail)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if err := session.Deliver(t.Context(), mailer.Seal(domain.DeliverMail, "", time.Hour, m), func() {}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.String(), "Subject:") {
		t.Fatalf("the server got %.200q", got.String())
	}
	return got.Bytes()
}

type receiver struct{ got *bytes.Buffer }

func (receiver) Reset()                               {}
func (receiver) Logout() error                        { return nil }
func (receiver) Mail(string, *smtp.MailOptions) error { return nil }
func (receiver) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (r receiver) Data(text io.Reader) error {
	_, err := r.got.ReadFrom(text)
	return err
}
