package mailings_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/web"
	"inkfeed/web/mailings"
	"inkfeed/web/webtest"
)

const (
	page       = "/settings/newsletter"
	importPath = page + "/import"
)

// mailing returns a site that mails subscribers.
func mailing(t *testing.T, change ...func(*web.Config)) *webtest.Site {
	t.Helper()
	s := webtest.NewSite(t)
	s.Restart(config(s, change...))
	return s
}

func config(s *webtest.Site, change ...func(*web.Config)) web.Config {
	c := webtest.Config(s.Data, s.Log, webtest.KeyOne)
	c.URL = "http://example.com"
	for _, f := range change {
		f(&c)
	}
	return c
}

// subscribe adds a subscriber of a list, who may be a member.
func subscribe(s *webtest.Site, id, email string, l subscription.List) {
	s.T.Helper()
	_, err := s.Data.Store.Subscriptions.Change(s.Data.Context(), id, func(sub *subscription.Subscriber) error {
		if sub.Secret == "" {
			*sub = subscription.New(id, email, "en")
		}
		return sub.Add(l, subscription.Each, subscription.Consent{At: domain.Timestamp(time.Now()), Wording: "=Yes"})
	})
	s.Data.Must(err)
}

func visitor(s *webtest.Site, email string, l subscription.List) string {
	subscribe(s, subscription.VisitorID(email), email, l)
	return subscription.VisitorID(email)
}

func TestAuthorsManageTheirNewsletter(t *testing.T) {
	s := mailing(t)
	ada, bob := s.SignUp("ada"), s.SignUp("bob")
	author := subscription.Author(ada.User.ID)
	reader := visitor(s, "reader@example.org", author)
	subscribe(s, bob.User.ID, "", author)
	gone := visitor(s, "gone@example.org", subscription.Series(ada.User.ID, "engines"))
	_, err := s.Data.Store.Subscriptions.Change(t.Context(), gone, func(sub *subscription.Subscriber) error {
		sub.Complain(time.Now())
		return nil
	})
	s.Data.Must(err)
	post := ada.CreatePost("On engines", "Text.")
	s.Data.Must(s.Data.Store.Subscriptions.BeginMailing(t.Context(), subscription.Mailing{PostID: post.ID,
		AuthorID: ada.User.ID, Begun: time.Now(), Sent: 7, Bounced: 2, Unsubscribed: 1}))

	t.Run("and see who gets it, and what became of the mails", func(t *testing.T) {
		ada.Get("/settings").Has(`.room-list a[href="`+page+`"]`, "Newsletter")
		got := ada.Get(page).Want(200).Has("#subscribers-title", "Subscribers: 3").Has("main", "reader@example.org").
			Has(".mailings a[href='/@bob']", "@bob").Has(".mailings strong", "Not mailed: called an email spam").
			Has("main", "series engines").Has(`li a[href="`+post.Path()+`"]`, "On engines").
			Has("main", "7 sent · 2 bounced · 1 unsubscribed")
		if strings.Contains(got.Body, "bob@") {
			t.Error("the page shows the address of a member")
		}
	})
	t.Run("and choose where replies go", func(t *testing.T) {
		ada.Post(page, "email", "nowhere", "text", "excerpt").Want(422).HasFieldError("email", "").
			Has(`#email[value="nowhere"]`, "").Has(`[value="excerpt"][checked]`, "").Has("main", "reader@example.org")
		ada.Post(page, "email", "Ada@Example.org", "text", "excerpt").WantRedirect(303, page+"?done=saved")
		n, err := s.Data.Store.Subscriptions.Newsletter(t.Context(), ada.User.ID)
		if err != nil || n != (subscription.Newsletter{ReplyTo: "Ada@example.org", Excerpt: true}) {
			t.Errorf("%+v, %v", n, err)
		}
	})
	t.Run("and download the subscribers", func(t *testing.T) {
		got := ada.Get(page + "/export").Want(200)
		rows, err := csv.NewReader(strings.NewReader(got.Body)).ReadAll()
		if err != nil || len(rows) != 4 || !strings.Contains(got.Header.Get("Content-Disposition"), "subscribers.csv") {
			t.Fatalf("%v, %q, %v", err, rows, got.Header)
		}
		want := map[string]string{"reader@example.org": "author active '=Yes", "'@bob": "author active '=Yes",
			"gone@example.org": "series: engines complained '=Yes"}
		for _, r := range rows[1:] {
			if key := r[0] + r[1]; want[key] != r[2]+" "+r[9]+" "+r[7] {
				t.Errorf("the row %q", r)
			}
		}
	})
	t.Run("and end a subscription, of their own lists only", func(t *testing.T) {
		bob.Post(page+"/end", "subscriber", reader, "list", author.Key()).Want(404)
		ada.Post(page+"/end", "subscriber", reader, "list", subscription.Site().Key()).Want(404)
		ada.Post(page+"/end", "subscriber", reader, "list", author.Key()).WantRedirect(303, page+"?done=ended")
		sub, err := s.Data.Store.Subscriptions.Get(t.Context(), reader)
		if err != nil || len(sub.Active()) != 0 {
			t.Errorf("%+v, %v", sub, err)
		}
		ada.Get(page).Has("#subscribers-title", "Subscribers: 2")
	})
}

func TestASiteWithoutMailsSaysSo(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.Get("/settings").HasNo(`a[href="` + page + `"]`)
	ada.Get(page).Want(200).Has("main", "This site sends no newsletters").HasNo("form.stack")
	ada.Post(page, "email", "").Want(404)
	ada.Get(importPath).Want(404)
}

func TestTheListOfSubscribersHasPages(t *testing.T) {
	s := mailing(t)
	ada := s.SignUp("ada")
	for n := range 51 {
		visitor(s, fmt.Sprintf("reader%d@example.org", n), subscription.Author(ada.User.ID))
	}
	first := ada.Get(page).Want(200)
	next, _ := first.Page().Find("a[rel=next]").Attr("href")
	second := ada.Get(next).Want(200).HasNo("a[rel=next]")
	a, b := first.Page().Find(".mailings li").Length(), second.Page().Find(".mailings li").Length()
	if a != 50 || b != 1 {
		t.Errorf("the pages have %d and %d subscribers", a, b)
	}
	ada.Get(page + "?from=nowhere").Want(404)
	if rows := strings.Count(ada.Get(page+"/export").Want(200).Body, "\n"); rows != 52 {
		t.Errorf("the export has %d lines", rows)
	}
}

func upload(v *webtest.Visitor, text string, fields ...string) *webtest.Response {
	return v.UploadTo(importPath, map[string][]byte{"file": []byte(text)}, fields...)
}

// imports returns the deliveries of imports that wait.
func imports(s *webtest.Site) (list []domain.Delivery) {
	for n := range 16 {
		prefix := fmt.Sprintf("%s%02d", subscription.ImportsPrefix, n)
		d, err := s.Data.Store.Deliveries.Waiting(s.Data.Context(), prefix, 10)
		s.Data.Must(err)
		list = append(list, d...)
	}
	return list
}

func TestImportedPeopleAreStoredOnceWithTheirConsent(t *testing.T) {
	s := mailing(t)
	ada := s.SignUp("ada")
	var file strings.Builder
	file.WriteString("email,created_at,source,email_disabled,active_subscription\n")
	for n := range 501 {
		fmt.Fprintf(&file, "p%d@example.org,2020-01-02,form,false,false\n", n)
	}
	file.WriteString("left@example.org,2020-01-02,form,true,false\nbad,,,,\n")
	for range 2 {
		upload(ada, file.String(), "source", " My  letter ", "asked", "yes").Want(200).
			Has(".done", "501 people are being added").Has("main", "The file is an export of Substack.").
			Has("h2", "Left out: 2").Has("main", "Unsubscribed: 1").
			Has("main", "Line 503: left@example.org Unsubscribed")
	}
	waiting := imports(s)
	if len(waiting) != 3 {
		t.Fatalf("%d deliveries", len(waiting))
	}
	rows := mailings.Rows(s.Data.Mail.Payload, s.Data.Store.Users)
	total := 0
	for _, d := range waiting {
		author, list, err := rows(t.Context(), d)
		if err != nil || author != ada.User.ID {
			t.Fatalf("%s, %v", author, err)
		}
		total += len(list)
		for _, r := range list {
			c := r.Consent
			if c.At.Format(time.DateOnly) != "2020-01-02" || c.Source != "My letter; form" ||
				!c.Imported.Equal(d.Created) {
				t.Fatalf("the row %+v", r)
			}
		}
		if strings.Contains(string(d.Sealed), "example.org") {
			t.Error("addresses are stored without encryption")
		}
	}
	if total != 501 {
		t.Errorf("%d rows", total)
	}
}

func TestAnImportNeedsASourceAndAFile(t *testing.T) {
	s := mailing(t)
	ada := s.SignUp("ada")
	const good = "email\nada@example.org\n"
	upload(ada, good).Want(422).HasFieldError("source", "").HasFieldError("asked", "")
	upload(ada, good, "source", "A fair").Want(422).Has(`#source[value="A fair"]`, "").HasFieldError("asked", "")
	upload(ada, "name\nAda\n", "source", "A fair", "asked", "yes").Want(422).HasFieldError("file", "").
		Has(`#asked[checked]`, "")
	upload(ada, "email\na@example.org\n\"", "source", "A fair", "asked", "yes").Want(422).
		HasFieldError("file", "Line 3: the quotation marks do not match.")
	ada.UploadTo(importPath, nil, "source", "A fair", "asked", "yes").Want(422).HasFieldError("file", "")
	upload(ada, "email\n"+strings.Repeat("x", 22<<20), "source", "A fair", "asked", "yes").Want(422).
		HasFieldError("file", "")
	if n := len(imports(s)); n != 0 {
		t.Errorf("%d deliveries", n)
	}
}

func TestAuthorsSeeTheMailBeforeTheyPublish(t *testing.T) {
	s := mailing(t)
	ada, bob := s.SignUp("ada"), s.SignUp("bob")
	visitor(s, "reader@example.org", subscription.Author(ada.User.ID))
	draft := ada.CreateDraft("On engines", "Some **bold** text.", "")
	path := "/posts/" + draft.PostID + "/mail-preview"
	ada.Get("/posts/"+draft.PostID+"/edit").Want(200).Has(`a[href="`+path+`"]`, "Preview the email")
	shown := ada.Get(path).Want(200).Has(`iframe[sandbox=""][src="`+path+`/html"]`, "").Has("main", "On engines").
		Has("pre", "bold").Has("main", "Subscribers: 1.").Has(`a[href="/settings/email"]`, "")
	if csp := shown.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "style-src 'self'") {
		t.Errorf("the page's policy is %s", csp)
	}
	frame := ada.Get(path+"/html").Want(200).Has("strong", "bold")
	csp := frame.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(csp, "default-src 'none'; style-src 'unsafe-inline';") ||
		!strings.HasSuffix(csp, "; sandbox") || strings.Contains(csp, "script-src") ||
		frame.Header.Get("X-Frame-Options") != "SAMEORIGIN" {
		t.Errorf("the frame's policy is %s", csp)
	}
	bob.Get(path).Want(404)
	bob.Get(path + "/html").Want(404)
	ada.Post(path).Want(http.StatusUnprocessableEntity).Has(".error-summary", "Verify your email address")
	ada.SetVerifiedEmail("ada@example.org")
	ada.Get(path).Has("main form button", "Send it to ada@example.org")
	ada.Post(path).WantRedirect(303, path+"?sent=yes")
	mail := s.MailTo("ada@example.org")
	if !strings.Contains(mail.HTML, "<strong>bold</strong>") || mail.Subject == "" {
		t.Errorf("the mail is %+v", mail)
	}
}
