package performance

import (
	"io"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"inkfeed/cosmos"
	"inkfeed/domain/subscription"
	"inkfeed/web/cli/config"
	"inkfeed/web/cli/systemtest/harness"
)

// BenchmarkPagesBesideMailing reads a cached page over eight connections, first alone and then while the server mails a
// post to more subscribers than it can within the time. It reports both rates, their ratio, and the mails a second. The
// mail server is in the same process.
func BenchmarkPagesBesideMailing(b *testing.B) {
	const subscribers, rounds = 6000, 4
	env := harness.NewBlog(b)
	c := config.New(func(name string) string { return env[name] })
	store, closeStore, err := c.Open(b.Context(), cosmos.Options{}, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	if err := harness.AddSubscribers(store, subscribers, subscription.Site()); err != nil {
		b.Fatal(err)
	}
	closeStore()
	var mails counter
	env["INKFEED_SMTP_URL"], env["INKFEED_MAIL_FROM"] = mails.serve(b), "blog@example.org"
	env["INKFEED_URL"] = "https://blog.example.org"
	address, _ := harness.Serve(b, env, "--addr", "127.0.0.1:0")
	author := harness.NewVisitor(b, address)
	author.SignUp("author")
	wires, asked := dialAll(b, address, 8), always(request("/"))
	measure := func() float64 { return hammer(b, wires, 2*time.Second, asked).perSecond() }
	for b.Loop() {
		b.StopTimer()
		measure()
		var quiet, beside []float64
		for range rounds {
			quiet = append(quiet, measure())
		}
		author.Publish("A post", "text")
		for mails.n.Load() == 0 {
			measure()
		}
		before, begin := mails.n.Load(), time.Now()
		for range rounds {
			beside = append(beside, measure())
		}
		sent := mails.n.Load()
		if sent >= subscribers {
			b.Fatal("the mailing ended too early")
		}
		b.ReportMetric(float64(sent-before)/time.Since(begin).Seconds(), "mails/s")
		b.ReportMetric(median(quiet), "quiet/s")
		b.ReportMetric(median(beside), "beside/s")
		b.ReportMetric(median(beside)/median(quiet), "ratio")
		b.StartTimer()
	}
}

// counter is a mail server that counts the mails that it takes.
type counter struct{ n atomic.Int64 }

func (c *counter) serve(b *testing.B) (address string) {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := smtp.NewServer(c)
	go server.Serve(listener)
	b.Cleanup(func() { server.Close() })
	return "smtp://" + listener.Addr().String()
}

func (c *counter) NewSession(*smtp.Conn) (smtp.Session, error) { return c, nil }

func (c *counter) Reset() {}

func (c *counter) Logout() error { return nil }

func (c *counter) Mail(string, *smtp.MailOptions) error { return nil }

func (c *counter) Rcpt(string, *smtp.RcptOptions) error { return nil }

func (c *counter) Data(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	c.n.Add(1)
	return err
}
