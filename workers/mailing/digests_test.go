package mailing_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/workers/mailing"
)

func TestDigestHasThePostsOfTheListsSinceTheLastOne(t *testing.T) {
	w := newWorld()
	until := begun.Add(10 * 24 * time.Hour)
	run := subscription.DigestRun{Daily: until.Add(-24 * time.Hour), Until: until}
	told := func(id string, before time.Duration, lists ...subscription.List) {
		t := subscription.Told{PostID: id, At: until.Add(-before)}
		for _, l := range lists {
			t.Lists = append(t.Lists, l.Key())
		}
		w.told = append(w.told, t)
	}
	told("1", 72*time.Hour, author, site)
	told("2", 23*time.Hour, author, tag, site)
	told("3", 2*time.Hour, subscription.Author("other"), site)
	told("4", time.Hour, author, tag, site)
	told("4", time.Minute, author, tag, site) // told again after a crash
	told("5", 0, author, site)                // of the next digest
	w.subscribe("ada", daily, author, tag)
	w.subscribe("ben", weekly, author)
	w.subscribe("cy", daily, site)
	w.subscribe("dan", daily, subscription.Tag("quiet"))
	w.subscribe("eve", each, author)
	w.subscribe("fay", daily, author)
	w.change("fay", func(s *subscription.Subscriber) { s.Subscriptions[0].Confirmed = until.Add(-90 * time.Minute) })
	w.subscribe("gil", daily, author)
	w.change("gil", func(s *subscription.Subscriber) { s.Complain(begun) })
	w.subscribe("hal", daily, subscription.List{Kind: subscription.Notices})
	w.change("hal", func(s *subscription.Subscriber) { s.Language = "with notices" })
	texts := func(run subscription.DigestRun) map[string]string {
		w.mails = nil
		w.complete(t, subscription.DigestDelivery(run, time.Now()))
		got := make(map[string]string)
		for _, m := range w.mails {
			name, _, _ := strings.Cut(m.To, "@")
			got[name] += "[" + m.Text + "]"
		}
		return got
	}
	want := map[string]string{"ada": "[24]", "cy": "[234]", "fay": "[4]", "hal": "[]"}
	if got := texts(run); !maps.Equal(got, want) {
		t.Errorf("daily: %v, want %v", got, want)
	}
	run.Weekly = until.Add(-7 * 24 * time.Hour)
	want["ben"] = "[124]"
	if got := texts(run); !maps.Equal(got, want) {
		t.Errorf("daily and weekly: %v, want %v", got, want)
	}
}

// mia is the id of a member.
const mia = "u.mia"

// owner returns the member with an address.
func (w *world) owner(_ context.Context, email string) (domain.User, error) {
	if email != "mia@mia.example" {
		return domain.User{}, &domain.Error{Kind: domain.NotFound}
	}
	return domain.User{ID: mia}, w.call()
}

func TestImportAddsThoseWhoHaveNotUnsubscribed(t *testing.T) {
	w := newWorld()
	w.subscribe("ada", daily, author)
	w.subscribe("ben", each, author)
	w.change("ben", func(s *subscription.Subscriber) { s.EndAll(begun); s.Email = "" })
	w.subscribe("cy", each, site)
	w.change("cy", func(s *subscription.Subscriber) { s.EndAll(begun); s.Email = "" })
	former := subscription.New(mia, "", "")
	_ = former.Add(author, each, subscription.Consent{At: begun})
	former.EndAll(begun)
	w.subscribers[mia] = former
	var rows []mailing.Row
	for _, name := range []string{"ada", "ben", "cy", "dan", "dan", "mia"} {
		rows = append(rows, mailing.Row{Email: name + "@" + name + ".example", Language: "cs",
			Consent: subscription.Consent{At: begun, Source: "Ghost", Imported: begun}})
	}
	rows = append(rows, mailing.Row{Email: "eve@eve.example", Series: "tales", Frequency: weekly,
		Consent: rows[0].Consent})
	d := domain.Delivery{ID: "import", Destination: subscription.ImportsPrefix + "01", Kind: subscription.DeliverImport,
		Expires: time.Now().Add(time.Hour)}
	for range 2 { // it may be repeated
		for i := range rows { // one after the other, since the world is not safe for concurrent use
			session, err := w.transport(rows[i:i+1], nil).Open(t.Context(), d.Destination)
			if err == nil {
				err = session.Deliver(t.Context(), d, func() {})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []string
	for _, name := range []string{"ada", "ben", "cy", "dan", "mia"} {
		sub := w.subscribers[subscription.VisitorID(name+"@"+name+".example")]
		got = append(got, fmt.Sprint(name, " ", sub.Gets(author, each), " ", sub.Email))
	}
	want := []string{"ada false ada@ada.example", "ben false ", "cy true cy@cy.example", "dan true dan@dan.example",
		"mia false "}
	if !slices.Equal(got, want) || len(w.mails) > 0 {
		t.Errorf("%q, want %q", got, want)
	}
	eve := w.subscribers[subscription.VisitorID("eve@eve.example")]
	if !eve.Gets(subscription.Series(author.AuthorID, "tales"), weekly) || len(eve.Subscriptions) != 1 {
		t.Errorf("a weekly reader of a series became %+v", eve)
	}
}
