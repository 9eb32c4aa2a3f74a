package embedded

import (
	"crypto/hmac"
	"encoding/base64"
	"hash"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxSkew is how far the client's clock may be from ours.
const maxSkew = 15 * time.Minute

func errUnauthorized() *apiError {
	return failure(http.StatusUnauthorized, subNone, "The input authorization token can't serve the request. "+
		"The wrong key is being used or the expected payload is not built as per the protocol.")
}

// authorize checks the signature. Besides protecting the data it refuses requests whose
// path was changed on the way: an SDK that joins an item id of ".." into the path
// addresses the container, but has signed the item.
func (e *Engine) authorize(q *request) error {
	header := q.header("Authorization")
	if header == "" {
		return failure(http.StatusUnauthorized, subNone, "Required Header authorization is missing.")
	}
	date := q.header("X-Ms-Date")
	if date == "" {
		date = q.header("Date")
	}
	sig, ok := signatureOf(header)
	if !ok {
		return errUnauthorized()
	}
	kind, link := signedResource(q.segs)
	valid := hmac.Equal(sig, e.sign(q.Method, kind, link, date))
	if !valid && kind == "offers" && len(q.segs) == 2 {
		valid = hmac.Equal(sig, e.sign(q.Method, kind, strings.ToLower(q.segs[1]), date))
	}
	if !valid {
		return errUnauthorized()
	}
	sent, err := http.ParseTime(date)
	if err != nil || time.Since(sent).Abs() > maxSkew {
		return failure(http.StatusForbidden, subNone, "The authorization token is not valid at the current time: the x-ms-date header is %q.", date)
	}
	return nil
}

// signatureOf takes the signature out of the header. A bare plus is not a space.
func signatureOf(header string) ([]byte, bool) {
	text, err := url.PathUnescape(header)
	if err != nil {
		return nil, false
	}
	for field := range strings.SplitSeq(text, "&") {
		name, v, _ := strings.Cut(field, "=")
		switch {
		case name == "type" && v != "master", name == "ver" && v != "1.0":
			return nil, false
		case name == "sig":
			sig, err := base64.StdEncoding.DecodeString(v)
			return sig, err == nil
		}
	}
	return nil, false
}

// signedResource is the type and link that a client signs for a path: of a resource its
// own link, of a feed its parent's.
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

// sign computes the signature of a request. The hashes are kept, for setting one up with
// the key costs as much as using it.
func (e *Engine) sign(method, kind, link, date string) []byte {
	mac := e.macs.Get().(hash.Hash)
	defer e.macs.Put(mac)
	mac.Reset()
	io.WriteString(mac, signedText(method, kind, link, date)) // never fails
	return mac.Sum(nil)
}

// signedText is what is signed of a request.
func signedText(method, kind, link, date string) string {
	return strings.ToLower(method) + "\n" + strings.ToLower(kind) + "\n" + link + "\n" + strings.ToLower(date) + "\n\n"
}
