package mail

import (
	"bytes"
	"cmp"
	"net/mail"
	"regexp"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"inkfeed/domain"
)

// message makes the message of a mail. A repeated attempt has the same Message-ID, so that receivers can drop it.
// Values never add headers: go-mail encodes line breaks, or the value is parsed first.
func (m *Mailer) message(id string, created time.Time, letter domain.Mail) (*gomail.Msg, error) {
	// Every server accepts this encoding. The outbox does without.
	msg := gomail.NewMsg(gomail.WithEncoding(gomail.EncodingQP), gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&mail.Address{Name: cmp.Or(letter.FromName, m.from.Name), Address: m.from.Address})
	if err := msg.To(letter.To); err != nil {
		return nil, refusal("The receiver's address is invalid.")
	}
	if to, err := mail.ParseAddress(letter.ReplyTo); err == nil {
		msg.ReplyToMailAddress(to)
	}
	msg.SetDateWithValue(created)
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.Subject(letter.Subject)
	msg.SetBodyString(gomail.TypeTextPlain, letter.Text)
	if letter.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, letter.HTML)
	}
	if letter.Bulk != nil {
		id = m.signer.MessageID(letter.Bulk.Subscriber, letter.Bulk.PostID, id)
		m.addBulkHeaders(msg, letter.Bulk)
	}
	msg.SetMessageIDWithValue(id + "@" + hostOf(m.from)) // the default would reveal the name of this machine
	return msg, nil
}

// hostOf returns the part of an address after the @.
func hostOf(a *mail.Address) string { return a.Address[strings.LastIndexByte(a.Address, '@')+1:] }

// addBulkHeaders adds the headers of a mail to the subscribers of a list (RFC 2369, RFC 2919, RFC 8058), and the
// envelope address by which a returned mail names its receiver.
func (m *Mailer) addBulkHeaders(msg *gomail.Msg, b *domain.BulkHeaders) {
	name, _ := strings.CutSuffix((&mail.Address{Name: b.ListName, Address: "a@b"}).String(), "<a@b>")
	msg.SetGenHeader("List-Id", name+"<"+b.ListID+"."+hostOf(m.from)+">")
	msg.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+b.Unsubscribe+">")
	msg.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	if b.Archive != "" {
		msg.SetGenHeader("List-Archive", "<"+b.Archive+">")
	}
	msg.SetGenHeader("Feedback-ID", cmp.Or(b.PostID, "digest")+":"+b.ListID+":subscription:inkfeed")
	if m.bounces != nil {
		msg.EnvelopeFromMailAddress(&mail.Address{Address: m.signer.Sender(m.bounces.Address, b.Subscriber)})
	}
}

// render returns the text of a message with its signature, if any.
func (m *Mailer) render(msg *gomail.Msg) ([]byte, error) {
	var text bytes.Buffer
	if _, err := msg.WriteTo(&text); err != nil {
		return nil, err
	}
	// go-mail begins a new line for a long first word, such as an address. Spam filters dislike an empty first line.
	header, body, _ := bytes.Cut(text.Bytes(), []byte("\r\n\r\n"))
	header = bytes.ReplaceAll(header, []byte(":\r\n "), []byte(": "))
	return m.dkim.sign(bytes.Join([][]byte{header, body}, []byte("\r\n\r\n")))
}

var addressPattern = regexp.MustCompile(`[^\s<>"'(),;]+@[^\s<>"'(),;]+`)

// maxAnswer is the maximum length of an answer of the server that is stored, in bytes.
const maxAnswer = 500

// scrub shortens what a server answered, and replaces email addresses in it, since servers repeat them.
func scrub(text string) string {
	text = addressPattern.ReplaceAllString(strings.ToValidUTF8(text, "�"), "[address]")
	if len(text) > maxAnswer {
		text = strings.ToValidUTF8(text[:maxAnswer], "") + " …"
	}
	return text
}
