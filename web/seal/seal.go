// Package seal encrypts what is stored and must not be read there.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// Sealer encrypts texts, so that stored data does not reveal them.
type Sealer struct{ keys []cipher.AEAD }

// New derives a key from each of the secrets, for one use, such as "second factor". Seal uses the first key, Open tries
// all of them.
func New(use string, secrets [][]byte) (*Sealer, error) {
	if len(secrets) == 0 {
		return nil, errors.New("seal: no key is configured")
	}
	s := &Sealer{}
	for _, secret := range secrets {
		key, err := hkdf.Key(sha256.New, secret, nil, "inkfeed "+use+": AES-256-GCM", 32)
		if err != nil {
			return nil, fmt.Errorf("seal: derive a key: %w", err)
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, fmt.Errorf("seal: make a cipher: %w", err)
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, fmt.Errorf("seal: make a cipher: %w", err)
		}
		s.keys = append(s.keys, aead)
	}
	return s, nil
}

// Seal encrypts text for one user and purpose. They are authenticated, but not contained in the
// result.
func (s *Sealer) Seal(userID, purpose string, text []byte) []byte {
	return s.keys[0].Seal(nil, nil, text, additionalData(userID, purpose))
}

// errCannotOpen does not tell whether the key, the user or the purpose is wrong: decryption cannot
// know.
var errCannotOpen = errors.New("seal: not sealed by a known key, for this user and purpose")

// Open decrypts text that Seal encrypted with any of the keys, for the same user and purpose.
func (s *Sealer) Open(userID, purpose string, sealed []byte) ([]byte, error) {
	for _, key := range s.keys {
		if text, err := key.Open(nil, nil, sealed, additionalData(userID, purpose)); err == nil {
			return text, nil
		}
	}
	return nil, errCannotOpen
}

func additionalData(userID, purpose string) []byte {
	return []byte(purpose + "\x00" + userID)
}
