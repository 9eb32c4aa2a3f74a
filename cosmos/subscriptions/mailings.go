package subscriptions

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// Operations on newsletters and mailings.
var (
	readingMailing  = client.Reads("mailings")
	writingMailing  = client.WritesOnly("mailing", 0)
	settingMails    = client.WritesOnly("set-newsletter", 0)
	countingMailing = client.WritesOnly("count-mailing", 0)
)

type newsletterItem struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	UserID string `json:"userId"`
	subscription.Newsletter
}

// Newsletter returns how an author's posts are mailed. It costs a point read.
func (s *Subscriptions) Newsletter(ctx context.Context, authorID string) (subscription.Newsletter, error) {
	item, err := client.Read[newsletterItem](readingMailing.In(ctx), s.users, authorID, schema.NewsletterID)
	if client.Missing(err) {
		err = nil
	}
	return item.Newsletter, client.Translate(err)
}

// SetNewsletter stores how an author's posts are mailed. It returns NotFound if there is no such author.
func (s *Subscriptions) SetNewsletter(ctx context.Context, authorID string, n subscription.Newsletter) error {
	ctx = settingMails.In(ctx)
	err := s.create(ctx, authorID, newsletterItem{schema.NewsletterID, schema.TypeNewsletter, authorID, n})
	if client.FailedAt(err, 1, http.StatusConflict) {
		var ops azcosmos.PatchOperations
		ops.AppendSet("/replyTo", n.ReplyTo)
		ops.AppendSet("/excerpt", n.Excerpt)
		err = s.users.Patch(ctx, authorID, schema.NewsletterID, ops)
	}
	return client.Translate(err)
}

// mailingItem is a mailing, in the partition of its author.
type mailingItem struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	subscription.Mailing
	CreationDate schema.Instant `json:"creationDate"` // of the mailing, but such that it sorts
}

func (i mailingItem) domain() subscription.Mailing {
	i.Begun = time.Time(i.CreationDate)
	return i.Mailing
}

// BeginMailing stores a new mailing. It changes nothing if the post has one. It returns NotFound if the author's
// account has been deleted.
func (s *Subscriptions) BeginMailing(ctx context.Context, m subscription.Mailing) error {
	item := mailingItem{schema.MailingID(m.PostID), schema.TypeMailing, m, schema.Instant(domain.Timestamp(m.Begun))}
	err := s.create(writingMailing.In(ctx), m.AuthorID, item)
	if client.FailedAt(err, 1, http.StatusConflict) {
		return nil
	}
	return client.Translate(err)
}

// SetSent stores how many mails of a mailing the server has accepted, and whether the mailing is done.
func (s *Subscriptions) SetSent(ctx context.Context, authorID, postID string, sent int, done bool) error {
	var ops azcosmos.PatchOperations
	ops.AppendSet("/sent", sent)
	ops.AppendSet("/done", done)
	return s.patchMailing(writingMailing.In(ctx), authorID, postID, ops)
}

// CountBounce counts a mail that was refused for good.
func (s *Subscriptions) CountBounce(ctx context.Context, authorID, postID string) error {
	return s.count(ctx, authorID, postID, "/bounced")
}

// CountUnsubscribe counts a subscription that was ended by the link of a mail.
func (s *Subscriptions) CountUnsubscribe(ctx context.Context, authorID, postID string) error {
	return s.count(ctx, authorID, postID, "/unsubscribed")
}

func (s *Subscriptions) count(ctx context.Context, authorID, postID, path string) error {
	var ops azcosmos.PatchOperations
	ops.AppendIncrement(path, 1)
	return s.patchMailing(countingMailing.In(ctx), authorID, postID, ops)
}

// patchMailing changes a mailing, if there is one.
func (s *Subscriptions) patchMailing(ctx context.Context, authorID, postID string, ops azcosmos.PatchOperations) error {
	return client.Translate(client.UnlessGone(s.users.Patch(ctx, authorID, schema.MailingID(postID), ops)))
}

// Mailing returns the mailing of a post. It returns NotFound if there is none. It costs a point read.
func (s *Subscriptions) Mailing(ctx context.Context, authorID, postID string) (subscription.Mailing, error) {
	item, err := client.Read[mailingItem](readingMailing.In(ctx), s.users, authorID, schema.MailingID(postID))
	return item.domain(), client.Translate(err)
}

// Mailings returns the mailings of an author as Page does.
func (s *Subscriptions) Mailings(ctx context.Context, authorID string, from domain.Place) (
	list []subscription.Mailing, next domain.Place, err error) {
	rows, next, err := page(ctx, s, authorID, schema.TypeMailing, from, func(i mailingItem) domain.Place {
		return domain.PlaceOf(time.Time(i.CreationDate), i.ID)
	})
	return client.Convert(rows, mailingItem.domain), next, err
}
