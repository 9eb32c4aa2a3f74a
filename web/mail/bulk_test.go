package mail_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	netmail "net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-msgauth/dkim"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/web/mail"
	"inkfeed/web/mail/bounce"
)

var (
	reader = subscription.VisitorID("ada@example.com")
	postID = strings.Repeat("a", 26)
)

// newsletter returns the mail of a post to subscribers.
func newsletter(to string) domain.Mail {
	return domain.Mail{To: to, Subject: "Über Größe", Text: "Öffne diese Seite.\n", HTML: "<p>Öffne diese Seite.</p>\n",
		FromName: "Bär, \"Bob\"", ReplyTo: "Bob <bob@example.net>",
		Bulk: &domain.BulkHeaders{ListID: "author.u.abc", ListName: "Bär & Co.",
			Unsubscribe: "https://blog.example.org/mail/" + strings.Repeat("k", 80) + "/unsubscribe?list=author.u.abc",
			Archive:     "https://blog.example.org/@bob", Subscriber: reader, PostID: postID}}
}

// sendBulk hands over mails in one session. They must be accepted.
func sendBulk(t *testing.T, m *mail.Mailer, list ...domain.Mail) {
	t.Helper()
	session, err := m.OpenBulk(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, one := range list {
		n := 0
		if err := session.Send(t.Context(), "digest of Monday", time.Now(), one, func() { n++ }); err != nil || n != 1 {
			t.Fatalf("error %v, recorded %d times", err, n)
		}
	}
}

func headersOf(t *testing.T, text string) netmail.Header {
	t.Helper()
	read, err := netmail.ReadMessage(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return read.Header
}

func TestMailsOfListsHaveTheirHeaders(t *testing.T) {
	p, address := posted(t)
	m, _ := mailing(t, mail.Options{SMTP: address, From: from, Bounces: "bounces@example.net"})
	one := newsletter("ada@example.com")
	sendBulk(t, m, one, one)
	text, again := <-p.taken, <-p.taken
	h := headersOf(t, text)
	sender, err := h.AddressList("From")
	replies, _ := h.AddressList("Reply-To")
	list, _ := new(mime.WordDecoder).DecodeHeader(h.Get("List-Id"))
	if err != nil || sender[0].Name != one.FromName || sender[0].Address != "blog@example.org" ||
		len(replies) != 1 || replies[0].Address != "bob@example.net" || list != "Bär & Co. <author.u.abc.example.org>" {
		t.Errorf("sender %v, replies to %v, list %s", sender, replies, list)
	}
	for name, want := range map[string]string{
		"List-Unsubscribe": "<" + one.Bulk.Unsubscribe + ">", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
		"List-Archive": "<https://blog.example.org/@bob>", "Auto-Submitted": "auto-generated",
		"Feedback-Id": postID + ":author.u.abc:subscription:inkfeed",
		"Message-Id":  headersOf(t, again).Get("Message-ID"),
	} {
		if h.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, h.Get(name), want)
		}
	}
	if strings.Contains(text, ":\r\n ") {
		t.Errorf("a header begins with an empty line:\n%s", text)
	}
	for i, report := range []string{"To: " + p.senders[0], "To: x@y\r\nMessage-ID: " + h.Get("Message-ID")} {
		got, err := m.Signer().Parse(strings.NewReader(report +
			"\r\nContent-Type: multipart/report; boundary=b\r\n\r\n--b\r\n" +
			"Content-Type: message/delivery-status\r\n\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n--b--\r\n"))
		if err != nil || got.SubscriberID != reader || i == 1 && got.PostID != postID {
			t.Errorf("a returned mail gives %+v, error %v", got, err)
		}
	}
	if !strings.HasPrefix(p.senders[0], "bounces+") || !strings.HasSuffix(p.senders[0], "@example.net") ||
		strings.IndexByte(p.senders[0], '@') > 64 {
		t.Errorf("the envelope address is %s", p.senders[0])
	}
}

func TestMailHasEqualPartsInHTMLAndPlainText(t *testing.T) {
	p, address := posted(t)
	m, _ := mailing(t, mail.Options{SMTP: address, From: from})
	sendBulk(t, m, newsletter("ada@example.com"))
	read, err := netmail.ReadMessage(strings.NewReader(<-p.taken))
	if err != nil {
		t.Fatal(err)
	}
	kind, params, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
	var parts []string
	for r := multipart.NewReader(read.Body, params["boundary"]); ; {
		part, err := r.NextPart()
		if err != nil {
			break
		}
		b, _ := io.ReadAll(part)
		parts = append(parts, part.Header.Get("Content-Type")+": "+strings.TrimSpace(string(b)))
	}
	if want := []string{"text/plain; charset=UTF-8: Öffne diese Seite.",
		"text/html; charset=UTF-8: <p>Öffne diese Seite.</p>"}; err != nil || kind != "multipart/alternative" ||
		!slices.Equal(parts, want) {
		t.Errorf("%s with %q, error %v", kind, parts, err)
	}
	if p.senders[0] != "blog@example.org" {
		t.Errorf("without an address for returned mails, the sender is %s", p.senders[0])
	}
}

func TestEachMailHasAMessageIDOfItsOwn(t *testing.T) {
	p, address := posted(t)
	m, _ := mailing(t, mail.Options{SMTP: address, From: from})
	list := []domain.Mail{newsletter("a@example.com"), newsletter("a@example.com"), newsletter("a@example.com")}
	list[1].Bulk.Subscriber, list[2].Bulk.PostID = domain.NewUserID(nil), ""
	sendBulk(t, m, list...)
	ids := make(map[string]bool)
	for range list {
		ids[headersOf(t, <-p.taken).Get("Message-ID")] = true
	}
	if len(ids) != len(list) {
		t.Errorf("the ids are %v", ids)
	}
}

func TestNamesOfListsNeverAddMailHeaders(t *testing.T) {
	const evil = "x\r\nBcc: eve@example.org\nX-Forged: yes\r\n\r\n\"<eve@example.org>, <https://eve.example/>"
	folder := t.TempDir()
	m, _ := mailing(t, mail.Options{Outbox: folder})
	one := newsletter("ada@example.com")
	one.Subject, one.FromName, one.ReplyTo, one.Bulk.ListName = evil, evil, "bob@example.net"+evil, evil
	two := newsletter("ada@example.com")
	two.Bulk.ListID, two.Bulk.Unsubscribe, two.Bulk.Archive = evil, evil, evil
	two.Bulk.PostID, two.Bulk.Subscriber = evil, evil
	sendBulk(t, m, one, two)
	files, _ := filepath.Glob(filepath.Join(folder, "*.eml"))
	if len(files) != 2 {
		t.Fatalf("the outbox has %d mails", len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		h := headersOf(t, string(text))
		for name, values := range h {
			if len(values) != 1 || name == "Bcc" || name == "X-Forged" || strings.ContainsAny(values[0], "\r\n") {
				t.Errorf("the header %s is %q", name, values)
			}
		}
		if to, err := h.AddressList("From"); err != nil || len(to) != 1 || to[0].Address != "inkfeed@localhost" {
			t.Errorf("the senders are %v, error %v", to, err)
		}
		if len(h["Reply-To"]) > 0 && h.Get("Reply-To") != "\"Bob\" <bob@example.net>" {
			t.Errorf("replies go to %q", h["Reply-To"])
		}
	}
}

// keyFile writes a private key to a file, and returns its path and the value of its TXT record.
func keyFile(t *testing.T, key crypto.Signer) (path, record string) {
	t.Helper()
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "dkim.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if public, ok := key.Public().(ed25519.PublicKey); ok {
		return path, "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(public)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return path, "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(public)
}

func ed25519Key(t *testing.T) crypto.Signer {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestSignedMailsCannotBeChanged(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]crypto.Signer{"RSA": rsaKey, "Ed25519": ed25519Key(t)} {
		t.Run(name, func(t *testing.T) {
			p, address := posted(t)
			path, record := keyFile(t, key)
			m, _ := mailing(t, mail.Options{SMTP: address, From: from, DKIMKey: path, DKIMSelector: "one"})
			sendBulk(t, m, newsletter("ada@example.com"))
			text := strings.ReplaceAll(<-p.taken, "\n", "\r\n")
			text = strings.ReplaceAll(text, "\r\r\n", "\r\n")
			verify := func(text string) error {
				found, err := dkim.VerifyWithOptions(strings.NewReader(text), &dkim.VerifyOptions{
					LookupTXT: func(name string) ([]string, error) {
						if name != "one._domainkey.example.org" {
							t.Errorf("the key is looked up at %s", name)
						}
						return []string{record}, nil
					}})
				if err != nil || len(found) != 1 {
					t.Fatalf("%d signatures, error %v", len(found), err)
				}
				return found[0].Err
			}
			if err := verify(text); err != nil {
				t.Errorf("the signature is invalid: %v\n%s", err, text)
			}
			for what, changed := range map[string]string{
				"another address to unsubscribe": strings.Replace(text, "/blog.example.org/mail", "/eve.example", 1),
				"no one-click":                   strings.Replace(text, "List-Unsubscribe-Post:", "X-Nothing:", 1),
				"a second subject":               "Subject: Another\r\n" + text,
				"another text":                   strings.Replace(text, "diese Seite", "jene Seite", 1),
			} {
				if changed == text || verify(changed) == nil {
					t.Errorf("%s is not noticed", what)
				}
			}
		})
	}
}

func TestInvalidKeysAndAddressesForReturnsAreRefused(t *testing.T) {
	path, _ := keyFile(t, ed25519Key(t))
	other := filepath.Join(t.TempDir(), "text.pem")
	if err := os.WriteFile(other, bytes.Repeat([]byte("no key"), 10), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]mail.Options{
		"INKFEED_DKIM_SELECTOR:":  {DKIMKey: path},
		"INKFEED_DKIM_KEY and":    {DKIMSelector: "one"},
		"only letters, digits":    {DKIMKey: path, DKIMSelector: "one two"},
		"INKFEED_DKIM_KEY: open":  {DKIMKey: path + ".missing", DKIMSelector: "one"},
		"no private key":          {DKIMKey: other, DKIMSelector: "one"},
		"INKFEED_BOUNCE_ADDRESS:": {Bounces: "bounces"},
		"at most 18 characters":   {Bounces: strings.Repeat("b", 19) + "@example.org"},
	} {
		o.SMTP, o.From = "smtp://mail.example.org", from
		if err := mail.CheckOptions(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	o := mail.Options{SMTP: "smtp://mail.example.org", From: from, DKIMKey: path, DKIMSelector: "s2026.blog",
		Bounces: strings.Repeat("b", 18) + "@example.org"}
	if err := mail.CheckOptions(o); err != nil {
		t.Error(err)
	}
}

func TestARefusedMailToASubscriberIsRecorded(t *testing.T) {
	m, _ := mailing(t, mail.Options{From: from, SMTP: plainServer(t, func(c net.Conn, command string) (more bool) {
		if !strings.HasPrefix(command, "RCPT") {
			return accept(c, command)
		}
		fmt.Fprint(c, "550 5.1.1 no such mailbox\r\n")
		return true
	})})
	var recorded []bounce.Report
	m.OnRefused(func(_ context.Context, r bounce.Report) error {
		recorded = append(recorded, r)
		return nil
	})
	d := m.Seal(domain.DeliverMail, "", time.Hour, newsletter("ada@example.com"))
	errs, _ := deliver(t, m, d, sealed(m, "ben@example.com", "A link", "of no list"))
	want := []bounce.Report{{SubscriberID: reader, PostID: postID, Kind: bounce.Permanent}}
	if errs[0] == nil || errs[1] == nil || !slices.Equal(recorded, want) {
		t.Errorf("errors %v, recorded %+v", errs, recorded)
	}
}
