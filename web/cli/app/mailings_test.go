package app

import (
	"testing"

	"inkfeed/cosmos"
	"inkfeed/web/mail"
	"inkfeed/web/newsletter"
)

// Without a server, mails would go to the operator, and without an address they would have no links.
func TestASiteThatCannotMailSubscribersDiscardsMailings(t *testing.T) {
	for _, tt := range []struct {
		url, smtp, from string
		mails           bool
	}{
		{"https://blog.example", "", "", false},
		{"", "smtp://127.0.0.1:25", "a@blog.example", false},
		{"https://blog.example", "smtp://127.0.0.1:25", "a@blog.example", true},
	} {
		mailer, err := mail.New(mail.Options{SMTP: tt.smtp, From: tt.from, Keys: [][]byte{make([]byte, 32)}})
		if err != nil {
			t.Fatal(err)
		}
		m := newMailings(&cosmos.Store{}, mailer, &newsletter.Composer{URL: tt.url}, nil, nil, nil)
		if got := m.transport.Composer != nil; got != tt.mails {
			t.Errorf("with URL %q and server %q, mails are written: %v", tt.url, tt.smtp, got)
		}
	}
}
