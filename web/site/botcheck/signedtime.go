package botcheck

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// TimeSigner signs times that browsers send back, so that they cannot be forged. It signs with the
// first key and accepts times that were signed with any of the keys, so keys can be rotated.
type TimeSigner struct{ keys [][]byte }

// NewTimeSigner derives a key from each secret, for the given purpose only.
func NewTimeSigner(secrets [][]byte, purpose string) (TimeSigner, error) {
	var s TimeSigner
	for _, secret := range secrets {
		key, err := hkdf.Key(sha256.New, secret, nil, "inkfeed "+purpose+": HMAC-SHA256", 32)
		if err != nil {
			return TimeSigner{}, fmt.Errorf("derive the key for the %s: %w", purpose, err)
		}
		s.keys = append(s.keys, key)
	}
	return s, nil
}

// Sign returns a time, to the millisecond, with its signature.
func (s TimeSigner) Sign(at time.Time) string {
	return s.sign(strconv.FormatInt(at.UnixMilli(), 36))
}

// SignUnique is Sign with a random part, so that every signed time is another.
func (s TimeSigner) SignUnique(at time.Time) string {
	return s.sign(strconv.FormatInt(at.UnixMilli(), 36) + "-" + rand.Text()[:12])
}

func (s TimeSigner) sign(text string) string { return text + "." + sign(s.keys[0], text) }

func sign(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// Verify returns the time in a signed text, if its signature is valid.
func (s TimeSigner) Verify(signed string) (time.Time, bool) {
	text, signature, _ := strings.Cut(signed, ".")
	for _, key := range s.keys {
		if hmac.Equal([]byte(signature), []byte(sign(key, text))) {
			at, _, _ := strings.Cut(text, "-")
			ms, err := strconv.ParseInt(at, 36, 64)
			return time.UnixMilli(ms), err == nil
		}
	}
	return time.Time{}, false
}
