package factor

import (
	"bytes"
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"image/png"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
)

// The parameters that every authenticator app supports (RFC 6238).
const (
	totpSecretBytes = 20 // the size of a SHA-1 hash
	totpPeriod      = 30 // seconds in a step
	totpDigits      = 6
	totpSkew        = 1 // steps that a clock may be ahead or behind
)

var secretEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewTOTPSecret returns a random secret to share with an authenticator app.
func NewTOTPSecret() []byte {
	secret := make([]byte, totpSecretBytes)
	_, _ = rand.Read(secret) // never fails
	return secret
}

// FormatTOTPSecret returns a secret in base32, in groups of four, to be typed into an app.
func FormatTOTPSecret(secret []byte) string {
	var groups []string
	text := secretEncoding.EncodeToString(secret)
	for ; len(text) > 4; text = text[4:] {
		groups = append(groups, text[:4])
	}
	return strings.Join(append(groups, text), " ")
}

// MatchTOTP returns the time step that a code belongs to. The step must be within totpSkew of now
// and after last, the last step that was accepted: each code is accepted once.
func MatchTOTP(secret []byte, code string, now time.Time, last int64) (step int64, ok bool) {
	code = stripSeparators(code)
	if len(code) != totpDigits {
		return 0, false
	}
	options := hotp.ValidateOpts{Digits: totpDigits, Algorithm: otp.AlgorithmSHA1}
	at := now.Unix() / totpPeriod
	for step := at - totpSkew; step <= at+totpSkew; step++ {
		if step <= last {
			continue
		}
		if valid, err := hotp.ValidateCustom(code, uint64(step), secretEncoding.EncodeToString(secret),
			options); err == nil && valid {
			return step, true
		}
	}
	return 0, false
}

// stripSeparators removes spaces and hyphens, which apps show within a code.
func stripSeparators(code string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '-' {
			return -1
		}
		return r
	}, code)
}

// TOTPURL returns the otpauth URL of a secret, for a QR code.
func TOTPURL(secret []byte, issuer, account string) string {
	query := url.Values{"secret": {secretEncoding.EncodeToString(secret)}, "issuer": {issuer}, "algorithm": {"SHA1"},
		"digits": {fmt.Sprint(totpDigits)}, "period": {fmt.Sprint(totpPeriod)}}
	// Apps do not decode a plus sign as a space.
	return "otpauth://totp/" + url.PathEscape(issuer) + ":" + url.PathEscape(account) + "?" +
		strings.ReplaceAll(query.Encode(), "+", "%20")
}

// qrCodeSize is the width and height of a QR code in pixels.
const qrCodeSize = 264

// TOTPQRCode returns a QR code of an otpauth URL, as a PNG.
func TOTPQRCode(address string) ([]byte, error) {
	key, err := otp.NewKeyFromURL(address)
	if err != nil {
		return nil, err
	}
	picture, err := key.Image(qrCodeSize, qrCodeSize)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = png.Encode(&b, picture)
	return b.Bytes(), err
}
