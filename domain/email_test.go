package domain_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
)

func TestEmailAddressIsValidatedAndNormalised(t *testing.T) {
	for text, want := range map[string]string{
		" ada@example.org ":         "ada@example.org",
		"Ada.L+blog@Example.ORG":    "Ada.L+blog@example.org",
		"o'hara@mail.example.co.uk": "o'hara@mail.example.co.uk",
		"ada@bücher.example":        "ada@xn--bcher-kva.example",
	} {
		if got, err := domain.CleanEmail(text); err != nil || got != want {
			t.Errorf("%q becomes %q, error %v", text, got, err)
		}
	}
	for _, text := range []string{"", "ada", "@example.org", "ada@", "ada@example", "a b@example.org",
		"ada@exa mple.org",
		"ada@example.org\r\nBcc: eve@example.org", "Ada <ada@example.org>", "ada@example.org, eve@example.org",
		`"a"@example.org`,
		"ada@@example.org", "ada@[127.0.0.1]", "аda@example.org", strings.Repeat("a", 65) + "@example.org", "ada@" +
			strings.Repeat("a.", 130) + "org",
		".ada@example.org", "ada@-x.example", "ada@example..org", "ada\x00@example.org"} {
		if got, err := domain.CleanEmail(text); !domain.Is(err, domain.Invalid) {
			t.Errorf("%q is accepted as %q", text, got)
		}
	}
	if domain.EmailKey("Ada@example.org") != domain.EmailKey("ada@EXAMPLE.org") ||
		domain.EmailKey("ada@example.org") == domain.EmailKey("ada@example.com") {
		t.Error("one mailbox has two keys, or two mailboxes have one")
	}
}
