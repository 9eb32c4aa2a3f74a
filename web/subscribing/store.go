package subscribing

import (
	"context"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/web/credential"
	"inkfeed/web/site"
)

// Store is the storage that subscribing uses. Errors are of the kinds of package domain.
type Store struct {
	Subscriptions  Subscriptions
	Users          site.Users
	Posts          site.Posts
	Deliveries     credential.Deliveries
	EmailAddresses interface {
		// Owner returns the user with a verified address.
		Owner(ctx context.Context, email string) (domain.User, error)
	}
	UserCopies interface {
		// Series returns the listed posts of a series.
		Series(ctx context.Context, userID, key string) ([]domain.Summary, error)
	}
	Tags interface {
		// Newest returns the newest listed posts with a tag.
		Newest(ctx context.Context, key string) ([]domain.Summary, error)
	}
}

// Subscriptions stores subscribers.
type Subscriptions interface {
	// Get returns a subscriber. It costs a point read.
	Get(ctx context.Context, id string) (subscription.Subscriber, error)
	// Change changes a subscriber, who may be new, and returns what is stored. An error of change stores nothing.
	Change(ctx context.Context, id string, change func(*subscription.Subscriber) error) (subscription.Subscriber,
		error)
	// Address returns the address of a subscriber, or "" for a member without a verified one.
	Address(ctx context.Context, sub subscription.Subscriber) (string, error)
	// CountUnsubscribe counts a subscription that was ended by the link in the mail of a post.
	CountUnsubscribe(ctx context.Context, authorID, postID string) error
}
