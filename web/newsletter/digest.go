package newsletter

import (
	"context"
	"slices"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/siteinfo"
	"inkfeed/domain/subscription"
	"inkfeed/views"
	about "inkfeed/views/events"
	"inkfeed/views/mails"
)

// maxItems is the maximum number of posts in a digest, and of notifications, so that the mail is not cut off.
const maxItems = 30

// Digest writes the mail with the posts and the notifications that a subscriber has not been told of.
func (c *Composer) Digest(ctx context.Context, to subscription.Subscriber, address string, run subscription.DigestRun,
	posts []subscription.Told) (domain.Mail, error) {
	ctx = c.in(ctx, to.Language, to.Zone)
	d := digest{Composer: c, to: to, run: run, told: posts, shown: map[string]bool{}}
	for _, s := range to.Active() {
		if err := d.add(ctx, s); err != nil {
			return domain.Mail{}, err
		}
	}
	if len(d.Groups)+len(d.Notices) == 0 {
		return domain.Mail{}, errNoMail()
	}
	site := siteinfo.From(ctx).Title()
	d.Frame = c.frame(ctx, locale.T(ctx, "What's new at {site}", "site", site), c.manage(to))
	d.Unsubscribe = d.Manage + "/unsubscribe"
	d.Why = locale.T(ctx, "You get this because you subscribed to emails of {site}.", "site", site)
	mail, err := written(ctx, address, d.Subject, mails.Digest(d.DigestMail))
	mail.Bulk = &domain.BulkHeaders{ListID: "digest", ListName: site, Unsubscribe: d.Unsubscribe, Archive: c.URL + "/",
		Subscriber: to.ID}
	return mail, err
}

// digest collects what a digest shows.
type digest struct {
	*Composer
	mails.DigestMail
	to    subscription.Subscriber
	run   subscription.DigestRun
	told  []subscription.Told
	shown map[string]bool // the posts so far, by id
}

// add adds what is new to a subscription, if its frequency is due.
func (d *digest) add(ctx context.Context, s subscription.Subscription) (err error) {
	from, due := d.run.From(s)
	if !due {
		return nil
	}
	var posts []domain.Summary
	switch s.List.Kind {
	case subscription.Notices:
		d.Notices, err = d.notices(ctx, from)
		return err
	case subscription.Feed:
		posts, err = d.feed(ctx, from)
	default:
		posts, err = d.posts(ctx, s.List, from)
	}
	if err != nil || len(posts) == 0 {
		return err
	}
	name, path := nameOf(ctx, s.List, posts[0])
	g := mails.Group{Name: name, Address: d.at(path)}
	for _, p := range posts {
		d.shown[p.PostID] = true
		g.Posts = append(g.Posts, mails.Item{Title: p.Title, Address: d.at(p.Path()), Text: p.Text,
			Meta: called(p.ShownAuthor()) + " · " + views.FormatDate(ctx, p.Created)})
	}
	d.Groups = append(d.Groups, g)
	return nil
}

// posts reads the new posts of a list that are still listed.
func (d *digest) posts(ctx context.Context, l subscription.List, from time.Time) (posts []domain.Summary, err error) {
	key := l.Key()
	for _, t := range d.told {
		if d.shown[t.PostID] || !slices.Contains(t.Lists, key) || !d.run.Has(t.At, from) ||
			len(posts)+len(d.shown) >= maxItems {
			continue
		}
		switch p, err := d.Store.UserCopies.Post(ctx, t.AuthorID, t.PostID); {
		case err == nil:
			posts = append(posts, p)
		case !domain.Is(err, domain.NotFound):
			return nil, err
		}
	}
	return posts, nil
}

// feed reads the new posts of a member's personal feed.
func (d *digest) feed(ctx context.Context, from time.Time) ([]domain.Summary, error) {
	u, err := d.Store.Users.ByID(ctx, d.to.ID)
	if err != nil {
		return nil, err
	}
	posts, err := d.Store.Newest(ctx, u)
	return slices.DeleteFunc(slices.Clone(posts), func(s domain.Summary) bool {
		return d.shown[s.PostID] || !d.run.Has(s.Created, from)
	}), err
}

// notices reads a member's notifications that are new and not seen.
func (d *digest) notices(ctx context.Context, from time.Time) (items []mails.Item, err error) {
	u, unseen, err := d.unseen(ctx, d.to.ID)
	if err != nil {
		return nil, err
	}
	unseen = slices.DeleteFunc(unseen, func(n domain.Notification) bool {
		return !d.to.Kinds.Has(n.Kind) || !d.run.Has(n.Created, from)
	})
	read, err := d.Store.Events.Of(ctx, u, unseen)
	for _, e := range read {
		if e != nil {
			items = append(items, mails.Item{Title: sentence(ctx, *e), Address: d.at(e.Path()),
				Meta: views.FormatDate(ctx, e.Created), Text: e.Extract})
		}
	}
	return items, err
}

// unseen returns a member and the latest notifications that the member has not seen.
func (c *Composer) unseen(ctx context.Context, userID string) (domain.User, []domain.Notification, error) {
	u, err := c.Store.Users.ByID(ctx, userID)
	if err != nil || u.UnseenNotifications() == 0 {
		return u, nil, err
	}
	page, err := c.Store.Notifications.List(ctx, userID, 1)
	return u, slices.Clone(page.Items[:min(u.UnseenNotifications(), len(page.Items))]), err
}

// sentence says what a notification is about.
func sentence(ctx context.Context, e about.Event) string {
	return e.Text().With("author", called(e.Actor), "post", e.Post.Title).In(ctx)
}
