package deliveries

import (
	"context"
	cryptorand "crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"inkfeed/cosmos"
	"inkfeed/cosmos/client"
	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/markdown"
	"inkfeed/domain/siteinfo"
	"inkfeed/domain/subscription"
	"inkfeed/web/cli/systemtest/harness"
	"inkfeed/web/mail"
	"inkfeed/web/newsletter"
	"inkfeed/web/site"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/delivery"
	"inkfeed/workers/mailing"
	"inkfeed/workers/progress"
	"inkfeed/workers/projection"
)

// composer writes the mails of posts as a site does.
type composer struct{ *newsletter.Composer }

func (c composer) Post(ctx context.Context, postID string) (mailing.Issue, error) {
	issue, err := c.Composer.Post(ctx, postID)
	if err != nil {
		return nil, err
	}
	return issue, nil
}

func newComposer(store *cosmos.Store) composer {
	current := site.NewCurrentSettings()
	current.Apply(domain.Settings{Info: siteinfo.Info{Name: "Notes", PostalAddress: "A street\nA town"}, Version: 1})
	return composer{&newsletter.Composer{URL: "https://blog.example.org", Settings: current, Markdown: markdown.New(),
		Languages: locale.NewSet(locale.All()...), Store: newsletter.Store{Subscriptions: store.Subscriptions,
			Posts: store.Posts, Users: store.Users, UserCopies: store.UserCopies, Notifications: store.Notifications}}}
}

// mailingDispatcher returns a dispatcher of mailings and of other mails.
func mailingDispatcher(store *cosmos.Store, m *mail.Mailer, o delivery.Options) *delivery.Dispatcher {
	c := newComposer(store)
	c.Register(m)
	mailings := mailing.New(mailing.Config{Store: store.Subscriptions, Deliveries: store.Deliveries, Composer: c,
		Open: func(ctx context.Context) (mailing.Sender, error) { return m.OpenBulk(ctx) }, Seal: m.SealIn})
	return delivery.New(store.Deliveries, delivery.Transports{"mail": m, "mailings": mailings}, o)
}

// mailSubscribers mails a post until the process is killed.
func mailSubscribers(folder, server string) error {
	store, closeStore, err := open(folder)
	if err != nil {
		return err
	}
	defer closeStore()
	m, err := newMailer(server)
	if err != nil {
		return err
	}
	mailingDispatcher(store, m, delivery.Options{Lease: lease, Interval: 100 * time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))}).Run(context.Background())
	return nil
}

// TestKilledMailingsAreNeitherLostNorRepeated kills the process that mails a post to its subscribers again and again.
// INKFEED_TEST_KILLS and INKFEED_TEST_MAILS are the numbers of kills and of subscribers. A twentieth of the subscribers
// unsubscribe before the first mail is sent.
func TestKilledMailingsAreNeitherLostNorRepeated(t *testing.T) {
	kills, subscribers := numberOf("INKFEED_TEST_KILLS", 10), numberOf("INKFEED_TEST_MAILS", 500)
	seed := uint64(time.Now().UnixNano())
	t.Logf("%d kills, %d subscribers, seed %d", kills, subscribers, seed)
	folder, server := t.TempDir(), startServer(t)
	store, closeStore, err := open(folder)
	if err != nil {
		t.Fatal(err)
	}
	author := signUp(t, store, "author")
	var ids []string
	for i := range subscribers {
		email := fmt.Sprintf("reader%d@host%d.example", i, i%40)
		ids = append(ids, subscription.VisitorID(email))
		lists := [][]subscription.List{{subscription.Author(author.ID)}, {subscription.Site()},
			{subscription.Tag("go"), subscription.Author(author.ID), subscription.Site()}}[i%3]
		if err := harness.AddSubscriber(store, subscription.New(ids[i], email, ""), time.Now().Add(-time.Hour),
			lists...); err != nil {
			t.Fatal(err)
		}
	}
	postID := publishOne(t, store, author)
	m, err := newMailer(server.address)
	if err != nil {
		t.Fatal(err)
	}
	received := make(map[string]int)
	for i, id := range ids {
		if i%20 != 19 {
			received[m.Signer().MessageID(id, postID, "")] = 0
			continue
		}
		if _, err := store.Subscriptions.Change(t.Context(), id, func(s *subscription.Subscriber) error {
			s.EndAll(time.Now())
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	closeStore()
	killSender(t, server, received, kills, rand.New(rand.NewPCG(seed, 0)), mailingFolder+"="+folder,
		senderServer+"="+server.address)
}

func signUp(t testing.TB, store *cosmos.Store, name string) domain.User {
	t.Helper()
	user, err := domain.NewUser(name, time.Now())
	if err == nil {
		err = store.Accounts.Create(t.Context(), user, "hash")
	}
	if err != nil {
		t.Fatal(err)
	}
	return user
}

// publishOne publishes and projects a post with a tag. Its mailing waits.
func publishOne(t testing.TB, store *cosmos.Store, author domain.User) (postID string) {
	t.Helper()
	ctx := t.Context()
	postID = domain.NewID()
	draft, err := store.Drafts.Save(ctx, domain.Draft{PostID: postID, AuthorID: author.ID, Title: "A post", Tags: "Go",
		Content: strings.Repeat("A sentence of some words, **one** of which is bold.\n\n", 60)})
	if err == nil {
		_, err = store.Drafts.Publish(ctx, author, draft, time.Now())
	}
	if err == nil {
		err = projection.CatchUp(ctx, store, changefeed.Options{Logger: slog.New(slog.DiscardHandler)},
			progress.Unknown, io.Discard)
	}
	if err != nil {
		t.Fatal(err)
	}
	return postID
}

// BenchmarkMailing mails a post to subscribers by a mail server that takes all mails at once, with DKIM. It reports the
// rate, the charge of a mail, and how much the heap grows. INKFEED_TEST_MAILS is the number of subscribers; there are a
// tenth of it with accounts.
func BenchmarkMailing(b *testing.B) {
	for _, members := range []bool{false, true} {
		name, n := "visitors", numberOf("INKFEED_TEST_MAILS", 2000)
		if members {
			name, n = "members", n/10
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				benchmarkMailing(b, n, members)
				b.StartTimer()
			}
		})
	}
}

func benchmarkMailing(b *testing.B, n int, members bool) {
	server := startServer(b)
	store, closeStore, err := open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer closeStore()
	m, err := mail.New(mail.Options{SMTP: server.address, From: "blog@example.org", Bounces: "bounces@example.org",
		DKIMKey: dkimKey(b), DKIMSelector: "test", Keys: mailKeys, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	author := signUp(b, store, "author")
	list := subscription.Author(author.ID)
	if members {
		err = addMembers(store, n, list)
	} else {
		err = harness.AddSubscribers(store, n, list)
	}
	if err != nil {
		b.Fatal(err)
	}
	publishOne(b, store, author)
	ctx, cancel := context.WithCancel(context.Background())
	ctx, charge := client.Measure(ctx)
	before, most := heap(), uint64(0)
	var running sync.WaitGroup
	begin := time.Now()
	running.Go(func() { mailingDispatcher(store, m, delivery.Options{Logger: slog.Default()}).Run(ctx) })
	for i := range n {
		<-server.taken
		if i%5000 == 4999 {
			most = max(most, heap())
		}
	}
	took := time.Since(begin)
	for {
		due, err := store.Deliveries.Due(b.Context(), time.Now().Add(time.Hour))
		if err != nil {
			b.Fatal(err)
		}
		if len(due) == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	running.Wait()
	b.ReportMetric(float64(n)/took.Seconds(), "mails/s")
	b.ReportMetric(charge()/float64(n), "RU/mail")
	b.ReportMetric(max(0, float64(most)-float64(before))/(1<<20), "MB/heap")
}

// addMembers adds accounts with verified addresses that get each post of a list.
func addMembers(store *cosmos.Store, n int, l subscription.List) error {
	begun := time.Now().Add(-time.Hour)
	var adding errgroup.Group
	adding.SetLimit(16)
	for i := range n {
		adding.Go(func() error {
			user, err := domain.NewUser(fmt.Sprint("reader", i), begun)
			if err == nil {
				err = store.Accounts.CreateWith(context.Background(), user, domain.Credentials{PasswordHash: "hash",
					Email: fmt.Sprintf("reader%d@host%d.example", i, i%40), EmailVerified: true})
			}
			if err != nil {
				return err
			}
			return harness.AddSubscriber(store, subscription.New(user.ID, "", ""),
				begun.Add(time.Duration(i)*time.Millisecond), l)
		})
	}
	return adding.Wait()
}

// dkimKey returns the path of a new key.
func dkimKey(b *testing.B) string {
	b.Helper()
	key, err := rsa.GenerateKey(cryptorand.Reader, 2048)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "dkim.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}
