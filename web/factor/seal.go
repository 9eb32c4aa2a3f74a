package factor

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
)

// Sealer keeps the secrets of authenticator apps from whoever sees the data: they cannot be
// digests, for codes are computed from them.
type Sealer struct{ keys []cipher.AEAD }

// NewSealer derives a key from each of the secrets. The first seals, all of them open.
func NewSealer(secrets [][]byte) (*Sealer, error) {
	if len(secrets) == 0 {
		return nil, errors.New("factor: a key is needed")
	}
	s := &Sealer{}
	for _, secret := range secrets {
		key, err := hkdf.Key(sha256.New, secret, nil, "inkfeed second factor: AES-256-GCM", 32)
		if err != nil {
			return nil, err
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		s.keys = append(s.keys, aead)
	}
	return s, nil
}

// Seal encrypts text for one user and purpose, which are not in it.
func (s *Sealer) Seal(userID, purpose string, text []byte) []byte {
	return s.keys[0].Seal(nil, nil, text, bound(userID, purpose))
}

// errSealed says nothing about why: there is nothing that anybody could do about it.
var errSealed = errors.New("factor: not sealed by a known key, for this user and purpose")

// Open decrypts what any of the keys has sealed for that user and purpose.
func (s *Sealer) Open(userID, purpose string, sealed []byte) ([]byte, error) {
	for _, key := range s.keys {
		if text, err := key.Open(nil, nil, sealed, bound(userID, purpose)); err == nil {
			return text, nil
		}
	}
	return nil, errSealed
}

func bound(userID, purpose string) []byte {
	return []byte(purpose + "\x00" + userID)
}
