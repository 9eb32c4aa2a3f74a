package factor

import (
	"crypto/rand"
	"encoding/base32"
	"strings"

	"inkfeed/domain"
)

// RecoveryCodes is how many codes a user is given at a time.
const RecoveryCodes = 10

// A recovery code has 80 bits, too many to be tried out: its digest needs no salt and need
// not be slow. Letters that look like digits are none of it.
const (
	recoveryBytes  = 10
	recoveryGroups = 4 // characters each
)

var recoveryText = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewRecoveryCodes makes codes, each good once in place of a second factor, such as
// 7h2k-9m4q-x0tp-3vbn.
func NewRecoveryCodes() []string {
	codes := make([]string, RecoveryCodes)
	for i := range codes {
		random := make([]byte, recoveryBytes)
		_, _ = rand.Read(random) // never fails
		codes[i] = grouped(recoveryText.EncodeToString(random))
	}
	return codes
}

func grouped(text string) string {
	var groups []string
	for ; text != ""; text = text[recoveryGroups:] {
		groups = append(groups, text[:recoveryGroups])
	}
	return strings.Join(groups, "-")
}

// lookalikes are what people read for the digits of a code.
var lookalikes = strings.NewReplacer("o", "0", "i", "1", "l", "1")

// ParseRecoveryCode finds the code in what somebody typed, and reports whether it could be
// one.
func ParseRecoveryCode(typed string) (code string, ok bool) {
	text := lookalikes.Replace(strings.ToLower(digits(typed)))
	random, err := recoveryText.DecodeString(text)
	if err != nil || len(random) != recoveryBytes || len(text) != recoveryText.EncodedLen(recoveryBytes) {
		return "", false
	}
	return grouped(text), true
}

// RecoveryDigest is what is kept of a user's code.
func RecoveryDigest(userID, code string) string {
	return domain.SecretDigest("recovery\x00" + userID + "\x00" + code)
}

// RecoveryDigests is what is kept of a user's codes.
func RecoveryDigests(userID string, codes []string) []string {
	kept := make([]string, len(codes))
	for i, code := range codes {
		kept[i] = RecoveryDigest(userID, code)
	}
	return kept
}
