// Package deliveries tests that mails are neither lost nor repeated, with a real mail server, and that new posts reach
// all timelines, on the embedded engine.
package deliveries

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"inkfeed/cosmos"
	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
	"inkfeed/web/mail"
	"inkfeed/workers/delivery"
)

// Environment variables of a process of the test binary that sends mails until it is killed.
const (
	senderFolder = "INKFEED_TEST_SENDER"      // the engine's folder
	senderServer = "INKFEED_TEST_SENDER_SMTP" // the mail server
)

// fanFolder is the same for a process that adds posts to timelines.
const fanFolder = "INKFEED_TEST_FAN"

// mailingFolder is the same for a process that mails a post to its subscribers, with senderServer.
const mailingFolder = "INKFEED_TEST_MAILING"

func TestMain(m *testing.M) {
	if folder := os.Getenv(senderFolder); folder != "" {
		if err := send(folder, os.Getenv(senderServer)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if folder := os.Getenv(fanFolder); folder != "" {
		if err := fanPosts(folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if folder := os.Getenv(mailingFolder); folder != "" {
		if err := mailSubscribers(folder, os.Getenv(senderServer)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// send sends the mails that wait until the process is killed.
func send(folder, server string) error {
	store, closeStore, err := open(folder)
	if err != nil {
		return err
	}
	defer closeStore()
	m, err := newMailer(server)
	if err != nil {
		return err
	}
	delivery.New(store.Deliveries, m, delivery.Options{Lease: 300 * time.Millisecond, Interval: 100 * time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))}).Run(context.Background())
	return nil
}

// open opens a database on an embedded engine.
func open(folder string) (store *cosmos.Store, closeStore func(), err error) {
	engine, err := embedded.Open(folder, embedded.Options{})
	if err != nil {
		return nil, nil, err
	}
	store, err = cosmos.Open(context.Background(), cosmos.Options{Endpoint: engine.Endpoint(), Key: engine.Key(),
		Transport: engine, Database: "test"})
	if err != nil {
		engine.Close()
		return nil, nil, err
	}
	return store, func() { store.Close(); engine.Close() }, nil
}

var mailKeys = [][]byte{bytes.Repeat([]byte{1}, 32)}

func newMailer(server string) (*mail.Mailer, error) {
	return mail.New(mail.Options{SMTP: server, From: "blog@example.org", Keys: mailKeys,
		Logger: slog.New(slog.DiscardHandler)})
}

// put stores a number of mails to some domains, and returns their ids.
func put(ctx context.Context, store *cosmos.Store, m *mail.Mailer, n int) (map[string]int, error) {
	ids, list := make(map[string]int, n), make([]domain.Delivery, 0, 1000)
	for i := range n {
		to := fmt.Sprintf("reader%d@host%d.example", i, i%40)
		d := m.Seal(domain.DeliverMail, "", 24*time.Hour, domain.Mail{To: to, Subject: "A new post",
			Text: "Read it at https://blog.example.org/posts/1\n"})
		d.Destination, d.Remember = domain.BulkMail(to), false
		ids[d.ID] = 0
		if list = append(list, d); len(list) == cap(list) || i == n-1 {
			if err := store.Deliveries.Put(ctx, list...); err != nil {
				return nil, err
			}
			list = list[:0]
		}
	}
	return ids, nil
}
