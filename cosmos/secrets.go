package cosmos

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Secrets stores secrets that can be used once, such as the one in a link of an e-mail. They are in
// the container of the sessions, each in a partition of its own, and expire by their time to live.
type Secrets struct{ c *client.Container }

type secretItem struct {
	ID      string         `json:"id"` // the digest
	Type    string         `json:"type"`
	UserID  string         `json:"userId"` // the digest too, and the partition key
	OwnerID string         `json:"ownerId,omitempty"`
	Payload []byte         `json:"payload,omitempty"`
	Expires schema.Instant `json:"expirationDate"`
	Tries   int            `json:"tries,omitempty"`
	TTL     int            `json:"ttl"`
	ETag    string         `json:"_etag,omitempty"`
}

// Put stores a secret until it is taken or expires. Digests must be unique, so secrets have to be
// random.
func (s *Secrets) Put(ctx context.Context, secret domain.Secret) error {
	seconds := max(1, int(time.Until(secret.Expires).Seconds()))
	err := s.c.Create(client.Operation(ctx, "put-secret"), secret.Digest, secretItem{ID: secret.Digest,
		Type: string(secret.Kind), UserID: secret.Digest, OwnerID: secret.UserID, Payload: secret.Payload,
		Expires: schema.Instant(secret.Expires), TTL: seconds})
	if client.StatusOf(err) == http.StatusConflict {
		return nil // stored by an earlier attempt of this call
	}
	return client.Translate(err)
}

// Get reads a secret, which stays. It returns NotFound if the secret was taken, has expired or never
// existed in that kind.
func (s *Secrets) Get(ctx context.Context, kind domain.SecretKind, digest string) (domain.Secret, error) {
	item, err := s.read(client.Operation(ctx, "secret"), kind, digest)
	return item.domain(), err
}

// Try reads a secret and counts the attempt. It returns NotFound after the maximum number of attempts,
// so that a second factor cannot be guessed. A call whose answer was lost may count twice.
func (s *Secrets) Try(ctx context.Context, kind domain.SecretKind, digest string, most int) (domain.Secret, error) {
	ctx = client.Operation(ctx, "try-secret")
	if _, err := s.read(ctx, kind, digest); err != nil {
		return domain.Secret{}, err
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where not is_defined(c.tries) or c.tries < %d", most))
	ops.AppendIncrement("/tries", 1)
	item, err := client.PatchReturning[secretItem](ctx, s.c, digest, digest, ops)
	if client.Missing(err) || client.StatusOf(err) == http.StatusPreconditionFailed {
		return domain.Secret{}, errNoSecret()
	}
	return item.domain(), client.Translate(err)
}

// Take reads and deletes a secret. Of several simultaneous calls, one gets the secret. If the storage
// fails, the secret may be lost.
func (s *Secrets) Take(ctx context.Context, kind domain.SecretKind, digest string) (domain.Secret, error) {
	ctx = client.Operation(ctx, "take-secret")
	item, err := s.read(ctx, kind, digest)
	if err != nil {
		return domain.Secret{}, err
	}
	err = s.c.DeleteVersion(ctx, digest, digest, item.ETag)
	if client.Missing(err) || client.StatusOf(err) == http.StatusPreconditionFailed {
		return domain.Secret{}, errNoSecret()
	}
	if err != nil {
		return domain.Secret{}, client.Translate(err)
	}
	return item.domain(), nil
}

func (s *Secrets) read(ctx context.Context, kind domain.SecretKind, digest string) (secretItem, error) {
	if len(digest) != len(domain.SecretDigest("")) {
		return secretItem{}, errNoSecret()
	}
	item, err := client.Read[secretItem](ctx, s.c, digest, digest)
	if client.Missing(err) || err == nil && (item.Type != string(kind) || !time.Now().Before(time.Time(item.Expires))) {
		return secretItem{}, errNoSecret()
	}
	return item, client.Translate(err)
}

func (i secretItem) domain() domain.Secret {
	return domain.Secret{Kind: domain.SecretKind(i.Type), Digest: i.ID, UserID: i.OwnerID, Payload: i.Payload,
		Expires: time.Time(i.Expires)}
}

func errNoSecret() error {
	return domain.NewError(domain.NotFound, "This link or form has expired. Please start again.")
}
