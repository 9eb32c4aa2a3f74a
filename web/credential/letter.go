package credential

import (
	"context"
	"strings"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
)

// Letter returns a mail to a user, or to a person without an account if the user is zero. Its texts are in the
// language of the context, which must be that of the user: see site.Site.MailContext. Links are verbatim messages.
func Letter(ctx context.Context, to string, u domain.User, subject locale.Message,
	paragraphs ...locale.Message) domain.Mail {
	var texts []string
	if u.Username != "" {
		texts = []string{locale.T(ctx, "Hello {name},", "name", u.Username)}
	}
	for _, p := range paragraphs {
		texts = append(texts, wrap(p.In(ctx)))
	}
	return domain.Mail{To: to, Subject: subject.In(ctx), Text: strings.Join(texts, "\n\n") + "\n"}
}

// mailWidth is the maximum length of a line in a mail, in characters, unless it is one word such as a link.
const mailWidth = 76

// wrap breaks the lines of a text between words.
func wrap(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		width := 0
		for j, word := range strings.Split(line, " ") {
			length := plaintext.Characters(word)
			switch {
			case j == 0:
			case width+1+length > mailWidth:
				b.WriteByte('\n')
				width = 0
			default:
				b.WriteByte(' ')
				width++
			}
			b.WriteString(word)
			width += length
		}
	}
	return b.String()
}
