package static

import (
	"slices"
	"strings"
)

// Coding is a content coding, which compresses a response.
type Coding uint8

// The codings that responses are served in.
const (
	Identity Coding = iota // uncompressed
	Gzip
	Zstd
	Brotli
)

var codingNames = [...]string{Identity: "identity", Gzip: "gzip", Zstd: "zstd", Brotli: "br"}

// String is the coding's name in Accept-Encoding and Content-Encoding.
func (c Coding) String() string { return codingNames[c] }

// Encodings are the weights that a client gives to each coding, in thousandths. It does not accept a coding with weight
// 0, except Identity, which is then the last resort. The zero value accepts Identity only.
type Encodings [len(codingNames)]uint16

// Accepts parses the values of Accept-Encoding (RFC 9110, section 12.5.3) without allocating. A malformed coding counts
// as not accepted, because every client understands an uncompressed response.
func Accepts(values ...string) (e Encodings) {
	var named [len(codingNames)]bool
	var others uint16 // the weight of "*", for codings that are not named
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			name, parameter, weighed := strings.Cut(part, ";")
			weight := uint16(most)
			if weighed {
				weight = parseWeight(strings.Trim(parameter, blanks))
			}
			name = strings.Trim(name, blanks)
			if name == "*" {
				others = weight
			}
			known := func(n string) bool { return strings.EqualFold(n, name) }
			if i := slices.IndexFunc(codingNames[:], known); i >= 0 {
				e[i], named[i] = weight, true
			}
		}
	}
	for i := range e {
		if !named[i] {
			e[i] = others
		}
	}
	return e
}

// Best returns the offered coding, or Identity, with the highest weight. Among equals the first wins, and Identity
// comes last. For a client that accepts none of them it returns Identity, which is more useful than an error.
func (e Encodings) Best(offered ...Coding) Coding {
	best, weight := Identity, e[Identity]
	for _, c := range offered {
		if w := e[c]; w > weight || best == Identity && w == weight && w > 0 {
			best, weight = c, w
		}
	}
	return best
}

const (
	blanks = " \t"
	most   = 1000
)

// parseWeight reads a weight such as q=0.5, and returns 0 for anything else.
func parseWeight(s string) uint16 {
	if len(s) < len("q=0") || s[0]|0x20 != 'q' || s[1] != '=' {
		return 0
	}
	whole, decimals, _ := strings.Cut(s[2:], ".")
	if whole != "0" && whole != "1" || len(decimals) > 3 {
		return 0
	}
	weight, unit := uint16(whole[0]-'0')*most, uint16(most/10)
	for _, digit := range []byte(decimals) {
		if digit < '0' || digit > '9' {
			return 0
		}
		weight += uint16(digit-'0') * unit
		unit /= 10
	}
	if weight > most {
		return 0
	}
	return weight
}
