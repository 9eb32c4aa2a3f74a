package portable

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"

	"inkfeed/domain"
)

// ParseTime parses a date in one of many common notations. A date without a zone is in the given zone.
func ParseTime(text string, zone *time.Location) (time.Time, bool) {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	if len(text) > 100 {
		return time.Time{}, false
	}
	text = zoneWithoutSpace.ReplaceAllString(text, "$1 $2")
	text = ordinalDay.ReplaceAllString(text, "$1")
	if m := zoneOfPlace.FindStringSubmatch(text); m != nil {
		if place, err := time.LoadLocation(m[2]); err == nil {
			text, zone = m[1], place
		}
	}
	if m := slashedDay.FindStringSubmatch(text); m != nil { // unambiguous only if one number cannot be a month
		first, second := m[1], m[2]
		american, ok := ParseDay(m[3], first, second, zone)
		european, other := ParseDay(m[3], second, first, zone)
		switch {
		case ok && (!other || american.Equal(european)):
			return american, true
		case other && !ok:
			return european, true
		}
		return time.Time{}, false
	}
	for _, layout := range timeLayouts {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return inItsZone(t, layout, text, zone), t.Year() > 1 && t.Year() < 10000
		}
	}
	if unixTime.MatchString(text) {
		n, _ := strconv.ParseInt(text, 10, 64)
		if len(text) > 11 {
			return time.UnixMilli(n).UTC(), true
		}
		return time.Unix(n, 0).UTC(), true
	}
	return time.Time{}, false
}

// AnyTime is a date in JSON: a text, or milliseconds since 1970.
type AnyTime time.Time

// DateSource is the source of a post's date. Earlier constants are more reliable.
type DateSource int

const (
	FromFrontMatter DateSource = iota // a date in the front matter
	FromFileName                      // the name of the file or its folders
	FromAddress                       // a date in the address that the front matter names
	FromLastChange                    // the date of the last change in the front matter
	FromHistory                       // the first commit of the file in the repository
	FromFileTime                      // the modification time of the file
	FromNowhere                       // no source: the post is dated at the time of the import
	DateSources                       // the number of sources
)

var timeLayouts = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
	"2006-01-02 15:04:05.999999999 Z0700", "2006-01-02 15:04:05.999999999 Z07:00",
	"2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999 -0700 MST", "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05.999999999",
	"2006-01-02 15:04:05.999999999Z0700", "2006-01-02 15:04 Z0700", "2006-01-02 15:04Z0700", "2006-01-02 15:04Z07:00",
	"2006-01-02 15:04 Z07:00", "2006-01-02 15:04 MST", "2006-01-02 15:04",
	"2006-01-02 3:04 PM", "2006-01-02 3:04:05 PM", "2006-01-02",
	"2006/01/02 15:04:05 Z0700", "2006/01/02 15:04:05", "2006/01/02 15:04", "2006/1/2", "2006.01.02",
	"2006-1-2 15:04:05", "2006-1-2 15:04:05 MST", "2006-1-2T15:04:05 MST", "2006-1-2 15:04", "2006-1-2",
	"20060102T150405Z0700", "20060102T150405", "20060102150405", "200601021504", "20060102",
	time.RFC1123Z, time.RFC1123, time.RFC850, time.UnixDate, time.ANSIC, time.RubyDate,
	"Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST", "Mon, 2 Jan 2006", "Mon, Jan 2, 2006",
	"Monday, January 2, 2006", "Monday, 2 January 2006",
	"January 2, 2006 15:04:05", "January 2, 2006 15:04", "January 2, 2006 3:04 PM", "January 2, 2006 at 3:04 PM",
	"January 2, 2006", "January 2 2006",
	"Jan 2, 2006 15:04:05", "Jan 2, 2006 15:04", "Jan 2, 2006 3:04 PM", "Jan 2, 2006 at 3:04 PM", "Jan 2, 2006",
	"Jan 2 2006", "Jan. 2, 2006",
	"2 January 2006 15:04", "2 January 2006", "2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05", "2 Jan 2006 15:04",
	"2 Jan 2006", "2. January 2006", "02-Jan-2006",
	"2.1.2006 15:04:05", "2.1.2006 15:04", "2.1.2006", "January 2006", "Jan 2006", "2006-01", "2006/01", "2006",
	"2006-01-02T15:04:05Z07:00:00",
}

var (
	zoneWithoutSpace = regexp.MustCompile(`(\d\d:\d\d(?::\d\d(?:\.\d+)?)?) +([+-]\d\d:?\d\d)$`)
	ordinalDay       = regexp.MustCompile(`(?i)\b(\d{1,2})(?:st|nd|rd|th)\b`)
	zoneOfPlace      = regexp.MustCompile(`^(.*\d) +\[?([A-Z][A-Za-z_]+/[A-Za-z_/+-]+)\]?$`)
	slashedDay       = regexp.MustCompile(`^(\d{1,2})/(\d{1,2})/(\d{4})$`)
	unixTime         = regexp.MustCompile(`^\d{9,13}$`)
)

// zoneHours are the offsets of time zones by their abbreviations. time.Parse knows only the abbreviations of its
// location. Abbreviations of several zones are left out.
var zoneHours = map[string]float64{
	"EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
	"WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "EET": 2, "EEST": 3, "MSK": 3,
	"JST": 9, "KST": 9, "AEST": 10, "AEDT": 11, "ACST": 9.5, "AWST": 8, "NZST": 12, "NZDT": 13, "UTC": 0, "GMT": 0,
	"Z": 0,
}

// inItsZone corrects a time that was parsed from a text. A time without a zone is one of the site's zone. A zone
// abbreviation, which time.Parse reads as UTC, stands for its offset or, if it is unknown, for the site's zone.
func inItsZone(t time.Time, layout, text string, zone *time.Location) time.Time {
	name, offset := t.Zone()
	switch {
	case strings.Contains(layout, "07"): // a numeric offset
		return t
	case !strings.Contains(layout, "MST"):
		t, _ = time.Parse(layout, text)
	case offset != 0 || t.Location() == zone:
		return t
	}
	if hours, ok := zoneHours[name]; ok && strings.Contains(layout, "MST") {
		zone = time.FixedZone(name, int(hours*3600))
	}
	return domain.FromLocal(t, zone)
}

// ParseDay parses a day of the calendar. It returns false if the day does not exist.
func ParseDay(year, month, day string, zone *time.Location) (time.Time, bool) {
	if len(year) == 2 {
		year = "20" + year
	}
	t, err := time.Parse("2006-1-2", year+"-"+month+"-"+day)
	return domain.FromLocal(t, zone), err == nil && t.Year() > 1900
}

// UnmarshalJSON accepts a text in one of many notations, a number of milliseconds, or null.
func (t *AnyTime) UnmarshalJSON(b []byte) error {
	var ms int64
	var text string
	switch {
	case json.Unmarshal(b, &ms) == nil:
		if ms > 0 && ms < 253402300800000 { // the year 10000
			*t = AnyTime(time.UnixMilli(ms).UTC())
		}
	case json.Unmarshal(b, &text) == nil:
		if parsed, ok := ParseTime(text, time.UTC); ok {
			*t = AnyTime(parsed)
		}
	}
	return nil
}
