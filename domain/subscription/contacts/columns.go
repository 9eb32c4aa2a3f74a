package contacts

import (
	"slices"
	"strings"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/siteinfo"
	"inkfeed/domain/subscription"
)

// column is what a column of a file says, with the names that it has in the files of different software.
type column int

const (
	email column = iota
	list
	frequency
	consented
	page
	wording
	source
	wanted   // false: the person is not mailed
	unwanted // true: the person is not mailed
	ended    // the date of the end of the subscription
	failed   // the date when mails came back
	state    // a word
	numColumns
)

// columnNames are the names of the columns, the best first.
var columnNames = [numColumns][]string{
	email:     {"email", "email address", "e mail", "e mail address", "subscriber email", "mail"},
	list:      {"list"},
	frequency: {"frequency"},
	consented: {"confirmed at", "confirm time", "optin time", "subscribed at", "created at", "creation date",
		"start date", "subscription date", "created", "date"},
	page:     {"consent page"},
	wording:  {"wording"},
	source:   {"source", "subscription source", "referrer url"},
	wanted:   {"subscribed to emails", "subscribed"},
	unwanted: {"email disabled", "unsubscribed"},
	ended:    {"deleted at", "unsub time", "unsubscribed at", "unsubscription date"},
	failed:   {"clean time", "undeliverability date", "bounced at"},
	state:    {"status", "state", "email marketing status", "subscription status", "subscriber type", "type"},
}

// columns are the places of the columns in a file. Several columns may say the same.
type columns struct {
	places [numColumns][]int
	names  []string
}

func columnsOf(names []string) (c columns) {
	for _, name := range names {
		c.names = append(c.names, word(cut(name)))
	}
	for n, known := range columnNames {
		for _, name := range known {
			if at := slices.Index(c.names, name); at >= 0 {
				c.places[n] = append(c.places[n], at)
			}
		}
	}
	return c
}

// word returns a name or a state in lower case, with spaces.
func word(text string) string {
	return strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToLower(strings.TrimSpace(text)))
}

// format returns the software whose files have these columns.
func (c columns) format() string {
	for _, one := range [][2]string{{"consent page", siteinfo.Product}, {"active subscription", "Substack"},
		{"subscribed to emails", "Ghost"}, {"leid", "Mailchimp"}, {"secondary id", "Buttondown"}} {
		if slices.Contains(c.names, one[0]) {
			return one[1]
		}
	}
	return ""
}

// cell returns the text in a place of a row, which may be too short.
func cell(row []string, at int) string {
	if at >= len(row) {
		return ""
	}
	return cut(plaintext.CleanLine(withoutQuote(row[at])))
}

// first returns the first text of a row in columns of a kind.
func (c columns) first(row []string, n column) string {
	for _, at := range c.places[n] {
		if text := cell(row, at); text != "" {
			return text
		}
	}
	return ""
}

// row returns what a row says about a person, or the reason to leave it out.
func (c columns) row(fields []string) (r Row, left locale.Message) {
	address, err := domain.CleanEmail(c.first(fields, email))
	if err != nil {
		return r, locale.M("Not an email address")
	}
	r.Email = address
	for n := wanted; n < numColumns; n++ {
		for _, at := range c.places[n] {
			if left := refusal(n, cell(fields, at)); !left.IsZero() {
				return r, left
			}
		}
	}
	if name, ok := strings.CutPrefix(c.first(fields, list), seriesPrefix); ok {
		r.Series = domain.SeriesKey(name)
	}
	if f := subscription.Frequency(c.first(fields, frequency)); f.Valid(subscription.Author("")) {
		r.Frequency = f
	}
	r.Consent = subscription.Consent{At: parseDate(c.first(fields, consented)), Page: c.first(fields, page),
		Wording: c.first(fields, wording), Source: c.first(fields, source)}
	return r, locale.Message{}
}

// refusal returns why a person is not mailed, because of a text in a column. An unknown state is a reason, too.
func refusal(n column, text string) locale.Message {
	isTrue := slices.Contains([]string{"true", "yes", "1"}, strings.ToLower(text))
	switch {
	case n == wanted && !isTrue, n == unwanted && isTrue, n == ended && text != "":
		return locale.M("Unsubscribed")
	case n == failed && text != "":
		return locale.M("Emails came back")
	case n != state || text == "":
		return locale.Message{}
	}
	switch word(text) {
	case "active", "subscribed", "confirmed", "enabled", "regular", "free", "paid", "unpaid", "past due", "premium",
		"comp", "comped", "complimentary", "gift", "gifted", "founding", "trial", "trialed", "trialing", "churning",
		"churned", "monthly", "yearly", "annual", "lifetime":
		return locale.Message{}
	case "unsubscribed", "inactive", "removed", "disabled", "paused", "archived", "deleted", "cancelled":
		return locale.M("Unsubscribed")
	case "nonsubscribed", "non subscribed", "not subscribed", "unconfirmed", "unactivated", "pending":
		return locale.M("Not confirmed")
	case "cleaned", "bounced", "undeliverable":
		return locale.M("Emails came back")
	case "complained", "spammy", "blocked":
		return locale.M("Complained about spam")
	}
	return locale.M("Unknown state")
}
