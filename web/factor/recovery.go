package factor

import (
	"crypto/rand"
	"encoding/base32"
	"strings"

	"inkfeed/domain"
)

// RecoveryCodes is the number of recovery codes in a set.
const RecoveryCodes = 10

// A recovery code has 80 random bits, too many to guess. So its digest needs neither a salt nor a
// slow hash. The alphabet leaves out letters that look like digits.
const (
	recoveryBytes  = 10
	recoveryGroups = 4 // characters in a group
)

var recoveryEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewRecoveryCodes returns a set of random codes such as 7h2k-9m4q-x0tp-3vbn. Each can be used once
// in place of a second factor.
func NewRecoveryCodes() []string {
	codes := make([]string, RecoveryCodes)
	for i := range codes {
		random := make([]byte, recoveryBytes)
		_, _ = rand.Read(random) // never fails
		codes[i] = grouped(recoveryEncoding.EncodeToString(random))
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

// lookalikes maps letters that people mistake for digits.
var lookalikes = strings.NewReplacer("o", "0", "i", "1", "l", "1")

// ParseRecoveryCode normalises a typed code and reports whether it has the form of one.
func ParseRecoveryCode(typed string) (code string, ok bool) {
	text := lookalikes.Replace(strings.ToLower(stripSeparators(typed)))
	random, err := recoveryEncoding.DecodeString(text)
	if err != nil || len(random) != recoveryBytes || len(text) != recoveryEncoding.EncodedLen(recoveryBytes) {
		return "", false
	}
	return grouped(text), true
}

// RecoveryDigest returns the digest that is stored of a user's code.
func RecoveryDigest(userID, code string) string {
	return domain.SecretDigest("recovery\x00" + userID + "\x00" + code)
}

// RecoveryDigests returns the digests that are stored of a user's codes.
func RecoveryDigests(userID string, codes []string) []string {
	digests := make([]string, len(codes))
	for i, code := range codes {
		digests[i] = RecoveryDigest(userID, code)
	}
	return digests
}
