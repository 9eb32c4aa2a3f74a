package mail

import (
	"regexp"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"inkfeed/domain"
)

// message makes the message of a delivery. A repeated attempt has the same Message-ID, so that receivers can drop it.
func (m *Mailer) message(d domain.Delivery, mail domain.Mail) (*gomail.Msg, error) {
	// Every server accepts this encoding. The outbox does without.
	msg := gomail.NewMsg(gomail.WithEncoding(gomail.EncodingQP), gomail.WithNoDefaultUserAgent())
	if err := msg.FromFormat(m.from.Name, m.from.Address); err != nil {
		return nil, refusal("The sender's address is invalid.")
	}
	if err := msg.To(mail.To); err != nil {
		return nil, refusal("The receiver's address is invalid.")
	}
	host := m.from.Address[strings.LastIndexByte(m.from.Address, '@')+1:]
	msg.SetMessageIDWithValue(d.ID + "@" + host) // the default would reveal the name of this machine
	msg.SetDateWithValue(d.Created)
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.Subject(mail.Subject)
	msg.SetBodyString(gomail.TypeTextPlain, mail.Text)
	return msg, nil
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
