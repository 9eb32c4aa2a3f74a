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

// What every authenticator app can do, and most of them only that.
const (
	totpSecret = 20 // bytes, as long as what SHA-1 makes
	totpPeriod = 30 // seconds a step
	totpDigits = 6
	totpSkew   = 1 // steps a clock may be ahead or behind
)

var secretText = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewTOTP makes the secret that an authenticator app shares with the site.
func NewTOTP() []byte {
	secret := make([]byte, totpSecret)
	_, _ = rand.Read(secret) // never fails
	return secret
}

// TOTPText is a secret in groups of four letters and digits, to be typed into an app.
func TOTPText(secret []byte) string {
	var groups []string
	text := secretText.EncodeToString(secret)
	for ; len(text) > 4; text = text[4:] {
		groups = append(groups, text[:4])
	}
	return strings.Join(append(groups, text), " ")
}

// TOTPStep finds the time step that a code is of, near now and after the last one that was
// taken. A code that is right but was taken is as good as a wrong one.
func TOTPStep(secret []byte, code string, now time.Time, last int64) (step int64, ok bool) {
	code = digits(code)
	if len(code) != totpDigits {
		return 0, false
	}
	options := hotp.ValidateOpts{Digits: totpDigits, Algorithm: otp.AlgorithmSHA1}
	at := now.Unix() / totpPeriod
	for step := at - totpSkew; step <= at+totpSkew; step++ {
		if step <= last {
			continue
		}
		if valid, err := hotp.ValidateCustom(code, uint64(step), secretText.EncodeToString(secret),
			options); err == nil && valid {
			return step, true
		}
	}
	return 0, false
}

// digits leaves out what apps show between the digits of a code.
func digits(code string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '-' {
			return -1
		}
		return r
	}, code)
}

// TOTPAddress is what an app reads from a picture.
func TOTPAddress(secret []byte, issuer, account string) string {
	query := url.Values{"secret": {secretText.EncodeToString(secret)}, "issuer": {issuer}, "algorithm": {"SHA1"},
		"digits": {fmt.Sprint(totpDigits)}, "period": {fmt.Sprint(totpPeriod)}}
	// Apps take a plus for a plus.
	return "otpauth://totp/" + url.PathEscape(issuer) + ":" + url.PathEscape(account) + "?" +
		strings.ReplaceAll(query.Encode(), "+", "%20")
}

// pictureSize is that of a QR code in pixels each way.
const pictureSize = 264

// TOTPPicture is an address as a QR code, a PNG.
func TOTPPicture(address string) ([]byte, error) {
	key, err := otp.NewKeyFromURL(address)
	if err != nil {
		return nil, err
	}
	picture, err := key.Image(pictureSize, pictureSize)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = png.Encode(&b, picture)
	return b.Bytes(), err
}
