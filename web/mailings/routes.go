// Package mailings serves the pages of authors about their newsletters: the settings, the subscribers, their export and
// import, and the preview of a mail.
package mailings

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/views"
	"inkfeed/web/site"
)

// Store is the storage of the pages. Errors are of the kinds of package domain.
type Store struct {
	Subscriptions Subscriptions
	Drafts        Drafts
	Users         site.Users
	UserCopies    UserCopies
	Credentials   Credentials
	Deliveries    Deliveries
}

// Subscriptions stores subscribers, and how the posts of authors are mailed.
type Subscriptions interface {
	Get(ctx context.Context, id string) (subscription.Subscriber, error)
	// Change changes a subscriber, who has nothing but an id if there is none.
	Change(ctx context.Context, id string, change func(*subscription.Subscriber) error) (subscription.Subscriber, error)
	// Page returns subscribers of the lists of an author, the latest first, and where the next page begins.
	Page(ctx context.Context, authorID string, from domain.Place) ([]subscription.Receiver, domain.Place, error)
	Count(ctx context.Context, authorID string) (int, error)
	Newsletter(ctx context.Context, authorID string) (subscription.Newsletter, error)
	SetNewsletter(ctx context.Context, authorID string, n subscription.Newsletter) error
	// Mailings returns mailings of an author as Page does.
	Mailings(ctx context.Context, authorID string, from domain.Place) ([]subscription.Mailing, domain.Place, error)
}

// Drafts reads drafts.
type Drafts interface {
	// Open returns a draft, and its post if there is one. It fails with NotFound if the user has neither.
	Open(ctx context.Context, userID, postID string) (domain.Draft, *domain.Post, error)
}

// UserCopies reads the posts of authors.
type UserCopies interface {
	// Post returns a listed post in short form. It costs a point read.
	Post(ctx context.Context, userID, postID string) (domain.Summary, error)
}

// Credentials reads the addresses of users.
type Credentials interface {
	Get(ctx context.Context, userID string) (domain.Credentials, error)
}

// Deliveries stores deliveries.
type Deliveries interface {
	Put(ctx context.Context, list ...domain.Delivery) error
}

// Mail makes mails and deliveries.
type Mail struct {
	// Preview writes the mail of a post as it will be, without its receiver.
	Preview func(ctx context.Context, post domain.Post, author domain.User) (domain.Mail, error)
	// Seal returns a new urgent delivery about an account, with an encrypted payload. It expires after a time.
	Seal func(kind domain.DeliveryKind, userID string, lasting time.Duration, payload any) domain.Delivery
	// SealIn returns a delivery with an encrypted payload.
	SealIn func(d domain.Delivery, payload any) domain.Delivery
}

// handler has what the handlers of this package share.
type handler struct {
	*site.Site
	store Store
	mail  Mail
}

// Register registers the routes of the pages.
func Register(e *echo.Echo, s *site.Site, store Store, mail Mail) {
	h := handler{s, store, mail}
	newsletter{h}.register(e)
	importing{h}.register(e)
	preview{h}.register(e)
}

// author returns the signed-in user. On a site that sends no mails it fails, except for reading.
func (h handler) author(c echo.Context) (domain.User, error) {
	u, err := h.SignedIn(c)
	if err == nil && !h.MailsOut {
		err = domain.NewError(domain.NotFound, "This site sends no newsletters.")
	}
	return u, err
}

const path = views.NewsletterPath
