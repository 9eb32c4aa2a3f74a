package folder

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

var dateSourceNames = [portable.DateSources]string{
	portable.FromFrontMatter: "front matter",
	portable.FromFileName:    "the names of files and folders",
	portable.FromLastChange:  "front matter's last change",
	portable.FromAddress:     "the addresses in front matter",
	portable.FromHistory:     "the repository's first commit of each file",
	portable.FromFileTime:    "the files' modification times",
}

// Keys of front matter with dates, in the order in which they are tried.
var (
	dateKeys = []string{"date", "publishdate", "pubdate", "published", "publishedat", "publishedon", "publisheddate",
		"datepublished", "pubdatetime", "publish", "postedat", "posted", "postdate", "created", "createdat",
		"createdon",
		"datecreated",
		"createddate", "creationdate", "added", "timestamp"}
	publishKeys = []string{"publishdate", "pubdate", "publishedat", "publishedon", "publisheddate", "datepublished",
		"pubdatetime"}
	changeKeys = []string{"lastmod", "lastmodified", "lastmodifiedat", "modified", "modifiedat", "datemodified",
		"modifieddate",
		"updated", "updatedat", "updatedon", "updateddate", "dateupdated", "lastupdated", "moddatetime"}
)

// dates finds the dates of a post. It tries, in this order: front matter, the file's name, the last change in
// the front matter, the first commit in the repository's history, and the file's time.
//
// It reports whether a date that is not understood may be in the future.
func (f *folder) dates(p *portable.Post, rest string, m frontmatter.Values) (mayBeFuture bool) {
	zone := f.config.zone
	if f.kind == kindJekyll {
		m = utcTimestamps(m)
	}
	written, dateOnly, err := m.Date(zone, dateKeys)
	if err != nil {
		f.blog.AddProblem(p.Where, "%v", err)
		mayBeFuture = f.mayBeFuture(err)
	}
	var changeOnly bool
	if p.Edited, changeOnly, err = m.Date(zone, changeKeys); err != nil {
		f.blog.AddProblem(p.Where, "%v", err)
	}
	named := f.dateOfName(rest)
	source := portable.FromFrontMatter
	switch address := f.dateOfAddress(m); {
	case !named.IsZero() && (written.IsZero() || f.config.fileDateWins):
		p.Created, p.DateOnly, source = named, true, portable.FromFileName
	case !written.IsZero():
		p.Created, p.DateOnly = written, dateOnly
	case !address.IsZero():
		p.Created, p.DateOnly, source = address, true, portable.FromAddress
	}
	p.Publish = p.Created
	publish, _, err := m.Date(zone, publishKeys)
	if !publish.IsZero() {
		p.Publish = publish
	}
	mayBeFuture = mayBeFuture || err != nil && f.mayBeFuture(err)
	if p.Created.IsZero() {
		p.Created, source = f.outerDate(p)
		p.DateOnly = source == portable.FromLastChange && changeOnly
	}
	p.DateSource = source
	released, _ := m.Time(zone, "released") // of the post, or of the work that it is about
	return mayBeFuture || released.After(f.now)
}

// dateOfAddress returns the date in the address that front matter names, such as 2014/12/12/title, or zero.
func (f *folder) dateOfAddress(m frontmatter.Values) (date time.Time) {
	for _, key := range []string{"path", "url", "permalink"} {
		if date.IsZero() {
			date = f.dateOfName(strings.Trim(m.Text(key), "/"))
		}
	}
	return date
}

// yearInDate matches the year in a date that is not understood.
var yearInDate = regexp.MustCompile(`\b\d{4}\b`)

// mayBeFuture reports whether the date that an error names may be in the future. It is not if all its years are over.
func (f *folder) mayBeFuture(err error) bool {
	years := yearInDate.FindAllString(err.Error(), -1)
	return len(years) == 0 || slices.Max(years) >= f.now.Format("2006")
}

// yamlTimestamp matches a time without a zone, which YAML reads as UTC.
var yamlTimestamp = regexp.MustCompile(`^\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?$`)

// utcTimestamps returns front matter in which dates without a zone are in UTC, as Jekyll reads them. It moves dates in
// another notation, or without a time, to the site's zone.
func utcTimestamps(m frontmatter.Values) frontmatter.Values {
	with := make(frontmatter.Values, len(m))
	for key, value := range m {
		if text := frontmatter.TextOf(value); yamlTimestamp.MatchString(text) {
			value = text + " UTC"
		}
		with[key] = value
	}
	return with
}

// outerDate returns the date of a post that has one in neither its front matter nor its file name.
func (f *folder) outerDate(p *portable.Post) (time.Time, portable.DateSource) {
	if !p.Edited.IsZero() && !p.Edited.After(f.now) {
		return p.Edited, portable.FromLastChange
	}
	if first, err := f.files.FirstCommit(p.File); err != nil {
		f.historyFault = err
	} else if !first.IsZero() && !first.After(f.now) {
		return first, portable.FromHistory
	}
	// Archives without times yield dates in 1979 or 1980.
	if changed := f.files.Modified(p.File); changed.Year() > 1980 && !changed.After(f.now) {
		return changed, portable.FromFileTime
	}
	return time.Time{}, portable.FromNowhere
}

// reportDates reports the sources of the dates of all posts that are not drafts.
func (f *folder) reportDates() {
	for source, n := range f.datesFrom[:portable.FromNowhere] {
		if n > 0 {
			f.blog.Notes = append(f.blog.Notes, fmt.Sprintf("dates from %s: %d", dateSourceNames[source], n))
		}
	}
	if n := f.datesFrom[portable.FromNowhere]; n > 0 {
		f.blog.Notes = append(f.blog.Notes, fmt.Sprintf("dated today, because they have no date: %d", n))
		f.blog.AddMessage(locale.M("{n} posts have no date anywhere and are dated today", "n", n))
	}
	if f.historyFault != nil {
		f.blog.AddProblem("", "the repository's history was not read: %v", f.historyFault)
	}
}

// dated matches a file's name that begins with a date, such as 2024-05-01-hello or 20240501 hello.
var dated = regexp.MustCompile(`^(?:(\d{4}|\d{2})-(\d{1,2})-(\d{1,2})|(\d{4})[_.](\d{2})[_.](\d{2})|` +
	`(\d{4})(\d{2})(\d{2})(?:\d{4}|\d{6})?)(?:[-_ .]+(.*))?$`)

// datedName splits a file's name such as 2024-05-01-hello. The rest may be empty.
func datedName(stem string) (date time.Time, rest string, ok bool) {
	m := dated.FindStringSubmatch(stem)
	if m == nil {
		return time.Time{}, "", false
	}
	date, ok = portable.ParseDay(m[1]+m[4]+m[7], m[2]+m[5]+m[8], m[3]+m[6]+m[9], time.UTC)
	return date, m[10], ok
}

// datedFolder matches the end of a path with folders for the year, the month and perhaps the day. The day may also be
// the beginning of a name in the month's folder.
var datedFolder = regexp.MustCompile(`(?:^|/)(\d{4})[/-](\d{2})(?:[/-](\d{2})(?:[/_ -][^/]*)?|/[^/]*)?(?:/[^/]*)?$`)

// dateOfName returns the date in the name of a file or of its folders, at midnight in the site's zone, or zero.
func (f *folder) dateOfName(rest string) time.Time {
	name := strings.TrimSuffix(rest, path.Ext(rest))
	if base := path.Base(name); strings.EqualFold(base, "index") || strings.HasPrefix(strings.ToLower(base), "index.") {
		name = path.Dir(name)
	}
	if t, _, ok := datedName(path.Base(name)); ok {
		return domain.FromLocal(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC), f.config.zone)
	}
	if m := datedFolder.FindStringSubmatch(name); m != nil {
		if t, ok := portable.ParseDay(m[1], m[2], cmp.Or(m[3], "1"), f.config.zone); ok {
			return t
		}
	}
	return time.Time{}
}

// hiddenBySite is a key that this package adds to front matter, if a part of the site that cannot be read may hide a
// post. Front matter cannot override it.
const hiddenBySite = "hidden by the site"

// status sets the status of a post, which must have its dates already. If it may be dated in the future, without that
// date being understood, it becomes a draft.
func (f *folder) status(p *portable.Post, m frontmatter.Values, page, mayBeFuture bool) {
	v := m.Visibility()
	if strings.Contains("/"+strings.ToLower(p.File), "/_drafts/") {
		v.Audience = frontmatter.Private
	}
	expires, err := m.Time(f.config.zone, "expiryDate", "unpublishDate")
	expired := err != nil || !expires.IsZero() && expires.Before(f.now)
	for _, r := range v.Reasons {
		f.blog.Problems = append(f.blog.Problems, r.Problem(p.Where))
	}
	switch {
	case v.Scheduled && p.Publish.IsZero():
		v.Audience = frontmatter.Private
		f.blog.AddProblem(p.Where, "imported as a draft: it was scheduled without a valid date")
	case expired:
		v.Audience = frontmatter.Private
		f.blog.AddProblem(p.Where, "imported as a draft: it has expired")
	case mayBeFuture && v.Audience != frontmatter.Private:
		v.Audience = frontmatter.Private
		f.blog.AddProblem(p.Where, "imported as a draft: its date may be in the future")
	}
	switch {
	case v.Audience == frontmatter.Private:
		p.Status = portable.Draft
	case p.Publish.After(f.now) && !f.config.future:
		p.Status = portable.Scheduled
		p.Hidden = v.Audience == frontmatter.Unlisted || page
	case v.Audience == frontmatter.Unlisted, page:
		p.Status = portable.Unlisted
	}
	if p.Status != portable.Scheduled {
		p.Publish = time.Time{}
	}
	if f.config.held || f.config.unread || m[hiddenBySite] == true {
		p.Hold()
	}
}
