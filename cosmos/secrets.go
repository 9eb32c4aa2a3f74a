package cosmos

import (
	"context"
	"crypto/rand"
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
	TakenBy string         `json:"takenBy,omitempty"` // a random text of the call that took it
	TTL     int            `json:"ttl"`
}

// Put stores a secret, which can be taken until it expires. Digests must be unique, so secrets have to be random.
func (s *Secrets) Put(ctx context.Context, secret domain.Secret) error {
	seconds := max(1, int(time.Until(secret.Expires).Seconds()))
	err := s.c.Create(client.Writes("put-secret").In(ctx), secret.Digest, secretItem{ID: secret.Digest,
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
	item, err := s.read(client.Reads("secret").In(ctx), kind, digest)
	return item.domain(), err
}

// Try reads a secret and counts the attempt. It returns NotFound after the maximum number of attempts,
// so that a second factor cannot be guessed. A call whose answer was lost may count twice.
func (s *Secrets) Try(ctx context.Context, kind domain.SecretKind, digest string, most int) (domain.Secret, error) {
	ctx = client.Writes("try-secret").In(ctx)
	if _, err := s.read(ctx, kind, digest); err != nil {
		return domain.Secret{}, err
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.type = '%s' and (not is_defined(c.tries) or c.tries < %d)", kind,
		most))
	ops.AppendIncrement("/tries", 1)
	item, err := client.PatchReturning[secretItem](ctx, s.c, digest, digest, ops)
	if client.Missing(err) || client.ConditionFailed(err) {
		return domain.Secret{}, errNoSecret()
	}
	return item.domain(), client.Translate(err)
}

// takenTime is how long a secret is stored after it was taken. It is longer than a call of Take may last.
const takenTime = 5 * time.Minute

// Take returns a secret and marks it as taken, so that no call finds it any more. Of several simultaneous calls, one
// gets the secret, also if answers are lost: a call that finds its own mark has taken the secret by an earlier attempt.
func (s *Secrets) Take(ctx context.Context, kind domain.SecretKind, digest string) (domain.Secret, error) {
	ctx = client.Writes("take-secret").In(ctx)
	if !validDigest(digest) {
		return domain.Secret{}, errNoSecret()
	}
	call := rand.Text()
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.type = '%s'", kind))
	ops.AppendSet("/type", schema.TypeTaken)
	ops.AppendSet("/takenBy", call)
	ops.AppendSet("/ttl", int(takenTime.Seconds()))
	item, err := client.PatchReturning[secretItem](ctx, s.c, digest, digest, ops)
	if client.ConditionFailed(err) {
		item, err = client.Read[secretItem](ctx, s.c, digest, digest)
	}
	if client.Missing(err) || err == nil && (item.TakenBy != call || item.expired()) {
		return domain.Secret{}, errNoSecret()
	}
	item.Type = string(kind)
	return item.domain(), client.Translate(err)
}

func (s *Secrets) read(ctx context.Context, kind domain.SecretKind, digest string) (secretItem, error) {
	if !validDigest(digest) {
		return secretItem{}, errNoSecret()
	}
	item, err := client.Read[secretItem](ctx, s.c, digest, digest)
	if client.Missing(err) || err == nil && (item.Type != string(kind) || item.expired()) {
		return secretItem{}, errNoSecret()
	}
	return item, client.Translate(err)
}

func validDigest(digest string) bool { return len(digest) == len(domain.SecretDigest("")) }

func (i secretItem) expired() bool { return !time.Now().Before(time.Time(i.Expires)) }

func (i secretItem) domain() domain.Secret {
	return domain.Secret{Kind: domain.SecretKind(i.Type), Digest: i.ID, UserID: i.OwnerID, Payload: i.Payload,
		Expires: time.Time(i.Expires)}
}

func errNoSecret() error {
	return domain.NewError(domain.NotFound, "This link or form has expired. Please start again.")
}
