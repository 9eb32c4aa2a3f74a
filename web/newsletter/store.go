package newsletter

import (
	"context"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/web/site"
	"inkfeed/web/site/events"
)

// Store is the storage that mails are made of. Errors are of the kinds of package domain.
type Store struct {
	Subscriptions Subscriptions
	Posts         events.Posts
	Users         site.Users
	UserCopies    UserCopies
	Notifications Notifications
	Events        events.Reader
	// Newest reads the newest posts of a user's personal feed.
	Newest func(ctx context.Context, u domain.User) ([]domain.Summary, error)
}

// Subscriptions stores subscribers, and how an author's posts are mailed.
type Subscriptions interface {
	Get(ctx context.Context, id string) (subscription.Subscriber, error)
	// Address returns the address of a subscriber, or an empty text if there is none to mail to.
	Address(ctx context.Context, sub subscription.Subscriber) (string, error)
	Newsletter(ctx context.Context, authorID string) (subscription.Newsletter, error)
}

// UserCopies reads the lists of authors' posts.
type UserCopies interface {
	// Post returns a listed post in short form. It costs a point read.
	Post(ctx context.Context, userID, postID string) (domain.Summary, error)
	// NewestOfSeries returns the newest listed posts of a series.
	NewestOfSeries(ctx context.Context, userID, key string) ([]domain.Summary, error)
}

// Notifications reads the notifications of users.
type Notifications interface {
	// List returns a page of a user's notifications, the latest first.
	List(ctx context.Context, userID string, page int) (domain.ListPage[domain.Notification], error)
}

// Writer writes the mail of a delivery from its payload. It returns NotFound if none is due.
type Writer = func(ctx context.Context, d domain.Delivery, payload []byte) (domain.Mail, error)

// Mailer sends the mails that this package writes: see web/mail.
type Mailer interface {
	WriteBy(kind domain.DeliveryKind, w Writer)
}
