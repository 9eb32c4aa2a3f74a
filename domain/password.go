package domain

import (
	"slices"
	"strings"
	"unicode"

	"github.com/trustelem/zxcvbn/frequency"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/siteinfo"
)

// PasswordAdvice is the hint that pages show beside a field for a new password.
const PasswordAdvice = "Three or four random words make a strong password."

// Limits that define a password that is easy to guess.
const (
	minDistinct     = 4  // different characters
	minRuns         = 4  // see countRuns
	minNumber       = 12 // characters of a password without a letter
	minOwn          = 4  // letters besides the names of the user and the site
	maxDecoration   = 8  // digits and signs around a common word
	minKnownASCII   = 3  // letters of a name to search for inside a password
	minKnownUnicode = 2  // the same in other scripts, whose words may have two letters

	maxKnown = 8 * names.MaxDisplayName // bytes of the longest name or e-mail address that is looked for
)

// CheckNewPassword is CheckPassword for a password that is being set. It also refuses passwords
// that are easy to guess: common passwords, English words and names, the names of the user or the
// site, short numbers, repetitions and sequences. Case, common replacements such as 0 for o,
// reversal, and up to eight digits and signs around a word make no difference. The parameter known
// has the user's names and e-mail addresses and the site's name and host. The product's name is always added.
//
// The check follows NIST SP 800-63B-4, section 3.1.1.2, which compares the whole password
// with a list, and requires no mixture of characters. Its time is bounded: CheckPassword bounds
// the length of the password, and a known text of more than maxKnown bytes, which cannot be a
// name or an address, is ignored. So callers may pass what a form sent.
func CheckNewPassword(password string, known ...string) error {
	if err := CheckPassword(password); err != nil {
		return err
	}
	folded := cases.Fold().String(norm.NFKC.String(password))
	if isTrivial([]rune(folded)) {
		return errEasyPassword
	}
	known = knownNames(append(known, siteinfo.Product))
	var words []string // words that the password may be a disguise of
	for _, v := range passwordVariants(folded) {
		if v.decoration > maxDecoration {
			continue
		}
		rest, found := without(v.text, known)
		if found && plaintext.Characters(rest) < minOwn {
			return errKnownPassword
		}
		words = append(words, v.text, rest)
	}
	if anyCommon(words) {
		return errEasyPassword
	}
	return nil
}

var (
	errEasyPassword  = FieldError("password", "This password is easy to guess. "+PasswordAdvice)
	errKnownPassword = FieldError("password",
		"Don't use your name, your email address or this site's name as your password. "+PasswordAdvice)
)

// isTrivial reports whether a password is a short number, or consists mostly of repetitions or of
// sequences such as abcd and 4321.
func isTrivial(password []rune) bool {
	distinct := slices.Compact(slices.Sorted(slices.Values(password)))
	number := !slices.ContainsFunc(password, func(r rune) bool {
		return !unicode.IsDigit(r) && (r > unicode.MaxASCII || unicode.IsLetter(r))
	})
	return len(distinct) < minDistinct || number && len(password) < minNumber || countRuns(password) < minRuns
}

// countRuns counts the runs in a text. In a run each character is the same as its predecessor, or
// the next one, or the one before.
func countRuns(text []rune) (runs int) {
	for i := 0; i < len(text); runs++ {
		end := i + 1
		if end < len(text) {
			step := text[end] - text[i]
			for -1 <= step && step <= 1 && end < len(text) && text[end]-text[end-1] == step {
				end++
			}
		}
		i = end
	}
	return runs
}

// passwordVariant is one form of a password in which it is compared with words.
type passwordVariant struct {
	text       string
	decoration int // number of characters that were removed
}

// passwordVariants returns the forms of a password that may be a word. Each is simplified.
func passwordVariants(folded string) []passwordVariant {
	isLetter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }
	isNoLetter := func(r rune) bool { return !isLetter(r) }
	var variants []passwordVariant
	for _, text := range []string{
		folded,
		strings.TrimFunc(folded, func(r rune) bool { return isNoLetter(r) && !unicode.IsDigit(r) }),
		strings.TrimFunc(folded, isNoLetter),
		strings.TrimRightFunc(folded, isNoLetter),
		strings.Map(func(r rune) rune {
			if isLetter(r) {
				return r
			}
			return -1
		}, folded),
	} {
		decoration := plaintext.Characters(folded) - plaintext.Characters(text)
		text = repeatedUnit(simplify(text))
		if text != "" {
			variants = append(variants, passwordVariant{text, decoration}, passwordVariant{reversed(text), decoration})
		}
	}
	return variants
}

// simplified maps each ASCII byte to the byte that it is compared as. Digits and signs map to the
// letter that they commonly replace; i and l, which share such a sign, map to the same letter.
// Bytes that are ignored map to 0.
var simplified = func() (table [unicode.MaxASCII + 1]byte) {
	for c := range table {
		if r := rune(c); unicode.IsLetter(r) || unicode.IsDigit(r) {
			table[c] = byte(c)
		}
	}
	lookalikes := map[byte]string{'a': "4@", 'b': "8", 'e': "3", 'g': "69", 'i': "1!|l", 'o': "0", 's': "$5",
		't': "7+", 'z': "2"}
	for letter, same := range lookalikes {
		for _, c := range same {
			table[c] = letter
		}
	}
	return table
}()

// simplify replaces digits and signs by the letters that they stand for, and removes ignored
// characters.
func simplify(folded string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r <= unicode.MaxASCII && simplified[r] != 0:
			return rune(simplified[r])
		case r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)):
			return r
		}
		return -1
	}, folded)
}

// repeatedUnit returns the shortest text that s is a repetition of, which may be s itself. It takes
// linear time: it finds the longest proper prefix of s that is also a suffix.
func repeatedUnit(s string) string {
	border := make([]int, len(s)+1)
	for i, k := 1, 0; i < len(s); i++ {
		for k > 0 && s[i] != s[k] {
			k = border[k]
		}
		if s[i] == s[k] {
			k++
		}
		border[i+1] = k
	}
	if period := len(s) - border[len(s)]; period > 0 && len(s)%period == 0 {
		return s[:period]
	}
	return s
}

func reversed(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}

// knownNames returns the texts that a password must not consist of, whole and word by word. They
// are simplified, and the longest is first.
func knownNames(known []string) []string {
	var found []string
	add := func(text string) {
		name := simplify(text)
		least := minKnownUnicode
		if names.IsASCII(name) {
			least = minKnownASCII
		}
		if plaintext.Characters(name) >= least {
			found = append(found, name)
		}
	}
	for _, text := range known {
		if text = strings.TrimSpace(text); len(text) > maxKnown {
			continue
		}
		text = cases.Fold().String(norm.NFKC.String(text))
		add(text)
		for word := range strings.FieldsFuncSeq(text,
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }) {
			add(word)
		}
	}
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(found)
}

// without removes names from a text, and reports whether it contained one.
func without(text string, words []string) (rest string, found bool) {
	rest = text
	for _, name := range words {
		if strings.Contains(rest, name) {
			rest, found = strings.ReplaceAll(rest, name, ""), true
		}
	}
	return rest, found
}

// anyCommon reports whether one of the simplified texts is among the common passwords, English
// words and names of zxcvbn's lists. It compares all 94,000 entries, which takes less time than
// hashing a password. An index would take several megabytes of memory.
func anyCommon(texts []string) bool {
	var byFirst [unicode.MaxASCII + 1][]string
	for _, text := range texts {
		if text != "" && names.IsASCII(text) && !slices.Contains(byFirst[text[0]], text) {
			byFirst[text[0]] = append(byFirst[text[0]], text)
		}
	}
	for _, list := range frequency.FrequencyLists {
		for _, word := range list {
			if word[0] > unicode.MaxASCII {
				continue
			}
			for _, text := range byFirst[simplified[word[0]]] {
				if simplifiesTo(word, text) {
					return true
				}
			}
		}
	}
	return false
}

// simplifiesTo reports whether simplify(word) == text, for ASCII, without allocating.
func simplifiesTo(word, text string) bool {
	i := 0
	for _, c := range []byte(word) {
		if c > unicode.MaxASCII {
			return false
		}
		if c = simplified[c]; c == 0 {
			continue
		}
		if i == len(text) || text[i] != c {
			return false
		}
		i++
	}
	return i == len(text)
}

// CheckPassword reports, as an Invalid error about the field "password", why s
// cannot be a password.
func CheckPassword(s string) error {
	switch n := plaintext.Characters(s); {
	case n < MinPassword:
		return FieldError("password", "Use at least {n} characters for your password.", "n", MinPassword)
	case n > MaxPassword || len(s) > plaintext.BytesPerCharacter*MaxPassword:
		return FieldError("password", "Use at most {n} characters for your password.", "n", MaxPassword)
	}
	return nil
}
