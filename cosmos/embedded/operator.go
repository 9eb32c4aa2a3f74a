package embedded

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"inkfeed/cosmos/embedded/internal/execution"
)

// extensionHeader marks responses to requests that exist only in this engine's protocol. Clients
// detect the engine by it.
const extensionHeader = "X-Inkfeed-Extension"

// Operator sends signed requests to a running engine, among them those that the service's protocol does not have.
type Operator struct {
	Endpoint string // https://host:port/
	Key      string // account key in base64
	Client   interface {
		Do(*http.Request) (*http.Response, error)
	}
}

// ErrNotEmbedded means that the endpoint is not an embedded engine. It may be the service.
var ErrNotEmbedded = errors.New("not an embedded engine")

// ErrKey means that the engine rejected the account key.
var ErrKey = errors.New("the account key is not accepted")

// NewRange is a feed range created by a split.
type NewRange struct {
	ID           string   `json:"id"`
	MinInclusive string   `json:"minInclusive"`
	MaxExclusive string   `json:"maxExclusive"`
	Parents      []string `json:"parents"` // oldest first; the last is the range that was split
}

// Split splits a feed range of another process's engine, like Engine.Split. It returns the new
// ranges.
func (o Operator) Split(ctx context.Context, database, container, rangeID string) ([]NewRange, error) {
	order := map[string]string{}
	if rangeID != "" {
		order["range"] = rangeID
	}
	body, err := json.Marshal(order)
	if err != nil {
		return nil, err
	}
	var made struct{ PartitionKeyRanges []NewRange }
	if err := o.post(ctx, []string{"dbs", database, "colls", container, "pkranges"}, body, &made); err != nil {
		return nil, err
	}
	return made.PartitionKeyRanges, nil
}

// send sends a POST request that is signed with the account key. The path contains the decoded names of resources, such
// as "dbs", "blog", "colls", "posts". It returns ErrKey for a key that is not base64, or the error of the client.
func (o Operator) send(ctx context.Context, path []string, body []byte) (*http.Response, error) {
	secret, err := base64.StdEncoding.DecodeString(o.Key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	target := strings.TrimSuffix(o.Endpoint, "/")
	for _, name := range path {
		target += "/" + url.PathEscape(name)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	kind, link := signedResource(path)
	date := time.Now().UTC().Format(http.TimeFormat)
	mac := hmac.New(sha256.New, secret)
	io.WriteString(mac, signedText(http.MethodPost, kind, link, date)) // never fails
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Ms-Date", date)
	r.Header.Set("X-Ms-Version", "2020-07-15")
	r.Header.Set("Authorization",
		url.QueryEscape("type=master&ver=1.0&sig="+base64.StdEncoding.EncodeToString(mac.Sum(nil))))
	return o.Client.Do(r)
}

// post sends a signed request of the engine's own protocol.
func (o Operator) post(ctx context.Context, path []string, body []byte, answer any) error {
	resp, err := o.send(ctx, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, execution.MaxPageBytes))
	if err != nil {
		return err
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		return ErrKey
	case resp.Header.Get(extensionHeader) == "":
		return fmt.Errorf("%w: it answered %s", ErrNotEmbedded, resp.Status)
	case resp.StatusCode != http.StatusCreated:
		var refusal struct {
			Message string `json:"message"`
		}
		if err := json.Unmarshal(text, &refusal); err != nil || refusal.Message == "" {
			return fmt.Errorf("the engine answered %s", resp.Status)
		}
		return errors.New(strings.TrimSuffix(refusal.Message, "."))
	}
	return json.Unmarshal(text, answer)
}
