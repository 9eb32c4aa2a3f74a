// Package bounce reads mails that came back, and complaints, and records them. Each mail of a list names its receiver
// in its envelope address and in its Message-ID. Both are signed, so that nobody can invent a returned mail.
package bounce

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"inkfeed/domain/subscription"
)

// MaxTag is the number of characters that Sender adds to the local part of an address, which may have 64 of them.
const MaxTag = 1 + 28 + 1 + 16

// Signer signs and recognises the names of receivers in mails.
type Signer struct{ keys [][]byte }

// NewSigner derives a key from each of the secrets. The first signs, all are accepted.
func NewSigner(secrets [][]byte) (*Signer, error) {
	if len(secrets) == 0 {
		return nil, errors.New("bounce: no key is configured")
	}
	s := &Signer{}
	for _, secret := range secrets {
		key, err := hkdf.Key(sha256.New, secret, nil, "inkfeed returned mail: HMAC-SHA-256", sha256.Size)
		if err != nil {
			return nil, fmt.Errorf("bounce: derive a key: %w", err)
		}
		s.keys = append(s.keys, key)
	}
	return s, nil
}

// Sender returns the envelope address of a mail to a subscriber: the address for returned mails with a signed tag.
func (s *Signer) Sender(address, subscriberID string) string {
	at := strings.LastIndexByte(address, '@')
	return address[:at] + "+" + s.sign(subscriberID) + address[at:]
}

// MessageID returns the part of a Message-ID before the host. It is the same for the same mail: that of a post, or the
// one with an id if it has none.
func (s *Signer) MessageID(subscriberID, postID, id string) string {
	name := "p-" + postID
	if postID == "" {
		sum := sha256.Sum256([]byte(id))
		name = "m-" + alphabet.EncodeToString(sum[:macBytes])
	}
	return s.sign(name + "." + subscriberID)
}

// alphabet is in lower case, because some mail servers do not keep the case of addresses.
var alphabet = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

const macBytes = 10 // 80 bits, which can only be guessed by sending mails

func (s *Signer) sign(text string) string { return text + "." + mac(s.keys[0], text) }

func mac(key []byte, text string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return alphabet.EncodeToString(h.Sum(nil)[:macBytes])
}

// signed matches what Sender and MessageID return: the post, if any, the subscriber and the signature.
var signed = regexp.MustCompile(`((?:(?:p-([a-z0-9]{1,40})|m-[a-z2-7]{16})\.)?([us]\.[a-z0-9]{26}))\.([a-z2-7]{16})@`)

// maxCandidates is the number of signatures of one text that are checked.
const maxCandidates = 10

// find returns the subscriber, and the post if it is named, of the first valid signature in a text.
func (s *Signer) find(text string) (subscriberID, postID string, ok bool) {
	for _, found := range signed.FindAllStringSubmatch(strings.ToLower(text), maxCandidates) {
		for _, key := range s.keys {
			if hmac.Equal([]byte(found[4]), []byte(mac(key, found[1]))) && subscription.IsSubscriberID(found[3]) {
				return found[3], found[2], true
			}
		}
	}
	return "", "", false
}
