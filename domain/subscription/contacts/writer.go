package contacts

import (
	"encoding/csv"
	"io"
	"strings"
	"time"

	"inkfeed/domain/subscription"
)

// seriesPrefix begins the name of a list that is not that of all posts of the author.
const seriesPrefix = "series: "

// Person is a subscriber with one of their subscriptions, to write.
type Person struct {
	Email, Name  string
	Subscription subscription.Subscription
	Suppressed   subscription.Reason // empty: none
}

// Writer writes a file. Spreadsheets show all its cells as texts.
type Writer struct{ csv *csv.Writer }

// NewWriter returns a writer that has written the names of the columns.
func NewWriter(w io.Writer) *Writer {
	rows := &Writer{csv.NewWriter(w)}
	rows.write("email", "name", "list", "frequency", "subscribed at", "confirmed at", "consent page", "wording",
		"source", "status")
	return rows
}

// Write adds a person.
func (w *Writer) Write(p Person) {
	s, list, status := p.Subscription, "author", "active"
	if s.List.Kind == subscription.BySeries {
		list = seriesPrefix + s.List.Series
	}
	if p.Suppressed != "" {
		status = string(p.Suppressed)
	}
	w.write(p.Email, p.Name, list, string(s.Frequency), s.Consent.At.UTC().Format(time.RFC3339),
		s.Confirmed.UTC().Format(time.RFC3339), s.Consent.Page, s.Consent.Wording, s.Consent.Source, status)
}

// Flush sends what was written, and returns the first error.
func (w *Writer) Flush() error {
	w.csv.Flush()
	return w.csv.Error()
}

func (w *Writer) write(cells ...string) {
	for n, cell := range cells {
		if startsFormula(cell) {
			cells[n] = "'" + cell
		}
	}
	_ = w.csv.Write(cells) // Flush returns the error
}

// startsFormula reports whether a spreadsheet would calculate a cell.
func startsFormula(cell string) bool {
	return cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0]))
}

// withoutQuote returns what a cell was before Writer wrote it.
func withoutQuote(cell string) string {
	if rest, quoted := strings.CutPrefix(cell, "'"); quoted && startsFormula(rest) {
		return rest
	}
	return cell
}
