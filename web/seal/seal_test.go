package seal_test

import (
	"bytes"
	"testing"

	"inkfeed/web/seal"
)

func sealer(t *testing.T, keys ...byte) *seal.Sealer {
	t.Helper()
	var secrets [][]byte
	for _, k := range keys {
		secrets = append(secrets, bytes.Repeat([]byte{k}, 32))
	}
	s, err := seal.New("test", secrets)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSealedSecrets(t *testing.T) {
	text := []byte("a secret")
	sealed := sealer(t, 1).Seal("ada", "totp", text)
	t.Run("are opened by every known key", func(t *testing.T) {
		for _, s := range []*seal.Sealer{sealer(t, 1), sealer(t, 2, 1), sealer(t, 3, 2, 1)} {
			if got, err := s.Open("ada", "totp", sealed); err != nil || !bytes.Equal(got, text) {
				t.Errorf("opened %q, error %v", got, err)
			}
		}
	})
	t.Run("are sealed with the first key", func(t *testing.T) {
		if _, err := sealer(t, 2).Open("ada", "totp", sealer(t, 2, 1).Seal("ada", "totp", text)); err != nil {
			t.Error(err)
		}
	})
	t.Run("reveal nothing and differ each time", func(t *testing.T) {
		if bytes.Contains(sealed, text) || bytes.Equal(sealed, sealer(t, 1).Seal("ada", "totp", text)) {
			t.Error("the secret is visible, or two sealed secrets are equal")
		}
	})
	t.Run("are not opened by another key, for another user or purpose, or after tampering",
		func(t *testing.T) {
			refuse := func(s *seal.Sealer, user, purpose string, sealed []byte) {
				t.Helper()
				if got, err := s.Open(user, purpose, sealed); err == nil {
					t.Errorf("opened %q", got)
				}
			}
			refuse(sealer(t, 2), "ada", "totp", sealed)
			refuse(sealer(t, 1), "ben", "totp", sealed)
			refuse(sealer(t, 1), "ada", "enrol", sealed)
			refuse(sealer(t, 1), "ada", "totp", nil)
			for i := range sealed {
				tampered := bytes.Clone(sealed)
				tampered[i] ^= 1
				refuse(sealer(t, 1), "ada", "totp", tampered)
				refuse(sealer(t, 1), "ada", "totp", sealed[:i])
			}
		})
	t.Run("require a key", func(t *testing.T) {
		if _, err := seal.New("test", nil); err == nil {
			t.Error("no error")
		}
	})
}
