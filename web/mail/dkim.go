package mail

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/emersion/go-msgauth/dkim"
	gomail "github.com/wneessen/go-mail"
)

// dkimKey signs mails (RFC 6376).
type dkimKey struct{ options dkim.SignOptions }

// readDKIM reads the private key. It returns nil without one.
func readDKIM(path, selector, domain string) (*dkimKey, error) {
	if path == "" && selector == "" {
		return nil, nil
	}
	if path == "" || selector == "" || strings.Trim(strings.ToLower(selector), selectorLetters) != "" {
		return nil, errors.New("INKFEED_DKIM_KEY and INKFEED_DKIM_SELECTOR: both are needed, and a selector has only " +
			"letters, digits, hyphens and dots")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("INKFEED_DKIM_KEY: %w", err)
	}
	key, err := gomail.PrivKeyFromPEM(text)
	if err != nil {
		return nil, fmt.Errorf("INKFEED_DKIM_KEY: %s has no private key of RSA or Ed25519 in PEM: %w", path, err)
	}
	return &dkimKey{dkim.SignOptions{Domain: domain, Selector: selector, Signer: key,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
		HeaderKeys: slices.Concat(signedHeaders, signedHeaders)}}, nil
}

const selectorLetters = "abcdefghijklmnopqrstuvwxyz0123456789-."

// signedHeaders are signed once more often than a mail has them, so that nobody can add another.
var signedHeaders = []string{"From", "Reply-To", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
	"Content-Transfer-Encoding", "Auto-Submitted", "List-Id", "List-Unsubscribe", "List-Unsubscribe-Post",
	"List-Archive", "Feedback-ID"}

// sign adds the signature to a message. A nil key adds none.
func (k *dkimKey) sign(text []byte) ([]byte, error) {
	if k == nil {
		return text, nil
	}
	var signed bytes.Buffer
	err := dkim.Sign(&signed, bytes.NewReader(text), &k.options)
	return signed.Bytes(), err
}

// record returns the name and the value of the TXT record with the public key.
func (k *dkimKey) record() (name, value string) {
	kind, public := "rsa", []byte(nil)
	switch key := k.options.Signer.Public().(type) {
	case ed25519.PublicKey:
		kind, public = "ed25519", key
	default:
		public, _ = x509.MarshalPKIXPublicKey(key) // fails for other kinds of keys only
	}
	return k.options.Selector + "._domainkey." + k.options.Domain,
		"v=DKIM1; k=" + kind + "; p=" + base64.StdEncoding.EncodeToString(public)
}
