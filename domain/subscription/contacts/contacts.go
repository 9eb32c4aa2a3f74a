// Package contacts reads and writes lists of subscribers as CSV: those of this software, and those of Substack, Ghost,
// Buttondown, Mailchimp and others with a column of addresses.
package contacts

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/subscription"
)

// Limits of a file.
const (
	MaxBytes = 20 << 20
	MaxRows  = 100_000
	maxRow   = 64 << 10 // bytes of a row
	maxText  = 300      // bytes of a text of consent; the rest is cut off
	// MaxShown is the number of rows of which a File says why they were left out.
	MaxShown = 20
)

// Row is a person in a file.
type Row struct {
	Email     string                 `json:"email"`
	Series    string                 `json:"series,omitempty"`    // the SeriesKey; empty: all posts of the author
	Frequency subscription.Frequency `json:"frequency,omitempty"` // empty: the file does not say
	// Language is the code of the locale of the mails. A file does not say it.
	Language string `json:"language,omitempty"`
	// Consent is what the file says about it. Its date is zero if the file has none.
	Consent subscription.Consent `json:"consent"`
}

// Left is a row that was left out.
type Left struct {
	Line   int    // 0: several
	Email  string // as it is in the file, shortened
	Reason locale.Message
}

// File is what was read.
type File struct {
	Format string // the software that wrote the file; empty: unknown
	Rows   []Row
	Left   []Left // the first rows that were left out, at most MaxShown
	// NumLeft counts all rows that were left out, and Reasons those of each reason, in the order of the file.
	NumLeft int
	Reasons []Reason
}

// Reason says why a number of rows were left out.
type Reason struct {
	Message locale.Message
	Number  int
}

func (f *File) leave(line int, email string, reason locale.Message) {
	f.NumLeft++
	if len(f.Left) < MaxShown {
		f.Left = append(f.Left, Left{line, plaintext.Truncate(plaintext.CleanLine(cut(email)), 60), reason})
	}
	n := slices.IndexFunc(f.Reasons, func(r Reason) bool { return r.Message.String() == reason.String() })
	if n < 0 {
		n, f.Reasons = len(f.Reasons), append(f.Reasons, Reason{Message: reason})
	}
	f.Reasons[n].Number++
}

// cut shortens a text of a file to maxText bytes.
func cut(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxText)], "") }

// problem returns an error about the field "file".
func problem(m locale.Message) error { return domain.FieldMessage("file", m) }

var (
	errLarge  = problem(locale.M("The file is larger than {size} MB. Split it.", "size", MaxBytes>>20))
	errRows   = problem(locale.M("The file has more than {number} rows. Split it.", "number", MaxRows))
	errEmpty  = problem(locale.M("The file is empty."))
	errNoMail = problem(locale.M("The first line names no column of email addresses, such as “email”."))
)

// Read reads a file whose first line names its columns. The columns are separated by commas, semicolons or tabs, and
// the text is in UTF-8 or UTF-16. Each address appears once in the result for each list, and not at all if a row says
// that it was unsubscribed, was not confirmed or cannot be reached. Errors are Invalid, about the field "file".
func Read(r io.Reader) (File, error) {
	limited := &io.LimitedReader{R: r, N: MaxBytes + 1}
	text := bufio.NewReaderSize(decoded(limited), maxRow)
	head, err := text.Peek(maxRow)
	if len(head) == 0 && err == io.EOF {
		return File{}, errEmpty
	} else if err != nil && err != io.EOF {
		return File{}, err
	}
	rows := csv.NewReader(text)
	rows.Comma, rows.FieldsPerRecord, rows.ReuseRecord = separator(head), -1, true
	f, err := read(rows)
	if limited.N == 0 {
		return File{}, errLarge
	}
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		return File{}, problem(locale.M("Line {line}: the quotation marks do not match.", "line", e.Line))
	}
	return f, err
}

// decoded returns the text as UTF-8.
func decoded(r io.Reader) io.Reader {
	start := bufio.NewReader(r)
	var otherwise encoding.Encoding = unicode.UTF8
	switch b, _ := start.Peek(2); { // without a mark, ASCII in UTF-16 has a zero in each pair
	case len(b) < 2:
	case b[0] == 0:
		otherwise = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case b[1] == 0:
		otherwise = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	}
	return transform.NewReader(start, unicode.BOMOverride(otherwise.NewDecoder()))
}

// separator returns the character that separates the columns in the first line.
func separator(head []byte) rune {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	best := ','
	for _, c := range ";\t" {
		if bytes.Count(line, []byte(string(c))) > bytes.Count(line, []byte(string(best))) {
			best = c
		}
	}
	return best
}

func read(rows *csv.Reader) (f File, err error) {
	names, err := rows.Read()
	if err == io.EOF { // it has nothing but empty lines
		return f, errEmpty
	}
	columns := columnsOf(names)
	if len(columns.places[email]) == 0 {
		return f, cmp.Or(err, errNoMail)
	}
	f.Format = columns.format()
	seen, refused := map[string]bool{}, map[string]bool{}
	for count := 1; ; count++ {
		before := rows.InputOffset()
		fields, err := rows.Read()
		if err == io.EOF {
			break
		} else if err != nil {
			return f, err
		}
		line, _ := rows.FieldPos(0)
		if count > MaxRows {
			return f, errRows
		} else if rows.InputOffset()-before > maxRow {
			return f, problem(locale.M("Line {line}: the row is too long.", "line", line))
		}
		row, reason := columns.row(fields)
		id := domain.EmailKey(row.Email)
		switch {
		case !reason.IsZero():
			refused[id] = true
			f.leave(line, columns.first(fields, email), reason)
		case seen[id+row.Series]:
			f.leave(line, row.Email, locale.M("The address appears more than once"))
		default:
			seen[id+row.Series], f.Rows = true, append(f.Rows, row)
		}
	}
	f.Rows = slices.DeleteFunc(f.Rows, func(r Row) bool {
		no := refused[domain.EmailKey(r.Email)]
		if no {
			f.leave(0, r.Email, locale.M("Another row says that this person gets no emails"))
		}
		return no
	})
	return f, nil
}

// parseDate returns a date of a file, or zero for a text that is none of the past.
func parseDate(text string) time.Time {
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly, "2006-01-02T15:04:05",
		"2006-01-02 15:04:05-07:00", "2006-01-02 15:04:05 MST"} {
		if at, err := time.Parse(layout, text); err == nil && at.Year() > 1990 && at.Before(time.Now()) {
			return domain.Timestamp(at)
		}
	}
	return time.Time{}
}
