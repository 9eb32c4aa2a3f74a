package mailing_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/workers/delivery"
	"inkfeed/workers/mailing"
)

// world is a storage of subscribers, a composer of mails and a mail server, in memory.
type world struct {
	subscribers map[string]subscription.Subscriber
	mailing     subscription.Mailing // of the post
	told        []subscription.Told
	positions   map[string]string
	put         []domain.Delivery // postponed mails

	lists     []subscription.List // of the post
	withdrawn bool
	mails     []domain.Mail       // those that the server accepted
	faults    map[string]error    // of the server, by address
	latency   time.Duration       // of the server
	onMail    func(m domain.Mail) // called when the server has accepted a mail
	dropped   bool                // an administrator has dropped the delivery
	unclear   []string            // addresses of mails of connections that broke

	calls, dies int // after so many calls the process dies: 0: never
	kill        context.CancelFunc
}

var author, tag, site = subscription.Author(strings.Repeat("a", 26)), subscription.Tag("go"), subscription.Site()

func newWorld() *world {
	return &world{subscribers: make(map[string]subscription.Subscriber), positions: make(map[string]string),
		lists: []subscription.List{author, tag, site}, faults: make(map[string]error)}
}

// begun is before the time of the clock of testing/synctest.
var begun = time.Date(1999, 3, 1, 12, 0, 0, 0, time.UTC)

// subscribe adds a visitor with confirmed subscriptions, and returns the id.
func (w *world) subscribe(name string, f subscription.Frequency, lists ...subscription.List) string {
	email := name + "@" + name + ".example"
	id := subscription.VisitorID(email)
	sub, ok := w.subscribers[id]
	if !ok {
		sub = subscription.New(id, email, "en")
	}
	for _, l := range lists {
		_ = sub.Add(l, f, subscription.Consent{At: begun.Add(time.Duration(len(w.subscribers)) * time.Second)})
	}
	w.subscribers[id] = sub
	return id
}

func (w *world) change(name string, change func(*subscription.Subscriber)) {
	id := subscription.VisitorID(name + "@" + name + ".example")
	sub := w.subscribers[id]
	sub.Subscriptions = slices.Clone(sub.Subscriptions)
	change(&sub)
	w.subscribers[id] = sub
}

var errDied = errors.New("the process has died")

// call is called by all calls of the process.
func (w *world) call() error {
	if w.calls++; w.dies > 0 && w.calls >= w.dies {
		w.kill()
		return errDied
	}
	return nil
}

func (w *world) Get(_ context.Context, id string) (subscription.Subscriber, error) {
	sub, ok := w.subscribers[id]
	if err := w.call(); err != nil || !ok {
		return sub, cmp.Or(err, error(&domain.Error{Kind: domain.NotFound}))
	}
	return sub, nil
}

func (w *world) Change(_ context.Context, id string, change func(*subscription.Subscriber) error) (
	subscription.Subscriber, error) {
	sub := w.subscribers[id]
	sub.Subscriptions = slices.Clone(sub.Subscriptions)
	err := cmp.Or(w.call(), change(&sub))
	if err == nil {
		w.subscribers[id] = sub
	}
	return sub, err
}

func (w *world) Address(_ context.Context, sub subscription.Subscriber) (string, error) {
	return sub.Email, w.call()
}

func (w *world) ReceiversAfter(_ context.Context, l subscription.List, f subscription.Frequency, after domain.Place,
	limit int) ([]subscription.Receiver, error) {
	return w.receivers(after, limit, func(one subscription.Subscription) bool {
		return one.List == l && one.Frequency == f
	})
}

func (w *world) DigestedAfter(_ context.Context, _ string, after domain.Place, limit int) ([]subscription.Receiver,
	error) {
	return w.receivers(after, limit, func(one subscription.Subscription) bool {
		return one.Frequency != subscription.Each
	})
}

func (w *world) receivers(after domain.Place, limit int, want func(subscription.Subscription) bool) (
	list []subscription.Receiver, err error) {
	for id, sub := range w.subscribers {
		active := slices.DeleteFunc(sub.Active(), func(one subscription.Subscription) bool { return !want(one) })
		if len(active) == 0 {
			continue
		}
		if r := (subscription.Receiver{ID: id, Added: active[0].Confirmed}); r.Place() > after {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b subscription.Receiver) int { return cmp.Compare(a.Place(), b.Place()) })
	return list[:min(limit, len(list))], w.call()
}

func (w *world) Refresh(context.Context, subscription.List) error { return w.call() }

func (w *world) RefreshZone(context.Context, string) error { return w.call() }

func (w *world) BeginMailing(_ context.Context, m subscription.Mailing) error {
	err := w.call()
	if err == nil && w.mailing.PostID == "" {
		w.mailing = m
	}
	return err
}

func (w *world) Mailing(context.Context, string, string) (subscription.Mailing, error) {
	return w.mailing, w.call()
}

func (w *world) SetSent(_ context.Context, _, _ string, sent int, done bool) error {
	err := w.call()
	if err == nil {
		w.mailing.Sent, w.mailing.Done = sent, done
	}
	return err
}

func (w *world) CountBounce(context.Context, string, string) error {
	err := w.call()
	if err == nil {
		w.mailing.Bounced++
	}
	return err
}

func (w *world) ToldBetween(context.Context, time.Time, time.Time) ([]subscription.Told, error) {
	return w.told, w.call()
}

func (w *world) Put(_ context.Context, list ...domain.Delivery) error {
	err := w.call()
	if err == nil {
		w.put = append(w.put, list...)
	}
	return err
}

func (w *world) Advance(_ context.Context, d domain.Delivery) error {
	err := w.call()
	if err == nil && w.dropped {
		err = &domain.Error{Kind: domain.NotFound}
	}
	if err == nil {
		w.positions[d.ID] = d.Position
	}
	return err
}

func (w *world) Post(context.Context, string) (mailing.Issue, error) {
	if err := w.call(); err != nil || w.withdrawn {
		return nil, cmp.Or(err, error(&domain.Error{Kind: domain.NotFound}))
	}
	return issue{w}, nil
}

func (w *world) Digest(_ context.Context, to subscription.Subscriber, address string, _ subscription.DigestRun,
	posts []subscription.Told) (domain.Mail, error) {
	if len(posts) == 0 && to.Language != "with notices" {
		return domain.Mail{}, &domain.Error{Kind: domain.NotFound}
	}
	text := ""
	for _, p := range posts {
		text += p.PostID
	}
	return domain.Mail{To: address, Text: text}, w.call()
}

type issue struct{ *world }

func (i issue) AuthorID() string { return author.AuthorID }

func (i issue) Lists() []subscription.List { return slices.Clone(i.lists) }

func (i issue) Mail(_ context.Context, _ subscription.Subscriber, address string, because subscription.List) (
	domain.Mail, error) {
	return domain.Mail{To: address, Text: string(because.Kind)}, i.call()
}

// sender is a connection to the mail server.
type sender struct{ *world }

func (s sender) Close() {}

func (s sender) Send(_ context.Context, _ string, _ time.Time, mail domain.Mail, done func()) error {
	time.Sleep(s.latency)
	err := cmp.Or(s.call(), s.faults[mail.To])
	if e, ok := errors.AsType[*domain.DeliveryError](err); ok && e.Fault == domain.ConnectionBroke {
		s.unclear = append(s.unclear, mail.To)
	}
	if err != nil {
		return err
	}
	s.mails = append(s.mails, mail)
	if s.onMail != nil {
		s.onMail(mail)
	}
	done()
	return nil
}

// transport returns the transport of a process that lives until the context ends.
func (w *world) transport(rows []mailing.Row, rest func(time.Duration) time.Duration) *mailing.Mailings {
	return mailing.New(mailing.Config{Store: w, Deliveries: w, Composer: w, Rest: rest,
		Open:  func(context.Context) (mailing.Sender, error) { return sender{w}, w.call() },
		Owner: w.owner,
		Rows: func(context.Context, domain.Delivery) (string, []mailing.Row, error) {
			return author.AuthorID, rows, w.call()
		},
		Seal: func(d domain.Delivery, payload any) domain.Delivery {
			d.Sealed = fmt.Append(nil, payload)
			return d
		}})
}

// deliver makes one attempt at a delivery, from its position, and reports whether it was done.
func (w *world) deliver(t *testing.T, d domain.Delivery) (done bool, err error) {
	t.Helper()
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	w.kill = kill
	d.Position = w.positions[d.ID]
	session, err := w.transport(nil, nil).Open(ctx, d.Destination)
	if err != nil {
		return false, err
	}
	defer session.Close()
	err = session.Deliver(ctx, d, func() { done = true })
	return done, err
}

// complete makes attempts at a delivery until it is done, as long as each lets others have their turn.
func (w *world) complete(t *testing.T, d domain.Delivery) (turns int) {
	t.Helper()
	for {
		turns++
		done, err := w.deliver(t, d)
		if done && err == nil {
			return turns
		}
		if done || !errors.Is(err, delivery.ErrMore) {
			t.Fatalf("done %t, %v", done, err)
		}
	}
}

// received returns how many mails each address has got.
func (w *world) received() map[string]int {
	got := make(map[string]int)
	for _, m := range w.mails {
		name, _, _ := strings.Cut(m.To, "@")
		got[name]++
	}
	return got
}

func post() domain.Delivery { return subscription.MailingDelivery("post", time.Now()) }
