package cli

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"inkfeed/cosmos"
	"inkfeed/domain/subscription"
	"inkfeed/web/cli/config"
	"inkfeed/web/mail"
	"inkfeed/web/mail/bounce"
)

func TestMailCheckFailsIfSomethingMustChange(t *testing.T) {
	out, err := runWith(t, nil, "mail", "check")
	if err == nil || !strings.Contains(err.Error(), "1 thing must change") ||
		!strings.HasPrefix(out, "change No mail") {
		t.Errorf("error %v, printed %s", err, out)
	}
	var b bytes.Buffer
	if err := printFindings(&b, []mail.Finding{{Text: "Fine."}}); err != nil || b.String() != "ok     Fine.\n" {
		t.Errorf("error %v, printed %q", err, b.String())
	}
}

func TestBouncesAreRecorded(t *testing.T) {
	folder, out := t.TempDir(), output{&bytes.Buffer{}, &bytes.Buffer{}}
	loaded := func(folder string) *config.Config {
		c := config.New(func(string) string { return "" })
		setupBounces(c)
		if err := c.Load(map[string]string{"data": folder}); err != nil {
			t.Fatal(err)
		}
		return c
	}
	c, id := loaded(folder), subscription.VisitorID("ada@example.com")
	change := func(f func(*subscription.Subscriber)) (s subscription.Subscriber) {
		store, closeStore, err := c.Open(t.Context(), cosmos.Options{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer closeStore()
		s, err = store.Subscriptions.Change(t.Context(), id, func(s *subscription.Subscriber) error {
			f(s)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	change(func(s *subscription.Subscriber) { *s = subscription.New(id, "ada@example.com", "en") })
	keys, err := c.SessionKeys()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := bounce.NewSigner(keys)
	if err != nil {
		t.Fatal(err)
	}
	complaint := fmt.Sprintf("Content-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\n"+
		"Original-Mail-From: <%s>\r\n", signer.Sender("bounces@example.org", id))
	err = takeBounce(t.Context(), c, strings.NewReader("Subject: Hello\r\n\r\n"), out)
	if err == nil || exitStatus(err) != 1 {
		t.Errorf("a message that is no report: %v", err)
	}
	if err := takeBounce(t.Context(), c, strings.NewReader(complaint), out); err != nil {
		t.Fatal(err)
	}
	if s := change(func(*subscription.Subscriber) {}); s.Reason != subscription.Complained {
		t.Errorf("the subscriber is %+v", s)
	}
	_, closeStore, err := c.Open(t.Context(), cosmos.Options{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore()
	if err := takeBounce(t.Context(), c, strings.NewReader(complaint), out); err == nil || exitStatus(err) != 75 {
		t.Errorf("while another process uses the data: %v", err)
	}
}
