package projection

import (
	"context"
	"fmt"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// mailJournal records what is stored for mails. It knows one subscriber.
type mailJournal struct {
	*journal
	subscriber subscription.Subscriber
}

func (j mailJournal) Get(_ context.Context, id string) (subscription.Subscriber, error) {
	if id != j.subscriber.ID {
		return subscription.Subscriber{}, &domain.Error{Kind: domain.NotFound}
	}
	return j.subscriber, nil
}

func (j mailJournal) Address(context.Context, subscription.Subscriber) (string, error) {
	return j.subscriber.Email, nil
}

func (j mailJournal) PutTold(_ context.Context, t subscription.Told) error {
	return j.log("digests have %s by %s in %d lists", t.PostID, t.AuthorID, len(t.Lists))
}

func (j mailJournal) Put(_ context.Context, list ...domain.Delivery) error {
	for _, d := range list {
		if err := j.log("%s %s, remembered %t%s", d.Kind, d.ID, d.Remember, d.Sealed); err != nil {
			return err
		}
	}
	return nil
}

func (j mailJournal) mails() *Mails {
	return &Mails{Subscriptions: j, Deliveries: j,
		SealNotice: func(d domain.Delivery, n domain.Notification) domain.Delivery {
			d.Sealed = fmt.Appendf(nil, ", about %s", n.PostID)
			return d
		}}
}

func TestSubscribersAreMailedNewPosts(t *testing.T) {
	news := domain.Post{ID: "p", AuthorID: "u1", Tags: "Go,Rust", Version: 1, News: true, Created: time.Now()}
	tell := func(j *journal, post domain.Post, with bool) {
		m := mailJournal{journal: j}
		p := &PostsProjector{Posts: j, News: m, FollowerCounts: j}
		if with {
			p.Mails = m.mails()
		}
		if err := p.tell(t.Context(), post); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("once", func(t *testing.T) {
		j := &journal{}
		tell(j, news, true)
		j.is(t, "digests have p by u1 in 4 lists", "mailing p, remembered true", "the followers were told of p")
	})
	t.Run("but not on a site without mails", func(t *testing.T) {
		j := &journal{}
		tell(j, news, false)
		j.is(t, "the followers were told of p")
	})
	t.Run("and no other posts", func(t *testing.T) {
		j := &journal{}
		for _, change := range []func(*domain.Post){func(p *domain.Post) { p.News = false },
			func(p *domain.Post) { p.Held = domain.HeldForReview }, func(p *domain.Post) { p.AuthorSuspended = true }} {
			post := news
			change(&post)
			tell(j, post, true)
		}
		j.is(t)
	})
}

func TestMembersAreMailedTheirNotifications(t *testing.T) {
	notices := subscription.List{Kind: subscription.Notices}
	member := func(f subscription.Frequency, email string, kinds domain.NotificationKinds) subscription.Subscriber {
		sub := subscription.New("ada", email, "en")
		if err := sub.Add(notices, f, subscription.Consent{At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		sub.Kinds = kinds
		return sub
	}
	list := []domain.Notification{
		{UserID: "ada", Kind: domain.NotifyComment, PostID: "p", CommentID: "c"},
		{UserID: "ada", Kind: domain.NotifyMention, PostID: "p"},
		{UserID: "ada", Kind: domain.NotifyLike, PostID: "p", Event: 7},
	}
	notify := func(j *journal, sub subscription.Subscriber) {
		if err := (mailJournal{j, sub}).mails().notify(t.Context(), list); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("of the kinds that they want, each once", func(t *testing.T) {
		j := &journal{}
		notify(j, member(subscription.Each, "ada@example.com", "comment,like"))
		j.is(t, "notice ada.notification.comment.p.c, remembered true, about p",
			"notice ada.notification.like.p.7, remembered true, about p")
	})
	for name, sub := range map[string]subscription.Subscriber{
		"if they have digests of them":    member(subscription.Daily, "ada@example.com", "comment,like"),
		"if they want no kind":            member(subscription.Each, "ada@example.com", ""),
		"without a verified address":      member(subscription.Each, "", "comment,like"),
		"if they have asked for no mails": {},
	} {
		t.Run("but not "+name, func(t *testing.T) {
			j := &journal{}
			notify(j, sub)
			j.is(t)
		})
	}
}
