package bounce_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/web/mail/bounce"
)

var (
	ada    = subscription.VisitorID("ada@example.com")
	postID = strings.Repeat("p", 26)
)

func signerWith(t testing.TB, keys ...byte) *bounce.Signer {
	t.Helper()
	var secrets [][]byte
	for _, key := range keys {
		secrets = append(secrets, bytes.Repeat([]byte{key}, 32))
	}
	s, err := bounce.NewSigner(secrets)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func saying(subscriberID, postID string, kind bounce.Kind) bounce.Report {
	return bounce.Report{SubscriberID: subscriberID, PostID: postID, Kind: kind}
}

// sample returns a file of testdata, about the mail of a post to Ada.
func sample(t testing.TB, s *bounce.Signer, file string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("\n", "\r\n", "{sender}", s.Sender("bounces@example.org", ada),
		"{message-id}", "<"+s.MessageID(ada, postID, "")+"@example.org>").Replace(string(text))
}

func TestReportsOfMailServersAreRead(t *testing.T) {
	s := signerWith(t, 1)
	noSender := func(text string) string {
		return strings.ReplaceAll(text, s.Sender("bounces@example.org", ada), "blog@example.org")
	}
	for name, tt := range map[string]struct {
		file   string
		change func(string) string
		want   bounce.Report
	}{
		"Postfix":                     {"postfix.eml", nil, saying(ada, postID, bounce.Permanent)},
		"Exchange":                    {"exchange.eml", nil, saying(ada, postID, bounce.Permanent)},
		"Gmail's report of a delay":   {"gmail.eml", nil, saying(ada, postID, bounce.Temporary)},
		"a complaint":                 {"complaint.eml", nil, saying(ada, postID, bounce.Complaint)},
		"only the Message-ID is ours": {"postfix.eml", noSender, saying(ada, postID, bounce.Permanent)},
		"a complaint with the Message-ID only": {"complaint.eml", noSender,
			saying(ada, postID, bounce.Complaint)},
		"the case of addresses has changed": {"postfix.eml", strings.ToUpper,
			saying(ada, postID, bounce.Permanent)},
		"the returned mail is missing": {"postfix.eml", func(text string) string {
			before, _, _ := strings.Cut(text, "Content-Description: Undelivered")
			return before
		}, saying(ada, "", bounce.Permanent)},
		"lines end with LF": {"postfix.eml", func(text string) string {
			return strings.ReplaceAll(text, "\r\n", "\n")
		}, saying(ada, postID, bounce.Permanent)},
		"a refusal because of a policy": {"postfix.eml", func(text string) string {
			return strings.ReplaceAll(text, "Status: 5.1.1", "Status: 5.7.1")
		}, saying(ada, postID, bounce.Temporary)},
		"a mail that was given up after days": {"postfix.eml", func(text string) string {
			return strings.ReplaceAll(text, "Status: 5.1.1", "Status: 4.4.7")
		}, saying(ada, postID, bounce.Temporary)},
		"a mail in base64": {"exchange.eml", func(text string) string {
			before, mail, _ := strings.Cut(text, "Content-Type: message/rfc822\r\n\r\n")
			return strings.ReplaceAll(before, s.MessageID(ada, postID, ""), "x") +
				"Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
				base64.StdEncoding.EncodeToString([]byte(mail)) + "\r\n"
		}, saying(ada, postID, bounce.Permanent)},
	} {
		t.Run(name, func(t *testing.T) {
			text := sample(t, s, tt.file)
			if tt.change != nil {
				changed := tt.change(text)
				if changed == text {
					t.Fatal("the sample has not changed")
				}
				text = changed
			}
			if got, err := s.Parse(strings.NewReader(text)); err != nil || got != tt.want {
				t.Errorf("got %+v, error %v", got, err)
			}
		})
	}
}

func TestOtherMessagesAreRefused(t *testing.T) {
	s := signerWith(t, 1)
	report := sample(t, s, "postfix.eml")
	for name, tt := range map[string]struct {
		text string
		want error
	}{
		"nothing":               {"", bounce.ErrNoReport},
		"no mail":               {"\x00\xff\r\n\r\nhello", bounce.ErrNoReport},
		"an answer by a person": {sample(t, s, "vacation.eml"), bounce.ErrNoReport},
		"a report of success":   {strings.ReplaceAll(report, ": failed", ": relayed"), bounce.ErrNoReport},
		"a complaint about nothing": {strings.ReplaceAll(sample(t, s, "complaint.eml"), ": abuse", ": not-spam"),
			bounce.ErrNoReport},
		"another site's mail": {sample(t, signerWith(t, 2), "postfix.eml"), bounce.ErrNotOurs},
		"another subscriber in the place of the signed one": {strings.ReplaceAll(report, ada,
			subscription.VisitorID("eve@example.com")), bounce.ErrNotOurs},
		"another post, and no other name": {strings.ReplaceAll(strings.ReplaceAll(report, postID,
			strings.Repeat("q", 26)), s.Sender("bounces@example.org", ada), "x@example.org"), bounce.ErrNotOurs},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := s.Parse(strings.NewReader(tt.text)); !errors.Is(err, tt.want) || got != (bounce.Report{}) {
				t.Errorf("got %+v, error %v", got, err)
			}
		})
	}
}

func TestOldKeysAreAccepted(t *testing.T) {
	text := sample(t, signerWith(t, 1), "postfix.eml")
	if got, err := signerWith(t, 2, 1).Parse(strings.NewReader(text)); err != nil || got.SubscriberID != ada {
		t.Errorf("got %+v, error %v", got, err)
	}
}

// No message costs much, and none invents a subscriber.
func FuzzParse(f *testing.F) {
	s := signerWith(f, 1)
	for _, file := range []string{"postfix.eml", "exchange.eml", "gmail.eml", "complaint.eml", "vacation.eml"} {
		f.Add(sample(f, s, file))
	}
	deep := "Content-Type: multipart/report; boundary=b\r\n\r\n"
	for range 6 {
		deep += "--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
	}
	f.Add(deep)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := s.Parse(strings.NewReader(text))
		if err == nil && (got.SubscriberID != ada || got.Kind == "" || got.PostID != "" && got.PostID != postID) ||
			err != nil && got != (bounce.Report{}) {
			t.Errorf("got %+v, error %v", got, err)
		}
	})
}

// records has one subscriber, and counts bounces.
type records struct {
	subscription.Subscriber
	bounces []string
	err     error
}

func (r *records) Change(_ context.Context, id string, change func(*subscription.Subscriber) error) (
	subscription.Subscriber, error) {
	if r.err != nil {
		return subscription.Subscriber{}, r.err
	}
	if id == r.ID {
		return r.Subscriber, change(&r.Subscriber)
	}
	missing := subscription.Subscriber{ID: id}
	err := change(&missing)
	if missing.Failures > 0 || !missing.Suppressed.IsZero() {
		return missing, errors.New("a subscriber was created")
	}
	return missing, err
}

func (r *records) CountBounce(_ context.Context, authorID, id string) error {
	r.bounces = append(r.bounces, authorID+" "+id)
	return nil
}

func (r *records) Get(_ context.Context, id string) (domain.Post, error) {
	if id != postID {
		return domain.Post{}, domain.NewError(domain.NotFound, "There is no such post.")
	}
	return domain.Post{ID: id, AuthorID: "bob"}, nil
}

func TestReturnedMailsSuppressTheAddress(t *testing.T) {
	r := &records{Subscriber: subscription.New(ada, "ada@example.com", "en")}
	recorder := bounce.Recorder{Subscribers: r, Posts: r}
	take := func(report bounce.Report) {
		t.Helper()
		if err := recorder.Take(t.Context(), report); err != nil {
			t.Error(err)
		}
	}
	for range 5 {
		take(saying(ada, postID, bounce.Temporary))
	}
	take(saying(subscription.VisitorID("gone@example.com"), "gone", bounce.Complaint))
	take(saying(ada, "gone", bounce.Permanent))
	take(saying(ada, postID, bounce.Permanent))
	if !r.Suppressed.IsZero() || r.Failures != 2 {
		t.Errorf("after two returned mails: %+v", r.Subscriber)
	}
	take(saying(ada, "", bounce.Permanent))
	if r.Reason != subscription.Bounced || strings.Join(r.bounces, ",") != "bob "+postID {
		t.Errorf("after three returned mails: %+v, counted %q", r.Subscriber, r.bounces)
	}
	r.Subscriber = subscription.New(ada, "ada@example.com", "en")
	take(saying(ada, postID, bounce.Complaint))
	if r.Reason != subscription.Complained || len(r.bounces) != 1 {
		t.Errorf("after a complaint: %+v, counted %q", r.Subscriber, r.bounces)
	}
	r.err = domain.NewError(domain.NotFound, "There is no such user.") // of members whose account was deleted
	take(saying(ada, postID, bounce.Complaint))
	r.err = errors.New("the storage is down")
	if err := recorder.Take(t.Context(), saying(ada, postID, bounce.Complaint)); !errors.Is(err, r.err) {
		t.Errorf("the error is %v", err)
	}
}

func TestMailServersPostReturnedMailsWithTheToken(t *testing.T) {
	s, token := signerWith(t, 1), strings.Repeat("t", 20)
	report := sample(t, s, "postfix.eml")
	for name, tt := range map[string]struct {
		token, given, body string
		failure            error
		status, taken      int
	}{
		"with the token":          {token, "Bearer " + token, report, nil, http.StatusNoContent, 1},
		"with another":            {token, "Bearer " + token + "t", report, nil, http.StatusUnauthorized, 0},
		"with a part of it":       {token, "Bearer " + token[1:], report, nil, http.StatusUnauthorized, 0},
		"without one":             {token, "", report, nil, http.StatusUnauthorized, 0},
		"to a site that has none": {"", "Bearer ", report, nil, http.StatusNotFound, 0},
		"with a message that is none": {token, "Bearer " + token, "Subject: Hi\r\n\r\n", nil,
			http.StatusUnprocessableEntity, 0},
		"while the storage is down": {token, "Bearer " + token, report, errors.New("down"),
			http.StatusInternalServerError, 1},
		"with megabytes after the end": {token, "Bearer " + token, report + strings.Repeat("x\r\n", 1<<20), nil,
			http.StatusNoContent, 1},
	} {
		t.Run(name, func(t *testing.T) {
			e, taken := echo.New(), 0
			bounce.Endpoint{Token: tt.token, Signer: s, Take: func(_ context.Context, got bounce.Report) error {
				if taken++; got.SubscriberID != ada {
					t.Errorf("took %+v", got)
				}
				return tt.failure
			}}.Register(e)
			r := httptest.NewRequest(http.MethodPost, "/mail/bounces", strings.NewReader(tt.body))
			r.Header.Set("Authorization", tt.given)
			w := httptest.NewRecorder()
			e.ServeHTTP(w, r)
			if w.Code != tt.status || taken != tt.taken {
				t.Errorf("status %d, taken %d times", w.Code, taken)
			}
		})
	}
}
