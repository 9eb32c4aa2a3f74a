package portable

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"inkfeed/domain/plaintext"
)

// dateSource is the source of a post's date. Earlier constants are more reliable.
type dateSource int

const (
	fromFrontMatter dateSource = iota
	fromFileName
	fromLastChange
	fromHistory
	fromFileTime
	fromNowhere
	dateSources
)

var dateSourceNames = [dateSources]string{
	fromFrontMatter: "front matter",
	fromFileName:    "the names of files and folders",
	fromLastChange:  "front matter's last change",
	fromHistory:     "the repository's first commit of each file",
	fromFileTime:    "the files' modification times",
}

// Keys of front matter, in the order in which they are tried.
var (
	dateKeys = []string{"date", "publishdate", "pubdate", "published", "publishedat", "publishedon", "publisheddate",
		"datepublished", "publish", "postedat", "posted", "postdate", "created", "createdat", "createdon", "datecreated",
		"createddate", "creationdate", "timestamp"}
	publishKeys = []string{"publishdate", "pubdate"}
	changeKeys  = []string{"lastmod", "lastmodified", "lastmodifiedat", "modified", "modifiedat", "datemodified",
		"modifieddate",
		"updated", "updatedat", "updatedon", "updateddate", "dateupdated", "lastupdated"}
)

// dates finds the dates of a post. It tries, in this order: front matter, the file's name, the last change in
// the front matter, the first commit in the repository's history, and the file's time.
func (f *folder) dates(p *Post, rest string, m frontMatter) {
	zone := f.config.zone
	if f.kind == kindJekyll {
		m = utcTimestamps(m)
	}
	written, dateOnly, err := m.date(zone, dateKeys)
	if err != nil {
		f.blog.problem(p.Where, "%v", err)
	}
	var changeOnly bool
	if p.Edited, changeOnly, err = m.date(zone, changeKeys); err != nil {
		f.blog.problem(p.Where, "%v", err)
	}
	named := f.dateOfName(rest)
	source := fromFrontMatter
	switch {
	case !named.IsZero() && (written.IsZero() || f.config.fileDateWins):
		p.Created, p.DateOnly, source = named, true, fromFileName
	case !written.IsZero():
		p.Created, p.DateOnly = written, dateOnly
	}
	p.Publish = p.Created
	if publish, _, _ := m.date(zone, publishKeys); !publish.IsZero() {
		p.Publish = publish
	}
	if p.Created.IsZero() {
		p.Created, source = f.outerDate(p)
		p.DateOnly = source == fromLastChange && changeOnly
	}
	p.dateSource = source
}

// yamlTimestamp is a time without a zone that YAML takes for one in UTC.
var yamlTimestamp = regexp.MustCompile(`^\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?$`)

// utcTimestamps is front matter whose dates without a zone are in UTC, as Jekyll reads them.
// It takes dates that are written in another way, or without a time, to be in the site's zone.
func utcTimestamps(m frontMatter) frontMatter {
	with := make(frontMatter, len(m))
	for key, value := range m {
		if text := textOf(value); yamlTimestamp.MatchString(text) {
			value = text + " UTC"
		}
		with[key] = value
	}
	return with
}

// outerDate returns the date of a post that has one in neither its front matter nor its file name.
func (f *folder) outerDate(p *Post) (time.Time, dateSource) {
	if !p.Edited.IsZero() && !p.Edited.After(f.now) {
		return p.Edited, fromLastChange
	}
	if first, err := f.files.firstCommit(p.file); err != nil {
		f.historyFault = err
	} else if !first.IsZero() && !first.After(f.now) {
		return first, fromHistory
	}
	// Archives without times have those of 1979 or 1980.
	if changed := f.files.modified(p.file); changed.Year() > 1980 && !changed.After(f.now) {
		return changed, fromFileTime
	}
	return time.Time{}, fromNowhere
}

// tellDates reports the sources of the dates of all posts that are not drafts.
func (f *folder) tellDates() {
	for source, n := range f.datesFrom[:fromNowhere] {
		if n > 0 {
			f.blog.Notes = append(f.blog.Notes, fmt.Sprintf("dates from %s: %d", dateSourceNames[source], n))
		}
	}
	if n := f.datesFrom[fromNowhere]; n > 0 {
		f.blog.Notes = append(f.blog.Notes, fmt.Sprintf("dated today, because they have no date: %d", n))
		f.blog.problem("", "%s dated today", plaintext.Count(n, "post has no date anywhere and is", "posts have no date anywhere and are"))
	}
	if f.historyFault != nil {
		f.blog.problem("", "the repository's history was not read: %v", f.historyFault)
	}
}

// date returns the first date among some keys, normalised by plainKey, and whether it has no time of day. If
// there is no valid date, the error is about the first invalid one.
func (m frontMatter) date(zone *time.Location, keys []string) (t time.Time, dateOnly bool, err error) {
	byKey := make(map[string]string, len(m))
	for key, value := range m {
		if plain := plainKey(key); value != nil && (byKey[plain] == "" || key < byKey[plain]) {
			byKey[plain] = key
		}
	}
	for _, key := range keys {
		name, ok := byKey[key]
		if !ok {
			continue
		}
		if _, isBool := yesOrNo(m[name]); isBool && (key == "published" || key == "publish") && !isDate(m[name]) {
			continue
		}
		found, fault := m.time(zone, name)
		if fault == nil && !found.IsZero() {
			return found, isDateOnly(m[name]), nil
		}
		err = cmp.Or(err, fault)
	}
	return time.Time{}, false, err
}

// isDateOnly tells whether a date was written without a time of day.
func isDateOnly(v any) bool {
	if t, ok := v.(time.Time); ok {
		return strings.HasPrefix(t.Location().String(), "date-")
	}
	return !strings.Contains(textOf(v), ":") && !timeOfDay.MatchString(textOf(v))
}

// timeOfDay finds a time without colons: 20200102T1504, 202001021504, 3 pm, seconds since 1970.
var timeOfDay = regexp.MustCompile(`(?i)\dT\d|^\d{9,}$|\d ?[ap]m\b`)

// dated is a file's name that begins with a date, such as 2024-05-01-hello or 20240501 hello.
var dated = regexp.MustCompile(`^(?:(\d{4}|\d{2})-(\d{1,2})-(\d{1,2})|(\d{4})[_.](\d{2})[_.](\d{2})|` +
	`(\d{4})(\d{2})(\d{2})(?:\d{4}|\d{6})?)(?:[-_ .]+(.*))?$`)

// datedName reads a file's name such as 2024-05-01-hello. The rest may be empty.
func datedName(stem string) (date time.Time, rest string, ok bool) {
	m := dated.FindStringSubmatch(stem)
	if m == nil {
		return time.Time{}, "", false
	}
	date, ok = day(m[1]+m[4]+m[7], m[2]+m[5]+m[8], m[3]+m[6]+m[9], time.UTC)
	return date, m[10], ok
}

// day is a day of the calendar, if there is one of that name.
func day(year, month, day string, zone *time.Location) (time.Time, bool) {
	if len(year) == 2 {
		year = "20" + year
	}
	t, err := time.ParseInLocation("2006-1-2", year+"-"+month+"-"+day, zone)
	return t, err == nil && t.Year() > 1900
}

// datedFolder is the end of a path with a folder for the year, the month and perhaps the
// day. The day may begin the name of what is in the month.
var datedFolder = regexp.MustCompile(`(?:^|/)(\d{4})[/-](\d{2})(?:[/-](\d{2})(?:[/_ -][^/]*)?|/[^/]*)?(?:/[^/]*)?$`)

// dateOfName returns the date in the name of a file or of its folders, at midnight in the site's zone, or zero.
func (f *folder) dateOfName(rest string) time.Time {
	name := strings.TrimSuffix(rest, path.Ext(rest))
	if base := path.Base(name); strings.EqualFold(base, "index") || strings.HasPrefix(strings.ToLower(base), "index.") {
		name = path.Dir(name)
	}
	if t, _, ok := datedName(path.Base(name)); ok {
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, f.config.zone)
	}
	if m := datedFolder.FindStringSubmatch(name); m != nil {
		if t, ok := day(m[1], m[2], cmp.Or(m[3], "1"), f.config.zone); ok {
			return t
		}
	}
	return time.Time{}
}

var timeLayouts = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
	"2006-01-02 15:04:05.999999999 Z0700", "2006-01-02 15:04:05.999999999 Z07:00", "2006-01-02 15:04:05.999999999Z07:00",
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

// zoneHours are the offsets of zones that dates are written with by their short names, of
// which time.Parse knows those of its location alone. Names of several zones are left out.
var zoneHours = map[string]float64{
	"EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
	"WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "EET": 2, "EEST": 3, "MSK": 3,
	"JST": 9, "KST": 9, "AEST": 10, "AEDT": 11, "ACST": 9.5, "AWST": 8, "NZST": 12, "NZDT": 13, "UTC": 0, "GMT": 0,
	"Z": 0,
}

// parseTime reads a date in one of many common notations. A date without a zone is in the given one.
func parseTime(text string, zone *time.Location) (time.Time, bool) {
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
	if m := slashedDay.FindStringSubmatch(text); m != nil { // clear only if one is no month
		first, second := m[1], m[2]
		american, ok := day(m[3], first, second, zone)
		european, other := day(m[3], second, first, zone)
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
			return inNamedZone(t, layout, zone), t.Year() > 1 && t.Year() < 10000
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

// inNamedZone corrects a time whose zone time.Parse knows by name alone, and takes it for
// UTC. A name that is not known means the site's zone.
func inNamedZone(t time.Time, layout string, zone *time.Location) time.Time {
	name, offset := t.Zone()
	if !strings.Contains(layout, "MST") || strings.Contains(layout, "0700") || offset != 0 || t.Location() == zone {
		return t
	}
	if hours, ok := zoneHours[name]; ok {
		zone = time.FixedZone(name, int(hours*3600))
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
}
