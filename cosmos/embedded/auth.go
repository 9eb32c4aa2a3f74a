package embedded

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"inkfeed/cosmos/embedded/internal/apierror"
)

// maxSkew is the maximum difference between the clocks of client and engine.
const maxSkew = 15 * time.Minute

func errUnauthorized() *apierror.Error {
	return apierror.New(http.StatusUnauthorized, apierror.SubNone,
		"The input authorization token can't serve the request. "+
			"The wrong key is being used or the expected payload is not built as per the protocol.")
}

// authorize authenticates a request by a signature with an account key. An engine with the
// well-known key also accepts emulator tokens.
func (e *Engine) authorize(q *request) error {
	header := q.header("Authorization")
	if header == "" {
		return apierror.New(http.StatusUnauthorized, apierror.SubNone, "Required Header authorization is missing.")
	}
	kind, credential, ok := parseAuthorization(header)
	switch {
	case ok && kind == "master":
		return e.checkSignature(q, credential)
	case ok && kind == "aad":
		q.byRID = e.catalog.Load().HasRIDs(q.segs)
		return e.checkToken(q, credential)
	}
	return errUnauthorized()
}

// checkSignature verifies a signature with one of the account keys. Besides protecting the data, it rejects
// requests whose path was changed on the way. For example, an SDK that joins the item id ".." into
// a path addresses the container, but has signed the item.
func (e *Engine) checkSignature(q *request, text string) error {
	sig, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return errUnauthorized()
	}
	date := q.header("X-Ms-Date")
	if date == "" {
		date = q.header("Date")
	}
	sent, ok := parseDate(date)
	if !ok {
		return apierror.New(http.StatusUnauthorized, apierror.SubNone,
			"The input date header is invalid format. Please pass in RFC 1123 style date format.")
	}
	segs := q.signedPath()
	kind, link := signedResource(segs)
	signed := func(kind, link string) bool {
		return slices.ContainsFunc(e.macs, func(macs *sync.Pool) bool {
			return hmac.Equal(sig, sign(macs, q.Method, kind, link, date))
		})
	}
	if !signed(kind, link) {
		rid := strings.ToLower(signedRID(segs))
		q.byRID = rid != "" && signed(kind, rid)
		other := kind == "offers" && signed(kind, "offers/"+rid) ||
			len(segs) < len(q.segs) && signed("partitionkey", link) // as the Python SDK signs an operation
		if !q.byRID && !other {
			return errUnauthorized()
		}
	}
	if time.Since(sent).Abs() > maxSkew {
		return apierror.New(http.StatusForbidden, apierror.SubNone,
			"The authorization token is not valid at the current time: the x-ms-date header is %q.", date)
	}
	return nil
}

// parseDate parses the date of a request without regard to case. The service rejects any other
// format and any zone but GMT (learn.microsoft.com/answers/questions/505129).
func parseDate(text string) (date time.Time, ok bool) {
	date, err := time.Parse(http.TimeFormat, strings.ToUpper(text))
	return date, err == nil
}

// parseAuthorization parses the Authorization header. A signature with the account key must be
// percent-encoded, according to Microsoft's "Access control in the Azure Cosmos DB SQL API". AAD
// tokens may be unencoded, as azcosmos sends them.
func parseAuthorization(header string) (kind, credential string, ok bool) {
	text, err := url.PathUnescape(header)
	if err != nil {
		return "", "", false
	}
	for field := range strings.SplitSeq(text, "&") {
		switch name, v, _ := strings.Cut(field, "="); name {
		case "type":
			kind = v
		case "ver":
			ok = v == "1.0"
		case "sig":
			credential = v
		}
	}
	escaped := !strings.ContainsAny(header, "=&")
	return kind, credential, ok && credential != "" && (escaped || kind != "master")
}

// signedPath returns the path of the resource that clients sign for a request. For an operation on a container they
// sign the container, and for the addresses of replicas what these serve.
func (q *request) signedPath() []string {
	n := len(q.segs)
	switch {
	case n > 2 && n%2 == 0 && q.segs[n-2] == "operations":
		return q.segs[:n-2]
	case n == 1 && q.segs[0] == "addresses":
		return splitPath(&url.URL{Path: q.URL.Query().Get("$resolveFor")})
	}
	return q.segs
}

// signedResource returns the resource type and link that a client signs for a path: the link of a
// resource, or of the parent for a feed.
func signedResource(segs []string) (kind, link string) {
	n := len(segs)
	switch {
	case n == 0:
		return "", ""
	case n%2 == 1:
		return segs[n-1], strings.Join(segs[:n-1], "/")
	}
	return segs[n-2], strings.Join(segs, "/")
}

// keyedHashes returns a pool of hash.Hash values for each account key in base64. An empty key is left out.
func keyedHashes(keys ...string) (pools []*sync.Pool, err error) {
	for _, key := range keys {
		if key == "" {
			continue
		}
		secret, err := base64.StdEncoding.DecodeString(key)
		if err != nil {
			return nil, fmt.Errorf("the account key is not base64: %w", err)
		}
		pools = append(pools, &sync.Pool{New: func() any { return hmac.New(sha256.New, secret) }})
	}
	return pools, nil
}

// sign computes the signature of a request with the key of a pool. It reuses hashes, because setting
// up a keyed hash costs as much as using it.
func sign(macs *sync.Pool, method, kind, link, date string) []byte {
	mac := macs.Get().(hash.Hash)
	defer macs.Put(mac)
	mac.Reset()
	io.WriteString(mac, signedText(method, kind, link, date)) // never fails
	return mac.Sum(nil)
}

// signedText returns the text of a request that clients sign.
func signedText(method, kind, link, date string) string {
	return strings.ToLower(method) + "\n" + strings.ToLower(kind) + "\n" + link + "\n" + strings.ToLower(date) + "\n\n"
}
