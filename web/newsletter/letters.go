package newsletter

import (
	"context"
	"encoding/json"
	"slices"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/siteinfo"
	"inkfeed/domain/subscription"
	"inkfeed/views/mails"
)

// Confirmation writes the mail to an address that asks to confirm the subscription to a list, in the language of the
// context. If the subscription is active already, the mail says so.
func (c *Composer) Confirmation(ctx context.Context, to subscription.Subscriber, address string,
	list subscription.List) (domain.Mail, error) {
	ctx = c.in(ctx, locale.From(ctx).Code(), to.Zone)
	name, err := c.ListName(ctx, list)
	if err != nil {
		return domain.Mail{}, err
	}
	site := siteinfo.From(ctx).Title()
	m := mails.LetterMail{Frame: c.frame(ctx, locale.T(ctx, "Confirm your subscription"), ""),
		Before: []string{
			locale.T(ctx, "Someone, hopefully you, asked to get new posts of {site} by email:", "site", site), name},
		Button: locale.T(ctx, "Confirm"), Address: c.manage(to) + "/confirm?list=" + list.Key(), Spelled: true,
		After: []string{locale.T(ctx, "The link works for two days."),
			locale.T(ctx, "If this wasn't you, ignore this email. You get no others.")}}
	if one, _ := to.Find(list); one.Active() && to.Suppressed.IsZero() {
		m.Subject = locale.T(ctx, "You already receive this")
		m.Before = append(m.Before, locale.T(ctx, "You receive it already, so there is nothing to do."))
		m.Button, m.Address, m.Spelled = locale.T(ctx, "Manage all subscriptions"), c.manage(to), false
		m.After = nil
	}
	return written(ctx, address, m.Subject, mails.Letter(m))
}

// ListName returns the name of a list, which may have no posts. It returns NotFound if the author's account is deleted
// or suspended.
func (c *Composer) ListName(ctx context.Context, l subscription.List) (string, error) {
	s := domain.Summary{Details: domain.Details{Series: l.Series}}
	if l.AuthorID != "" {
		u, err := c.Store.Users.ByID(ctx, l.AuthorID)
		if err != nil {
			return "", err
		}
		s.AuthorName, s.AuthorDisplayName = u.Username, u.DisplayName
	}
	if l.Kind == subscription.BySeries {
		posts, err := c.Store.UserCopies.NewestOfSeries(ctx, l.AuthorID, l.Series)
		if err != nil {
			return "", err
		}
		if title := domain.SeriesTitle(posts); title != "" {
			s.Details.Series = title
		}
	}
	name, _ := nameOf(ctx, l, s)
	return name, nil
}

// Register makes a mailer write the mails of single subscribers by the composer.
func (c *Composer) Register(m Mailer) {
	m.WriteBy(subscription.DeliverIssue, c.writeAgain)
	m.WriteBy(subscription.DeliverNotice, c.writeNotice)
}

// writeAgain writes a mail that the server did not take at first, unless the subscription has ended since. The payload
// is the mail. That of a post is written anew, so it needs neither text nor HTML.
func (c *Composer) writeAgain(ctx context.Context, _ domain.Delivery, payload []byte) (mail domain.Mail, err error) {
	if err := json.Unmarshal(payload, &mail); err != nil || mail.Bulk == nil {
		return mail, err
	}
	to, err := c.Store.Subscriptions.Get(ctx, mail.Bulk.Subscriber)
	if err == nil {
		mail.To, err = c.address(ctx, to) // which may have changed
	}
	if err != nil {
		return mail, err
	}
	if mail.Bulk.PostID == "" {
		if !to.Digested() || !to.Suppressed.IsZero() {
			err = errNoMail()
		}
		return mail, err
	}
	one, _ := to.FindKey(mail.Bulk.ListID)
	if !to.Gets(one.List, subscription.Each) {
		return mail, errNoMail()
	}
	issue, err := c.Post(ctx, mail.Bulk.PostID)
	if err != nil {
		return mail, err
	}
	return issue.Mail(ctx, to, mail.To, one.List)
}

func (c *Composer) address(ctx context.Context, to subscription.Subscriber) (string, error) {
	address, err := c.Store.Subscriptions.Address(ctx, to)
	if err == nil && address == "" {
		err = errNoMail()
	}
	return address, err
}

// Notice is the payload of a delivery of the kind subscription.DeliverNotice.
type Notice struct {
	UserID       string              `json:"userId"`
	Notification domain.Notification `json:"notification"`
}

// writeNotice writes the mail about a notification, unless the member has seen it or does not want it any more.
func (c *Composer) writeNotice(ctx context.Context, _ domain.Delivery, payload []byte) (domain.Mail, error) {
	var n Notice
	if err := json.Unmarshal(payload, &n); err != nil {
		return domain.Mail{}, err
	}
	list := subscription.List{Kind: subscription.Notices}
	to, err := c.Store.Subscriptions.Get(ctx, n.UserID)
	if err == nil && !(to.Gets(list, subscription.Each) && to.Kinds.Has(n.Notification.Kind)) {
		err = errNoMail()
	}
	if err != nil {
		return domain.Mail{}, err
	}
	u, unseen, err := c.unseen(ctx, n.UserID)
	if err == nil && !slices.ContainsFunc(unseen, n.is) {
		err = errNoMail()
	}
	if err != nil {
		return domain.Mail{}, err
	}
	address, err := c.address(ctx, to)
	if err != nil {
		return domain.Mail{}, err
	}
	if to.Language == "" {
		to.Language = u.Language
	}
	ctx = c.in(ctx, to.Language, to.Zone)
	read, err := c.Store.Events.Of(ctx, u, []domain.Notification{n.Notification})
	if err == nil && read[0] == nil {
		err = errNoMail()
	}
	if err != nil {
		return domain.Mail{}, err
	}
	site := siteinfo.From(ctx).Title()
	m := mails.LetterMail{Frame: c.frame(ctx, sentence(ctx, *read[0]), c.manage(to)), Quote: read[0].Extract,
		Button: locale.T(ctx, "Open it on the site"), Address: c.at(read[0].Path())}
	m.Unsubscribe = m.Manage + "/unsubscribe?list=" + list.Key()
	m.Why = locale.T(ctx, "You get this because you chose to be notified by email in your settings at {site}.", "site",
		site)
	mail, err := written(ctx, address, m.Subject, mails.Letter(m))
	mail.Bulk = &domain.BulkHeaders{ListID: list.Key(), ListName: locale.T(ctx, "Your notifications"),
		Unsubscribe: m.Unsubscribe, Archive: c.URL + "/notifications", Subscriber: to.ID}
	return mail, err
}

// is reports whether a notification is that of the notice. Its time may have been stored with less precision.
func (n Notice) is(other domain.Notification) bool {
	other.Created = n.Notification.Created
	return other == n.Notification
}
