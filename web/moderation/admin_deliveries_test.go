package moderation_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// deliveryWorld is a site with deliveries that have failed.
type deliveryWorld struct {
	*webtest.Site
	admin                    *webtest.Visitor
	waiting, dropped, urgent domain.Delivery
}

const group = "mail:07"

// failedDelivery stores a delivery that has failed twice. It waits for an hour, or was dropped.
func failedDelivery(s *webtest.Site, destination string, kind domain.DeliveryKind, dropped bool) domain.Delivery {
	s.T.Helper()
	now := domain.Timestamp(time.Now())
	d := domain.Delivery{ID: domain.NewID(), Destination: destination, Kind: kind, UserID: "u.secretuser",
		Sealed: []byte("ada@example.org"), Created: now, Expires: now.Add(3 * time.Hour), Remember: true}
	store, ctx := s.Data.Store.Deliveries, s.Data.Context()
	s.Data.Must(store.Put(ctx, d))
	d.Attempts, d.Answer = 2, `451 4.7.1 <b>Greylisted</b>, try later`
	if d.Next = now.Add(time.Hour); dropped {
		d.Dropped = now
		s.Data.Must(store.Drop(ctx, d))
	} else {
		s.Data.Must(store.Retry(ctx, d))
	}
	return d
}

// release stores what a worker knows of a destination.
func release(s *webtest.Site, name string, change func(*domain.Destination)) {
	s.T.Helper()
	d, err := s.Data.Store.Deliveries.Destination(s.Data.Context(), name)
	s.Data.Must(err)
	change(&d)
	released, err := s.Data.Store.Deliveries.Release(s.Data.Context(), d)
	if s.Data.Must(err); !released {
		s.T.Fatal("the destination has changed")
	}
}

func newDeliveryWorld(t *testing.T) deliveryWorld {
	s := webtest.NewSite(t)
	w := deliveryWorld{Site: s, admin: s.SignUpAs("anna", domain.RoleAdministrator)}
	w.waiting = failedDelivery(s, group, domain.DeliverMail, false)
	w.dropped = failedDelivery(s, group, domain.DeliverReset, true)
	w.urgent = failedDelivery(s, domain.UrgentMail, domain.DeliverReset, false)
	release(s, group, func(d *domain.Destination) { d.Due, d.Fresh = w.waiting.Next, false })
	return w
}

func (w deliveryWorld) page(destination string) *webtest.Response {
	w.T.Helper()
	return w.admin.Get("/admin/deliveries/" + destination).Want(http.StatusOK)
}

// isDropped reports whether a delivery is listed as dropped, and fails the test if it is not listed.
func (w deliveryWorld) isDropped(d domain.Delivery) bool {
	w.T.Helper()
	list, err := w.Data.Store.Deliveries.List(w.Data.Context(), d.Destination, 1)
	w.Data.Must(err)
	for _, one := range list.Items {
		if one.ID == d.ID {
			return !one.Dropped.IsZero()
		}
	}
	w.T.Fatalf("%s is not listed", d.ID)
	return false
}

func TestAdministratorsSeeWhatWaits(t *testing.T) {
	t.Run("nothing on a new site", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SignUpAs("anna", domain.RoleAdministrator).Get("/admin/deliveries").Want(http.StatusOK).HasNo("main table").
			Has("main", "Nothing waits")
	})
	w := newDeliveryWorld(t)
	t.Run("by destination, urgent mails first", func(t *testing.T) {
		page := w.admin.Get("/admin/deliveries").Want(http.StatusOK).
			Has(".room-menu a[aria-current]", "Deliveries").
			Has("main tbody tr:first-child th", "Urgent emails").
			Has(`main tr:has(a[href$="mail:07"]) td:nth-child(3)`, "1").
			Has(`main tr:has(a[href$="mail:07"]) td:nth-child(4)`, "1").
			HasNo("main .answer")
		if strings.Contains(page.Body, "secret") || strings.Contains(page.Body, "ada@") {
			t.Error("the page shows an account or an address")
		}
	})
	t.Run("without destinations that have nothing left", func(t *testing.T) {
		d := failedDelivery(w.Site, "mail:11", domain.DeliverMail, false)
		w.Data.Must(w.Data.Store.Deliveries.Done(w.Data.Context(), d))
		release(w.Site, "mail:11", func(d *domain.Destination) { d.Due = time.Time{} })
		w.admin.Get("/admin/deliveries").HasNo(`main a[href$="mail:11"]`)
	})
	t.Run("with the failures, the answer and the pause of a receiver", func(t *testing.T) {
		release(w.Site, group, func(d *domain.Destination) {
			d.Failures, d.Answer, d.Paused = 3, "connection refused <i>", time.Now().Add(time.Hour)
		})
		w.admin.Get("/admin/deliveries").Has(`main tr:has(a[href$="mail:07"]) th`, "3 times in a row").
			Has(`main tr:has(a[href$="mail:07"]) th`, "Paused until").Has("main .answer", "connection refused <i>").
			Has(`main tr:has(a[href$="mail:07"]) td:last-child time`, "")
	})
	t.Run("and what is being delivered", func(t *testing.T) {
		d, err := w.Data.Store.Deliveries.Destination(w.Data.Context(), domain.UrgentMail)
		w.Data.Must(err)
		_, err = w.Data.Store.Deliveries.Claim(w.Data.Context(), d, "worker")
		w.Data.Must(err)
		w.admin.Get("/admin/deliveries").Has("main tbody tr:first-child th", "Being delivered now")
	})
	t.Run("also if the numbers cannot be read", func(t *testing.T) {
		w.Data.Fail("Deliveries.Count")
		w.admin.Get("/admin/deliveries").Want(http.StatusOK).Has("main tbody tr:first-child td:nth-child(2)", "unknown")
		w.Data.Recover("Deliveries.Count")
	})
	t.Run("each failed delivery with its kind, answer and times", func(t *testing.T) {
		page := w.page(group).Has("main li:first-child h3", "Link to reset a password").
			Has("main li:last-child h3", "Email about an account").
			Has("main li:first-child .answer", "<b>Greylisted</b>").
			HasNo("main li:first-child button[name=drop]").
			Has("main li:last-child button[name=drop]", "")
		if strings.Contains(page.Body, "secretuser") || strings.Contains(page.Body, "ada@") {
			t.Error("the page shows an account or an address")
		}
	})
	t.Run("and where mails are if there is no mail server", func(t *testing.T) {
		w.admin.Get("/admin/deliveries").HasNo("main [role=note]")
		w.Data.Mail.Away = true
		defer func() { w.Data.Mail.Away = false }()
		w.admin.Get("/admin/deliveries").Has("main [role=note]", "folder outbox of")
	})
	t.Run("of destinations that exist", func(t *testing.T) {
		for _, path := range []string{"mail:12", "destinations", "mail:07?page=2", "mail:07?page=x"} {
			w.admin.Get("/admin/deliveries/" + path).Want(http.StatusNotFound)
		}
	})
	t.Run("but moderators do not", func(t *testing.T) {
		mo := w.SignUpAs("mo", domain.RoleModerator)
		mo.Get("/admin/deliveries").Want(http.StatusForbidden)
		mo.Post("/admin/deliveries/"+group, "drop", w.waiting.ID).Want(http.StatusForbidden)
		if w.isDropped(w.waiting) {
			t.Error("a moderator dropped a delivery")
		}
	})
}

func TestAdministratorsDecideAboutDeliveries(t *testing.T) {
	w := newDeliveryWorld(t)
	const path = "/admin/deliveries/" + group
	t.Run("drop one that waits", func(t *testing.T) {
		w.admin.Post(path, "drop", w.waiting.ID).
			WantRedirect(http.StatusSeeOther, path+"?done=drop&n=1")
		if !w.isDropped(w.waiting) {
			t.Error("it still waits")
		}
		w.admin.Get(path+"?done=drop&n=1").Has("main [role=status]", "1 delivery dropped").
			HasNo("main button[name=drop]")
	})
	t.Run("try one again", func(t *testing.T) {
		w.admin.Post(path, "again", w.waiting.ID).
			WantRedirect(http.StatusSeeOther, path+"?done=again&n=1")
		if w.isDropped(w.waiting) || !w.isDropped(w.dropped) {
			t.Error("another one is tried again")
		}
		w.admin.Get(path+"?done=again&n=1").Has("main [role=status]", "1 delivery is tried again")
		w.admin.Get("/admin/deliveries").Has(`main tr:has(a[href$="mail:07"]) td:last-child`, "now")
	})
	t.Run("all on the page, and no others", func(t *testing.T) {
		shown := w.page(group).Page().Find("main .all button[name=again]").AttrOr("value", "")
		unseen := failedDelivery(w.Site, group, domain.DeliverMail, false)
		w.admin.Post(path, "again", shown).
			WantRedirect(http.StatusSeeOther, path+"?done=again&n=2")
		if w.isDropped(w.dropped) {
			t.Error("a dropped one is not tried again")
		}
		w.admin.Post(path, "drop", shown).
			WantRedirect(http.StatusSeeOther, path+"?done=drop&n=2")
		if w.isDropped(unseen) {
			t.Error("one was dropped that the administrator had not seen")
		}
	})
	t.Run("also if it was delivered in the meantime", func(t *testing.T) {
		w.Data.Must(w.Data.Store.Deliveries.Done(w.Data.Context(), w.waiting))
		for _, id := range []string{w.waiting.ID, domain.NewID(), "x/y", ""} {
			w.admin.Post(path, "again", id).WantRedirect(http.StatusSeeOther, path+"?done=again&n=0")
		}
		w.admin.Get(path+"?done=again&n=0").Want(http.StatusOK).Has("main [role=status]", "Nothing has changed")
	})
	t.Run("also of a destination that is not there", func(t *testing.T) {
		w.admin.Post("/admin/deliveries/mail:50", "drop", w.urgent.ID).
			WantRedirect(http.StatusSeeOther, "/admin/deliveries/mail:50?done=drop&n=0")
		if w.isDropped(w.urgent) {
			t.Error("a delivery to another destination was dropped")
		}
	})
	t.Run("unless the storage cannot be reached", func(t *testing.T) {
		w.Data.Fail("Deliveries.Repeat")
		w.admin.Post(path, "again", w.dropped.ID).Want(http.StatusServiceUnavailable)
		w.Data.Recover("Deliveries.Repeat")
	})
	t.Run("and the log tells it", func(t *testing.T) {
		w.admin.Get("/admin/log").Has("main", "had deliveries tried again: 2 deliveries to mail:07").
			Has("main", "dropped deliveries: 1 delivery to mail:07")
	})
}
