package contacts_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/unicode"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/domain/subscription/contacts"
)

func read(t *testing.T, text string) contacts.File {
	t.Helper()
	f, err := contacts.Read(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return f
}

// outcome is who is mailed, and who is not, with the reasons.
func outcome(f contacts.File) (mailed, left []string) {
	for _, r := range f.Rows {
		mailed = append(mailed, r.Email)
	}
	for _, l := range f.Left {
		left = append(left, fmt.Sprintf("%d %s: %s", l.Line, l.Email, l.Reason))
	}
	return mailed, left
}

func TestPeopleWhoLeftElsewhereAreNotMailedHere(t *testing.T) {
	for format, one := range map[string]struct {
		text   string
		mailed []string
		left   []string
		date   string // of the first
	}{
		"Substack": {"email,active_subscription,expiry,plan,email_disabled,created_at,first_payment_at\n" +
			"paid@example.org,true,,yearly,false,2021-03-04T05:06:07.000Z,2021-04-01\n" +
			"free@example.org,false,,other,false,2021-03-05T05:06:07Z,\n" +
			"off@example.org,false,,other,true,2021-03-05T05:06:07Z,\n",
			[]string{"paid@example.org", "free@example.org"},
			[]string{"4 off@example.org: Unsubscribed"}, "2021-03-04"},
		"Ghost": {"id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at," +
			"deleted_at,labels\n" +
			"1,in@example.org,In,,true,true,,2022-01-02T00:00:00.000Z,,\n" +
			"2,out@example.org,Out,,false,,,2022-01-02T00:00:00.000Z,,\n" +
			"3,unsaid@example.org,,,,,,2022-01-02T00:00:00.000Z,,\n" +
			"4,gone@example.org,,,true,,,2022-01-02T00:00:00.000Z,2023-01-01,\n",
			[]string{"in@example.org"},
			[]string{"3 out@example.org: Unsubscribed", "4 unsaid@example.org: Unsubscribed",
				"5 gone@example.org: Unsubscribed"}, "2022-01-02"},
		"Buttondown": {"email,notes,secondary_id,creation_date,source,type,unsubscription_date," +
			"undeliverability_date\n" +
			"regular@example.org,,1,2020-02-03 04:05:06+00:00,embedded_form,regular,,\n" +
			"premium@example.org,,2,2020-02-03,,premium,,\n" +
			"waits@example.org,,3,2020-02-03,,unactivated,,\n" +
			"left@example.org,,4,2020-02-03,,regular,2021-01-01,\n" +
			"dead@example.org,,5,2020-02-03,,regular,,2021-01-01\n" +
			"angry@example.org,,6,2020-02-03,,complained,,\n",
			[]string{"regular@example.org", "premium@example.org"},
			[]string{"4 waits@example.org: Not confirmed", "5 left@example.org: Unsubscribed",
				"6 dead@example.org: Emails came back", "7 angry@example.org: Complained about spam"}, "2020-02-03"},
		"Mailchimp": {"Email Address,First Name,MEMBER_RATING,OPTIN_TIME,CONFIRM_TIME,LEID,EUID,UNSUB_TIME," +
			"CLEAN_TIME\n" +
			"\"in@example.org\",\"A, B\",2,2019-01-01 10:00:00,2019-01-02 10:00:00,1,a,,\n" +
			"out@example.org,,2,2019-01-01 10:00:00,,1,a,2020-01-01 10:00:00,\n" +
			"cleaned@example.org,,2,2019-01-01 10:00:00,,1,a,,2020-01-01 10:00:00\n",
			[]string{"in@example.org"}, []string{"3 out@example.org: Unsubscribed",
				"4 cleaned@example.org: Emails came back"}, "2019-01-02"},
		"": {"Name;E-Mail;Status\nAda;ada@example.org;active\nBob;bob@example.org;lapsed\nCy;cy@;active\n" +
			"Dee;dee@example.org\n\nEve;Ada@Example.org;active\nFay;fay@example.org;active\n" +
			"Fay;fay@example.org;bounced\n",
			[]string{"ada@example.org", "dee@example.org"},
			[]string{"3 bob@example.org: Unknown state", "4 cy@: Not an email address",
				"7 Ada@example.org: The address appears more than once", "9 fay@example.org: Emails came back",
				"0 fay@example.org: Another row says that this person gets no emails"}, "0001-01-01"},
	} {
		t.Run(format, func(t *testing.T) {
			f := read(t, one.text)
			mailed, left := outcome(f)
			if f.Format != format || !reflect.DeepEqual(mailed, one.mailed) || !reflect.DeepEqual(left, one.left) ||
				f.NumLeft != len(one.left) {
				t.Fatalf("format %q, mailed %q, left %q, %d", f.Format, mailed, left, f.NumLeft)
			}
			if at := f.Rows[0].Consent.At.Format(time.DateOnly); at != one.date {
				t.Errorf("the date of the consent is %s", at)
			}
		})
	}
}

func TestEncodingsAndSeparatorsAreRecognised(t *testing.T) {
	const text = "email\tstatus\nada@example.org\tactive\n"
	for name, e := range map[string]interface{ Bytes([]byte) ([]byte, error) }{
		"UTF-8 with a mark":     unicode.UTF8BOM.NewEncoder(),
		"UTF-16 with a mark":    unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder(),
		"UTF-16":                unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder(),
		"UTF-16, big end first": unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder(),
	} {
		t.Run(name, func(t *testing.T) {
			b, err := e.Bytes([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if mailed, _ := outcome(read(t, string(b))); !reflect.DeepEqual(mailed, []string{"ada@example.org"}) {
				t.Errorf("mailed are %q", mailed)
			}
		})
	}
}

// again repeats a text.
type again struct {
	text string
	at   int
}

func (a *again) Read(p []byte) (int, error) {
	for n := range p {
		p[n] = a.text[a.at%len(a.text)]
		a.at++
	}
	return len(p), nil
}

func TestBadFilesAreRefusedWithTheirLine(t *testing.T) {
	for want, r := range map[string]io.Reader{
		"The file is empty.": strings.NewReader(""),
		"The first line names no column of email addresses, such as “email”.": strings.NewReader("a,b\n1,2\n"),
		"Line 3: the quotation marks do not match.": strings.NewReader(
			"email\na@example.org\n\"b@example.org\n"),
		"Line 2: the row is too long.": strings.NewReader(
			"email,note\nada@example.org," + strings.Repeat("x", 70_000) + "\n"),
		"The file has more than 100,000 rows. Split it.": io.MultiReader(strings.NewReader("email\n"),
			&again{text: "a@example.org\n"}),
		"The file is larger than 20 MB. Split it.": io.MultiReader(strings.NewReader("email\n\""),
			&again{text: "a@example.org\n"}),
	} {
		_, err := contacts.Read(r)
		e, ok := errors.AsType[*domain.Error](err)
		if !ok || e.Kind != domain.Invalid || e.Fields["file"].String() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	failure := errors.New("the connection broke")
	if _, err := contacts.Read(io.MultiReader(strings.NewReader("email\nada@"), failing{failure})); err != failure {
		t.Errorf("the error of reading is %v", err)
	}
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

func TestAnExportIsImportedWithItsConsent(t *testing.T) {
	at := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	consent := subscription.Consent{At: at, Page: "https://blog.example.org/@ada", Wording: "=1+1 You agree",
		Source: "A fair"}
	series := subscription.Series("author", "on-engines")
	var b bytes.Buffer
	w := contacts.NewWriter(&b)
	for _, p := range []contacts.Person{
		{Email: "=cmd@example.org", Subscription: subscription.Subscription{List: subscription.Author("author"),
			Frequency: subscription.Weekly, Consent: consent, Confirmed: at}},
		{Email: "=cmd@example.org", Subscription: subscription.Subscription{List: series,
			Frequency: subscription.Each, Consent: consent, Confirmed: at}},
		{Email: "gone@example.org", Name: "@gone", Suppressed: subscription.Bounced},
	} {
		w.Write(p)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(b.Bytes())).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("%v, %q", err, rows)
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
				t.Errorf("a spreadsheet calculates %q", cell)
			}
		}
	}
	f := read(t, b.String())
	want := []contacts.Row{{Email: "=cmd@example.org", Frequency: subscription.Weekly, Consent: consent},
		{Email: "=cmd@example.org", Series: "on-engines", Frequency: subscription.Each, Consent: consent}}
	if f.Format != "Inkfeed" || !reflect.DeepEqual(f.Rows, want) || f.NumLeft != 1 {
		t.Errorf("read %+v", f)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("email,status\nada@example.org,active\n\"b@example.org\",\"x\ny\"\n"))
	f.Add([]byte("\xff\xfee\x00m\x00a\x00i\x00l\x00\n\x00a\x00@\x00b\x00.\x00c\x00\n\x00"))
	f.Add([]byte("\n\x00"))
	f.Add([]byte("E-Mail;Unsubscribed\n'+a@example.org;yes"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := contacts.Read(bytes.NewReader(text))
		if err != nil && !domain.Is(err, domain.Invalid) {
			t.Fatalf("the error is %v", err)
		}
		seen := map[string]bool{}
		for _, r := range file.Rows {
			if clean, err := domain.CleanEmail(r.Email); err != nil || clean != r.Email || seen[r.Email+r.Series] {
				t.Errorf("the row %+v", r)
			}
			seen[r.Email+r.Series] = true
		}
		if len(file.Left) > contacts.MaxShown || len(file.Rows)+file.NumLeft > bytes.Count(text, []byte("\n"))+1 {
			t.Errorf("%d rows and %d left out of %q", len(file.Rows), file.NumLeft, text)
		}
	})
}
