// Package subscribing lets visitors and members subscribe by mail, and manage their subscriptions.
package subscribing

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/views"
	"inkfeed/web/credential"
	"inkfeed/web/site"
)

// Mail makes the mails that ask to confirm a subscription.
type Mail interface {
	credential.Mailer
	// ListName returns the name of a list. It returns NotFound if there is no such author.
	ListName(ctx context.Context, list subscription.List) (string, error)
	// Confirmation writes the mail to an address that asks to confirm the subscription to a list, in the language of
	// the context. If the subscription is active already, the mail says so.
	Confirmation(ctx context.Context, to subscription.Subscriber, address string, list subscription.List) (domain.Mail,
		error)
}

// handler has what the handlers of this package share.
type handler struct {
	*site.Site
	store Store
	mail  Mail
}

// Register registers the routes of subscriptions.
func Register(e *echo.Echo, s *site.Site, store Store, mail Mail) {
	h := handler{s, store, mail}
	subscribe{h, new(atomic.Value)}.register(e)
	link{h}.register(e)
	manage{h}.register(e)
}

// owner is the subscriber whom a request is about: by the key in the address or, without one, the member.
type owner struct {
	subscription.Subscriber
	path    string // of the page with the subscriptions
	member  bool
	address string // of a member: the verified one, or ""
	// former is what a member was before they had an account. Its subscriptions count as the member's.
	former subscription.Subscriber
}

// errLink is the error for links that name no subscriber, for whatever reason.
var errLink = domain.NewError(domain.NotFound, "This link has expired, or is not complete. Open the link in the "+
	"latest email, or subscribe again.")

func managePath(sub subscription.Subscriber) string { return "/mail/" + sub.Key() }

func (h handler) owner(c echo.Context) (o owner, err error) {
	ctx, subs := c.Request().Context(), h.store.Subscriptions
	if c.Param("key") != "" {
		id, secret, ok := subscription.SplitKey(c.Param("key"))
		if ok {
			o.Subscriber, err = subs.Get(ctx, id)
		}
		if err == nil && !o.Admits(secret) || domain.Is(err, domain.NotFound) {
			err = errLink
		}
		o.path = managePath(o.Subscriber)
	} else if u, e := h.SignedIn(c); e != nil {
		return o, e
	} else {
		o.path, o.member = views.MailSettingsPath, true
		if o.Subscriber, err = subs.Get(ctx, u.ID); domain.Is(err, domain.NotFound) {
			o.ID, err = u.ID, nil
		}
	}
	if err == nil {
		o.address, err = subs.Address(ctx, o.Subscriber)
	}
	if err == nil && o.address != "" && o.IsMember() {
		if o.former, err = subs.Get(ctx, subscription.VisitorID(o.address)); domain.Is(err, domain.NotFound) {
			err = nil
		}
	}
	o.TakeOver(o.former)
	return o, err
}

// of returns the handler of a request about an owner.
func (h handler) of(f func(echo.Context, owner) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		o, err := h.owner(c)
		if err != nil {
			return err
		}
		return f(c, o)
	}
}

// change changes the subscriptions of an owner.
func (h handler) change(ctx context.Context, o owner, change func(*subscription.Subscriber) error) error {
	_, err := h.store.Subscriptions.Change(ctx, o.ID, func(sub *subscription.Subscriber) error {
		switch {
		case o.member && sub.Secret == "":
			*sub = subscription.New(o.ID, "", "")
		case !sub.Admits(o.Secret): // erased meanwhile
			return errLink
		}
		sub.TakeOver(o.former)
		return change(sub)
	})
	if err == nil && len(o.former.Active()) > 0 {
		_, err = h.store.Subscriptions.Change(ctx, o.former.ID, func(sub *subscription.Subscriber) error {
			sub.Erase(now())
			return nil
		})
	}
	return err
}

// name returns what people call a list.
func (h handler) name(c echo.Context, l subscription.List) (string, error) {
	name, err := h.mail.ListName(c.Request().Context(), l)
	if domain.Is(err, domain.NotFound) {
		return site.T(c, "Deleted or suspended account"), nil
	}
	return name, err
}

func now() time.Time { return domain.Timestamp(time.Now()) }
