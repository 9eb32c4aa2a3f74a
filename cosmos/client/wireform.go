package client

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

// KeyHeader is the header with a request's partition key: a JSON array with a value for each path.
const KeyHeader = "x-ms-documentdb-partitionkey"

// wireForm is a pipeline policy that corrects two request headers of azcosmos v1.5.0 to the form
// that the protocol demands:
//
//   - the partition key, which azcosmos quotes as Go does: "\U0001f600" is not JSON;
//   - If-Modified-Since, which ends in "UTC" instead of "GMT". The service discards a time of
//     another form and reads the change feed from its beginning
//     (github.com/Azure/azure-cosmos-dotnet-v3, issue 2031 and pull request 2042).
//
// It must be one of the per-call policies, which run before the per-retry policies.
type wireForm struct{}

func (wireForm) Do(r *policy.Request) (*http.Response, error) {
	header := r.Raw().Header
	if key := header.Get(KeyHeader); strings.ContainsRune(key, '\\') {
		header.Set(KeyHeader, JSONFromGoQuoted(key))
	}
	if since, ok := strings.CutSuffix(header.Get("If-Modified-Since"), " UTC"); ok {
		header.Set("If-Modified-Since", since+" GMT")
	}
	return r.Next()
}

// JSONFromGoQuoted converts an array whose strings have Go's escapes to JSON in ASCII. It returns any
// other text unchanged, and the service then checks it.
func JSONFromGoQuoted(array string) string {
	b := make([]byte, 0, len(array)+16)
	for rest := array; rest != ""; {
		if rest[0] != '"' {
			b, rest = append(b, rest[0]), rest[1:]
			continue
		}
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return array
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			return array
		}
		b, rest = appendASCII(b, text), rest[len(quoted):]
	}
	return string(b)
}

// appendASCII appends a JSON string that consists of printable ASCII characters, as headers
// require. A byte that is not UTF-8 becomes U+FFFD, as in the items that encoding/json writes.
func appendASCII(b []byte, text string) []byte {
	b = append(b, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= ' ' && r < 0x7f:
			b = append(b, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return append(b, '"')
}
