package importing

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"inkfeed/domain"
)

// digest identifies the content that an import writes. It covers everything that an import updates when the source
// changes.
func digest(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func (w wanted) digest() string {
	return postDigest(w.title, w.content, w.tags, w.details, w.status)
}

func (w wanted) draftDigest() string { return draftDigest(w.title, w.content, w.typed, w.details) }

func digestOf(p domain.Post) string {
	return postDigest(p.Title, p.Content, p.Tags, p.Details, p.Status)
}

func digestOfDraft(d domain.Draft) string { return draftDigest(d.Title, d.Content, d.Tags, d.Details) }

func postDigest(title, content string, tags domain.Tags, d domain.Details, status domain.Status) string {
	return digest(withDetails(d, "post", title, content, string(tags), string(status))...)
}

func draftDigest(title, content, tags string, d domain.Details) string {
	return digest(withDetails(d, "draft", title, content, tags)...)
}

// withDetails appends the details to the parts of a digest. Without details, the digest is that of earlier releases,
// which did not import them.
func withDetails(d domain.Details, parts ...string) []string {
	if text := d.JSON(); text != "" {
		parts = append(parts, text)
	}
	return parts
}
